"""``python -m idinf``: the command line."""

from idinf.commands import main

if __name__ == "__main__":
    main(prog_name="python -m idinf")
