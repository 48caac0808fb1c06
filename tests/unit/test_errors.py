"""Messages stay one short, harmless line, whatever the names in them."""

from __future__ import annotations

import pickle

import pytest

import ioadr
from ioadr.errors import LONGEST, InputError, IoadrError, Note, OutputError, as_options, printable

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


@pytest.mark.parametrize(
    ("marked", "argument", "option"),
    [
        ("Use ⟦skip 8,0⟧.", 'Use skip="8,0".', "Use --skip 8,0."),
        ("Use ⟦range -2 2⟧.", "Use range=(-2, 2).", "Use --range -2 2."),
        ("Add ⟦overwrite⟧.", "Add overwrite=True.", "Add --overwrite."),
        ("Use ⟦no-flip-rows⟧.", "Use flip_rows=False.", "Use --no-flip-rows."),
        ("Give ⟦baseline-mm⟧ or ⟦out⟧.", "Give `baseline_mm` or `folder`.", "Give --baseline-mm or --out."),
    ],
)
def test_a_remedy_is_worded_for_its_reader(marked, argument, option):
    error = pickle.loads(pickle.dumps(InputError(marked)))
    assert (str(error), error.for_command_line()) == (argument, option)
    note = pickle.loads(pickle.dumps(Note(marked)))
    assert (note, as_options(note)) == (argument, option)


def test_misspelt_paths_name_the_closest(tmp_path):
    (tmp_path / "cotton").mkdir()
    with pytest.raises(InputError, match=r"cottn: there is no such file or folder. Did you mean 'cotton'\?"):
        ioadr.read(tmp_path / "cottn")
    with pytest.raises(InputError, match=r"cottn: there is no such result. Did you mean 'cotton'\?"):
        ioadr.load_estimate(tmp_path / "cottn")
    with pytest.raises(InputError, match=r"cottn: there is no such result. Did you mean 'cotton'\?"):
        ioadr.load_views(tmp_path / "cottn")
    with pytest.raises(InputError, match="there is no such result. Check the path."):
        ioadr.load_estimate(tmp_path / "nowhere" / "cotton")
