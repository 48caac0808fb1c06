"""`python -m tests.doors` writes the messages about bad input into docs/reliability.md.

`python -m tests.doors --measure FILE` calls the commands in FILE and prints by how many bytes memory has grown.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.doors.measure import growth
from tests.doors.page import PAGE, provoked, rewritten

if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        sys.stdout.write(json.dumps(growth(json.loads(Path(sys.argv[2]).read_text()))) + "\n")
    else:
        PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8"), provoked()), encoding="utf-8")
