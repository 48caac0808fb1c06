"""Viewpoints that the explorer shows between the views."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from ioadr import InputError
from ioadr.app.explorer.requests import viewpoint
from ioadr.layout import Layout, regular
from tests.unit.app.explorer.conftest import GIVEN

TOP_LEFT = np.zeros((3, 3, 3))
TOP_LEFT[0, 0, 2] = 1.0


def study(forward, views=None):
    layout = Layout.of((3, 3), positions=np.pad(regular((3, 3)), ((0, 0), (0, 0), (0, 1))) + forward * TOP_LEFT)
    return SimpleNamespace(
        lightfield=SimpleNamespace(layout=layout), views=lambda key: views if f"result={key}" == GIVEN else None
    )


def asked(**changes):
    return {"row": "0.5", "column": "1.25", "result": GIVEN.removeprefix("result="), **changes}


def test_any_viewpoint_among_cameras_in_one_plane():
    assert viewpoint(asked(), study(0.0)) == (0.5, 1.25)
    with pytest.raises(InputError, match="row: expected a number from 0 to 2, found '2.5'"):
        viewpoint(asked(row="2.5"), study(0.0))


def test_cameras_out_of_a_plane_need_maps_of_all_views():
    assert viewpoint(asked(), study(0.5, views=object())) == (0.5, 1.25)
    with pytest.raises(InputError, match="these cameras do not lie in one plane"):
        viewpoint(asked(), study(0.5))
    with pytest.raises(InputError, match="these cameras do not lie in one plane"):
        viewpoint(asked(result="another"), study(0.5, views=object()))
