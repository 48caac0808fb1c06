"""No picture of README and docs is older than what it shows."""

from __future__ import annotations

import pytest

from tests.pictures import PICTURES, ROOT, SOURCES, fingerprint, noted


def test_every_picture_has_its_script():
    assert {path.name for path in (ROOT / "docs" / "images").iterdir()} == {
        name for made in PICTURES.values() for name in made
    }
    assert all(list(ROOT.glob(pattern)) for patterns in SOURCES.values() for pattern in patterns)


@pytest.mark.parametrize("script", PICTURES)
def test_pictures_are_not_stale(script):
    target = "confidence" if script == "confidence_curve" else "figures"
    assert noted().get(script) == fingerprint(script), (
        f"make {PICTURES[script]} again by `make {target}` and look at them"
    )
