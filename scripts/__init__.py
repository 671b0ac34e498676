"""The ``multiloko`` command, one module per subcommand; ``cli`` ties them together."""
