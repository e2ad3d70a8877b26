"""``python -m weightlab``: the program."""

import sys

from ._program import run_program

if __name__ == "__main__":
    try:
        sys.exit(run_program(sys.argv[1:]))
    except FileNotFoundError as error:
        sys.exit(f"error: {error}")
