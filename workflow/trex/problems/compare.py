"""Compare two model files (.lp or .mps): the same model but for names, order and form, or what differs.

    python -m trex.problems.compare mine.lp theirs.mps

Exit code 0 where they are isomorphic (trex.problems.comparison.canonical), 1 with one line where they are not,
2 for a file that cannot be read or a model that cannot be compared.
"""

import sys
from pathlib import Path

from trex.common import cli
from trex.common.errors import UserError
from trex.problems.comparison import canonical
from trex.problems.formats.model_file import read_file


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("model", type=Path, help="the model in question")
    parser.add_argument("reference", type=Path, help="what it should be")
    arguments = parser.parse_args()
    model, reference = read_file(arguments.model), read_file(arguments.reference)
    try:
        difference = canonical.compare(model, reference)
    except canonical.NotComparable as error:
        raise UserError(f"{error}; compare the optimal values instead") from error
    if difference is None:
        print("isomorphic")
        return
    print(f"{difference.kind}: {difference.text}")
    sys.exit(1)


if __name__ == "__main__":
    cli.run(main)
