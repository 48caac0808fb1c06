"""Tiles: where they lie, how they are read, and how they fit together."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
import zarr

import ioadr
from ioadr import DisparityRange, InputError, Layout, preset
from ioadr.app.batch.items import Item, Outcome, Settings
from ioadr.app.batch.sizing import need_of
from ioadr.app.batch.tiled_views import LAYERS
from ioadr.app.batch.tiles import WAITING, Turn, Whole, do_tile, join_tiles, survey_item, tile_folder
from ioadr.app.batch.tiling import Tile, plan_tiles, tile_side
from ioadr.evaluation.synthetic import random_light_field
from ioadr.io import ReadOptions, load_estimate, orientation
from ioadr.io.parts import read_part, survey
from ioadr.part import Part, Window
from ioadr.solver.reach import CARRIED, estimation_margin
from ioadr.views.outside import Outside
from ioadr.views.result import Views
from ioadr.views.surfaces import NOTHING
from tests import explored
from tests.builders import make_views, write_hci_scene
from tests.unit.app.batch.conftest import summary

QUICK = preset("paper").vary({"search.sweeps": 3})
RANGE = DisparityRange(-1.0, 1.5)


@pytest.mark.parametrize(
    ("height", "width", "side", "margin"), [(300, 200, 64, 24), (64, 64, 64, 8), (1000, 700, 256, 88)]
)
def test_cores_cover_the_image_once(height, width, side, margin):
    covered = np.zeros((height, width), int)
    for tile in plan_tiles(height, width, side, margin):
        covered[tile.core.slices] += 1
        assert max(tile.core.height, tile.core.width) <= side
        for inner, outer, end in (
            (tile.core.top, tile.outer.top, 0),
            (tile.core.left, tile.outer.left, 0),
            (-tile.core.bottom, -tile.outer.bottom, -height),
            (-tile.core.right, -tile.outer.right, -width),
        ):
            assert inner - outer >= margin or outer == end
    assert (covered == 1).all()


def test_tiles_are_as_large_as_memory_allows(tmp_path):
    np.lib.format.open_memmap(tmp_path / "huge.npy", mode="w+", dtype=np.uint8, shape=(9, 9, 2048, 2048, 3))
    need = need_of(str(tmp_path / "huge.npy"), ReadOptions(), preset("paper"))
    sides = [tile_side(need, 88, memory) for memory in (600_000_000, 1_200_000_000, None)]
    assert sides == sorted(sides)
    assert sides[-1] == 2048
    for side, memory in zip(sides, (600_000_000, 1_200_000_000), strict=False):
        assert need.part(side + 2 * 88 + 16, side + 2 * 88 + 16) <= memory
    assert tile_side(need, 88, None, wanted=500) == 448
    assert tile_side(need, 88, 10_000_000_000, wanted=80) == 64, "smaller than we would choose, but asked for"
    with pytest.raises(InputError, match="even a tile of 128 px"):
        tile_side(need, 88, 160_000_000)


@pytest.fixture(scope="module")
def huge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Not huge, but stored in chunks, with a camera unknown."""
    path = tmp_path_factory.mktemp("data") / "huge.zarr"
    views = make_views(grid=(5, 5), size=(160, 192), disparity=0.6)
    array = zarr.create_array(str(path), shape=views.shape, chunks=(1, 1, 64, 64, 3), dtype="u1")
    array[:] = views
    return path


def test_a_part_is_what_a_crop_would_be(huge):
    options = ReadOptions(range=(-1.0, 1.5), crop=(8, 16, 140, 160))
    whole = ioadr.read(huge, options)
    found = survey(huge, options)
    assert (found.height, found.width) == (140, 160)
    window = Window(32, 48, 90, 120)
    part = read_part(huge, found, window, RANGE)
    assert np.array_equal(part.views, whole.views[:, :, 32:90, 48:120])
    assert part.camera is whole.camera is None
    assert part.part == whole.crop(window).part == Part(Window(40, 64, 98, 136), 160, 192)
    ours, theirs = (found.camera_or_relative(RANGE) for found in (part, ioadr.read(huge)))
    assert ours == theirs, "a part keeps the whole's relative scale"


def test_white_and_dark_views_are_decided_by_the_whole(tmp_path):
    views = make_views(grid=(5, 5), size=(64, 64), dtype="uint16") >> 6
    views[:, :, :, 32:] >>= 3
    views[0, 0] //= 20
    np.save(tmp_path / "views.npy", views)
    whole = ioadr.read(tmp_path / "views.npy")
    found = survey(tmp_path / "views.npy", ReadOptions())
    part = read_part(tmp_path / "views.npy", found, Window(0, 36, 32, 64), RANGE)
    assert whole.white == part.white == 1023
    assert np.array_equal(part.present, whole.present)
    assert not part.present[0, 0]
    assert part.source.notes == whole.source.notes


def test_a_part_may_be_of_one_colour(tmp_path):
    views = make_views(size=(64, 64))
    views[:, :, :, :32] = 0
    np.save(tmp_path / "views.npy", views)
    found = survey(tmp_path / "views.npy", ReadOptions())
    part = read_part(tmp_path / "views.npy", found, Window(0, 0, 64, 24), RANGE)
    assert np.isfinite(ioadr.estimate(part, QUICK).disparity).all()


@pytest.mark.parametrize("change", [lambda v: v, lambda v: v.swapaxes(0, 1)[::-1]])
def test_the_order_of_views_is_looked_at_once(tmp_path, monkeypatch, change):
    views = explored.larger()
    np.save(tmp_path / "views.npy", change(views))
    judge = Mock(wraps=orientation.order_of)
    monkeypatch.setattr(orientation, "order_of", judge)
    found = survey(tmp_path / "views.npy", ReadOptions())
    for top in (0, 32):
        window = Window(top, 16, top + 64, 96)
        part = read_part(tmp_path / "views.npy", found, window, RANGE)
        assert np.array_equal(part.views, views[:, :, window.slices[0], window.slices[1]])
        assert part.source == found.source
    assert judge.call_count == 1


def test_parts_cannot_be_scaled(huge):
    with pytest.raises(InputError, match="cannot be read in parts and scaled"):
        survey(huge, ReadOptions(scale=0.5))


def estimated(item: Item, settings: Settings, tiles: list[Tile]) -> Outcome:
    whole = survey_item(item, "key", settings)
    assert isinstance(whole, Whole), whole
    for number, tile in enumerate(tiles):
        assert isinstance(do_tile(item, "key", settings, whole, tile, Turn(number, len(tiles))), str)
    return join_tiles(item, "key", settings, whole, tiles)


@pytest.mark.slow
def test_one_tile_is_the_whole(huge, tmp_path):
    item = Item("a", str(huge), ReadOptions(range=(-1.0, 1.5)))
    settings = Settings(str(tmp_path / "out"), QUICK, formats=("npz",), report=False)
    outcome = estimated(item, settings, plan_tiles(160, 192, 256, 0))
    assert outcome.state == "done"
    joined, single = load_estimate(tmp_path / "out" / "a"), ioadr.estimate(ioadr.read(huge, item.reading), QUICK)
    assert joined.disparity.tobytes() == single.disparity.tobytes()
    assert np.array_equal(joined.image, single.image)
    assert joined.camera is None
    assert not tile_folder(settings, item).exists()


def test_tiles_fit_together(huge, tmp_path):
    item = Item("a", str(huge), ReadOptions(range=(-1.0, 1.5)))
    settings = Settings(str(tmp_path / "out"), QUICK, formats=("npz",), report=True)
    tiles = plan_tiles(160, 192, 64, estimation_margin(QUICK, RANGE, Layout.of((5, 5))) - CARRIED)
    assert len(tiles) == 9
    estimated(item, settings, tiles)
    joined, single = load_estimate(tmp_path / "out" / "a"), ioadr.estimate(ioadr.read(huge, item.reading), QUICK)
    difference = np.abs(joined.disparity - single.disparity)
    assert np.mean(difference > 0.01) <= 0.005
    assert len(joined.history) == len(single.history)
    assert (joined.visible_views == single.visible_views).mean() > 0.99
    assert (tmp_path / "out" / "a" / "report.html").stat().st_size > 10_000


def test_every_view_is_joined_with_the_anchors_of_all_tiles(tmp_path, monkeypatch):
    """Two tiles, each with its own anchor; the arrays are those of an untiled estimate."""
    scene = random_light_field(4, "spheres", size=(64, 128), grid=(5, 5)).lightfield
    np.save(tmp_path / "views.npy", scene.views)
    item = Item("a", str(tmp_path / "views.npy"), ReadOptions(range=(-1.5, 1.5)))
    settings = Settings(str(tmp_path / "out"), preset("fast"), formats=("npz", "ply"), report=False, every_view=True)
    whole = ioadr.estimate_views(ioadr.read(item.path, item.reading), settings.parameters, threads=1, most_anchors=3)
    second, third = (surface.view for surface in whole.surfaces[1:])

    def cut(lightfield, *_):
        window = lightfield.part.window
        left, inner = window.left == 0, (..., window.slices[0], window.slices[1])
        surfaces = [surface for surface in whole.surfaces if surface.view != (third if left else second)]
        numbers = np.array([0, 1, NOTHING] if left else [0, NOTHING, 1], np.uint8)
        return Views(
            estimate=ioadr.estimate(lightfield, settings.parameters, threads=1),
            index=whole.index,
            disparity=whole.disparity[inner],
            confidence=whole.confidence[inner],
            source=np.append(numbers, np.full(253, NOTHING, np.uint8))[whole.source[inner]],
            surfaces=[replace(s, **{name: getattr(s, name)[window.slices] for name in LAYERS}) for s in surfaces],
            outside=[Outside((4, 0), 3, 10, -1.5, 2.0 if left else 2.5), *[Outside((0, 0), 9, 9, -1.75, 1.5)] * left],
        )

    monkeypatch.setattr(ioadr, "estimate_views", cut)
    outcome = estimated(item, settings, plan_tiles(64, 128, 64, 16))
    assert outcome.state == "done"
    joined = ioadr.load_views(tmp_path / "out" / "a", ioadr.read(item.path, item.reading))
    assert [surface.view for surface in joined.surfaces] == [(2, 2), second, third]
    np.testing.assert_array_equal(joined.disparity, whole.disparity)
    lost = [(whole.source == 2) & (np.arange(128) < 64), (whole.source == 1) & (np.arange(128) >= 64)]
    assert lost[0].any()
    assert lost[1].any()
    np.testing.assert_array_equal(joined.source, np.where(lost[0] | lost[1], NOTHING, whole.source))
    assert np.isnan(joined.surfaces[1].disparity[:, 64:]).all()
    assert np.isnan(joined.surfaces[2].disparity[:, :64]).all()
    assert set(joined.points().anchor) <= {0, 1, 2}
    assert (tmp_path / "out" / "a" / "scene_mesh.ply").stat().st_size > 10_000
    note = joined.estimate.notes[-1]
    assert "views 0 0 (9 of 9), 4 0 (6 of 20), hidden" in note, "of both tiles"
    assert note.endswith("range=(-1.75, 2.5)")
    assert outcome.facts["notes"][-1].endswith("--range -1.75 2.5")


@pytest.mark.slow
def test_every_view_in_tiles_is_about_the_whole_s(tmp_path):
    rendered = random_light_field(4, "spheres", size=(192, 256), grid=(5, 5))
    np.save(tmp_path / "views.npy", rendered.lightfield.views)
    limits = rendered.lightfield.range or RANGE
    item = Item("a", str(tmp_path / "views.npy"), ReadOptions(range=(limits.minimum, limits.maximum)))
    settings = Settings(str(tmp_path / "out"), preset("best"), formats=("npz",), report=False, every_view=True)
    margin = estimation_margin(settings.parameters, limits, Layout.of((5, 5)))
    assert estimated(item, settings, plan_tiles(192, 256, 128, margin)).state == "done"
    joined = ioadr.load_views(tmp_path / "out" / "a")
    whole = ioadr.estimate_views(ioadr.read(item.path, item.reading), settings.parameters)
    for view in map(tuple, joined.index.tolist()):
        wrong = [np.mean(np.abs(v.map_of(view) - rendered.disparity_of(view)) > 0.07) for v in (joined, whole)]
        assert wrong[0] < 1.1 * wrong[1] + 0.001
    assert np.mean(np.abs(joined.disparity - whole.disparity) > 0.07) < 0.005


def test_finished_tiles_are_not_done_again(huge, tmp_path, monkeypatch):
    item = Item("a", str(huge), ReadOptions(range=(-1.0, 1.5)))
    settings = Settings(str(tmp_path / "out"), QUICK, formats=("pfm",), report=False)
    whole = survey_item(item, "key", settings)
    assert isinstance(whole, Whole)
    tile = plan_tiles(160, 192, 128, 16)[0]
    first = do_tile(item, "key", settings, whole, tile, Turn(0, 1))
    monkeypatch.setattr(ioadr, "estimate", lambda *_, **__: pytest.fail("estimated again"))
    assert do_tile(item, "key", settings, whole, tile, Turn(0, 1)) == first
    with pytest.raises(pytest.fail.Exception):
        do_tile(item, "another key", settings, whole, tile, Turn(0, 1))


@pytest.mark.parametrize("damage", ["cut", "one byte", "empty"])
def test_a_damaged_tile_is_estimated_again(huge, tmp_path, damage):
    item = Item("a", str(huge), ReadOptions(range=(-1.0, 1.5)))
    settings = Settings(str(tmp_path / "out"), QUICK)
    whole = survey_item(item, "key", settings)
    assert isinstance(whole, Whole)
    tile = plan_tiles(160, 192, 128, 16)[0]
    do_tile(item, "key", settings, whole, tile, Turn(0, 1))
    [file] = (tmp_path / "out" / WAITING).rglob("*.npz")
    content = file.read_bytes()
    half = len(content) // 2
    changed = {"cut": content[:5000], "one byte": content[:half] + bytes([content[half] ^ 1]) + content[half + 1 :]}
    file.write_bytes(changed.get(damage, b""))
    do_tile(item, "key", settings, whole, tile, Turn(0, 1))
    with np.load(file) as again, np.load(io.BytesIO(content)) as before:
        np.testing.assert_array_equal(again["disparity"], before["disparity"])


def test_a_missing_tile_is_told(huge, tmp_path):
    item = Item("a", str(huge), ReadOptions(range=(-1.0, 1.5)))
    settings = Settings(str(tmp_path / "out"), QUICK)
    whole = survey_item(item, "key", settings)
    assert isinstance(whole, Whole)
    outcome = join_tiles(item, "key", settings, whole, plan_tiles(160, 192, 128, 16))
    assert "not a finished tile" in outcome.reason


def test_the_range_of_the_whole_is_estimated_once(tmp_path):
    scene = write_hci_scene(tmp_path / "waves", make_views(size=(96, 96), disparity=0.6), disp_min="", disp_max="")
    whole = survey_item(Item("a", str(scene)), "key", Settings(str(tmp_path / "out"), QUICK))
    assert isinstance(whole, Whole)
    assert whole.limits.origin == "estimated"
    assert whole.limits.minimum < 0.6 < whole.limits.maximum


def test_tiles_on_the_command_line(cli, huge, tmp_path, threaded):
    out = tmp_path / "out"
    quick = ("--set", "search.sweeps=1", "--range", -1, 1.5, "--no-report", "--save", "pfm", "--workers", 1)
    done = cli("batch", huge, "--out", out, "--tile-size", 128, *quick)
    assert done.code == 0, done.err
    [item] = summary(out)["items"]
    assert item["state"] == "done"
    assert "estimated in 4 tiles" in item["facts"]["notes"]
    assert set(item["seconds"]) >= {"estimate", "join", "save"}
    again = cli("batch", huge, "--out", out, "--tile-size", 128, *quick, "--resume")
    assert summary(out)["counts"]["kept"] == 1, again.err
