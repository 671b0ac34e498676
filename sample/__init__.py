"""A small invented benchmark in the shape of MultiLoKo. It is not MultiLoKo data."""
