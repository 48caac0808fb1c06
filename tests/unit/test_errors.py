"""Messages stay one short, harmless line, whatever the names in them."""

from __future__ import annotations

import pytest

from ioadr.errors import LONGEST, InputError, IoadrError, OutputError, printable

ERRORS = pytest.mark.parametrize("kind", [IoadrError, InputError, OutputError])


@ERRORS
def test_names_of_others_cannot_write_to_the_terminal(kind):
    message = str(kind("a\x1b[31m\nb\udcff/×.png: expected 3×3 views … found 2."))
    assert message == r"a\x1b[31m\nb\udcff/×.png: expected 3×3 views … found 2."
    assert printable(message) is message


@ERRORS
def test_a_long_list_is_cut_in_its_middle(kind):
    message = str(kind(f"x.npz: expected disparity, found {', '.join(map(str, range(10_000)))}. Save it again."))
    assert LONGEST <= len(message) < LONGEST + 10
    assert message.startswith("x.npz: expected disparity, found 0, 1")
    assert " … " in message
    assert message.endswith("9999. Save it again.")
