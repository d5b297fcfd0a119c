"""`python -m nardy_core` is the command line."""
import sys

from nardy_core.cli import main

if __name__ == "__main__":
    sys.exit(main())
