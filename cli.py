"""Run idinf from a checkout: ``python cli.py …`` is the installed ``idinf …``."""

from idinf.commands import main

if __name__ == "__main__":
    main()
