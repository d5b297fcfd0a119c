"""`python -m nardy_core` is the command line."""
from nardy_core.cli import command

if __name__ == "__main__":
    command()
