"""`python -m evaluator`: the engine without a database."""

import sys

from evaluator.cli import main

if __name__ == "__main__":
    sys.exit(main())
