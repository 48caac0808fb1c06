"""Files of independent writers give the same samples or a refusal; a reader that mixes up pixels would be found."""

from __future__ import annotations

import json

from tests.differential import main
from tests.differential_writers import WRITERS, npy


def test_all_writers(capsys):
    """A quick form of `make fuzz`."""
    assert main(["--inputs", "60", "--seed", "3"]) == 0
    total = json.loads(capsys.readouterr().out)["total"]
    assert sum(total.values()) == 60
    assert total["same"] > 20


def test_wrong_pixels_are_seen(capsys):
    """What a reader would give that swaps two rows of one view."""

    def swapped(folder, views, chance):
        wrong = views.copy()
        wrong[1, 2, [0, 1]] = wrong[1, 2, [1, 0]]
        return npy(folder, wrong, chance)

    assert main(["--inputs", "10"], {"npy": swapped}) == 1
    assert "other samples" in capsys.readouterr().err


def test_every_kind_of_writer_is_there():
    assert {"own_png", "own_ppm", "pillow_bmp", "tifffile", "npy", "npz", "hdf5", "zarr"} <= set(WRITERS)
