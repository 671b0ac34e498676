"""The page of the Space: the metric, and files read and matched with `multiloko_source` and `multiloko_runs`."""
