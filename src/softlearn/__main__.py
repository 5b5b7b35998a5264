"""The command line, as ``python -m softlearn``."""

from softlearn.cli.main import main

main()
