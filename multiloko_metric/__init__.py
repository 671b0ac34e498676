"""The MultiLoKo metric: languages, normalisation profiles, scoring and summary. Imports nothing else of this project."""
