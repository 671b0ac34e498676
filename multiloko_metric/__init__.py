"""The MultiLoKo metric: languages, profiles, scoring and summary. It imports nothing else of this project."""
