"""Where MultiLoKo data comes from: folders, encrypted archives and Hub repositories, read as rows of ten fields."""
