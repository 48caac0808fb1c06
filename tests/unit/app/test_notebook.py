"""What a notebook shows of light fields and estimates."""

from __future__ import annotations

import base64
import io
import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from ioadr.errors import InputError
from tests.builders import make_camera, make_lightfield
from tests.scenes import cube_estimate, make_estimate


def test_light_field_in_one_line():
    lightfield = make_lightfield(grid=(3, 5), camera=make_camera(), name="waves")
    assert repr(lightfield) == (
        "LightField('waves', views 3×5 of 24×20 px, colour, uint8; reference (1, 2); "
        "range -1 … 1.5 px (file); depth in metres)"
    )
    present = np.ones((3, 5), bool)
    present[0, 0] = False
    assert "1 missing" in repr(lightfield.with_(present=present, range=None, camera=None))


def test_estimate_in_one_line():
    line = repr(cube_estimate())
    assert line.startswith("Estimate('by hand', disparity 161×121 px, ")
    assert "depth 2 … 3 m" in line
    assert "\n" not in line
    assert "relative: no camera" in repr(make_estimate(np.zeros((20, 24))))


def test_html_has_pictures_and_escapes_names():
    estimate = cube_estimate()
    estimate = replace(estimate, name="<script>")
    html = estimate._repr_html_()
    assert "<script>" not in html
    pictures = [base64.b64decode(found) for found in re.findall(r"base64,([^\"]+)", html)]
    assert len(pictures) == 3
    assert all(max(Image.open(io.BytesIO(picture)).size) <= 220 for picture in pictures)
    assert len(html) < 300_000
    assert "waves" in make_lightfield(name="waves")._repr_html_()


def test_estimate_plots_its_maps():
    pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    estimate = cube_estimate()
    figure = estimate.plot()
    titles = [axes.get_title() for axes in figure.axes]
    assert titles[:5] == ["reference view", "disparity [px]", "depth [m]", "normals", "confidence"]
    assert np.array_equal(np.asarray(figure.axes[1].images[0].get_array()), estimate.disparity)
    assert len(estimate.plot(["depth"]).axes) == 2
    with pytest.raises(InputError, match="unknown map 'shape'"):
        estimate.plot(["shape"])


@pytest.mark.parametrize("axis", ["row", "column"])
def test_epi_is_drawn_with_slopes_along_its_lines(axis):
    """On a plane of constant disparity the drawn slopes run along lines of equal colour."""
    pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    lightfield = make_lightfield(grid=(5, 5), size=(40, 48), disparity=1.0)
    figure = lightfield.plot_epi(**{axis: 10}, disparity=np.ones((40, 48)))
    (axes,) = figure.axes
    pixels = np.asarray(axes.images[0].get_array())
    assert pixels.shape == ((5, 48, 3) if axis == "row" else (5, 40, 3))
    for line in axes.lines[5:-5]:
        across, down = (np.asarray(part) for part in line.get_data())
        colours = pixels[down, np.round(across).astype(int)].astype(int)
        assert np.ptp(colours, axis=0).max() <= 1


def test_epi_needs_one_line_inside_the_image():
    pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    lightfield = make_lightfield()
    with pytest.raises(InputError, match="either a row or a column"):
        lightfield.plot_epi()
    with pytest.raises(InputError, match=r"0 … 19, found 20"):
        lightfield.plot_epi(row=20)


def test_missing_matplotlib_names_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"pip install .*\[plot\]"):
        cube_estimate().plot()
