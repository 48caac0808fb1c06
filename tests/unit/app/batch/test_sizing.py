"""Memory and time that items need, and workers chosen by them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import ioadr
from ioadr import InputError, preset
from ioadr.app.batch.cluster import _environment
from ioadr.app.batch.sizing import CLIENT, WORKER, Crew, Need, check_need, choose_crew, makespan, need_of
from ioadr.app.words.expectation import BYTES_PER_PIXEL, expected_bytes, working_bytes
from ioadr.io import ReadOptions
from tests.builders import make_views, write_hci_scene

GB = 10**9


def test_a_semi_global_match_counts_by_its_planes(tmp_path):
    """Of a narrow range the finish is what takes most, of a wide one the volume of planes."""
    scene = write_hci_scene(tmp_path / "waves", make_views(grid=(9, 9), size=(20, 24)))
    narrow, wide, widest = (need_of(str(scene), ReadOptions(range=(-end, end)), preset("best")) for end in (1, 6, 60))
    alone = need_of(str(scene), ReadOptions(range=(-6, 6)), preset("best").vary({"finish.region_passes": 0}))
    assert per_pixel(narrow) == per_pixel(alone) == 3 * 4 * 81 + BYTES_PER_PIXEL
    assert per_pixel(wide) == 4 * 81 + 5 * (12 * 4 * 3 + 1) + 4 * 25 + BYTES_PER_PIXEL
    assert per_pixel(widest) == 4 * 81 + 5 * 192 + 4 * 25 + BYTES_PER_PIXEL


def test_large_views_are_not_copied():
    """17×17 views of a full-size capture: packed once, filtered in place, released for a semi-global match.

    The first sweeps copy 81 of them.
    """
    need = Need(289, 960, 1280, 3, preset("best"), 16.0)
    assert per_pixel(need) == 4 * 289 + 4 * 81 + BYTES_PER_PIXEL
    assert per_pixel(replace(need, shifts=200.0)) == 4 * 289 + 4 * 81 + BYTES_PER_PIXEL
    assert per_pixel(replace(need, views=49)) > 3 * 4 * 49, "small enough to be copied"
    every = replace(need, views=81, height=3000, width=4000, shifts=200.0)
    assert per_pixel(every) == 5 * 192 + 4 * 25 + BYTES_PER_PIXEL, "the volume takes more than the views"


def test_views_that_are_read_but_not_used_are_counted_as_stored():
    """`fast` uses every second view; of a regular grid, it reads no others."""
    views = make_views(grid=(9, 9), size=(20, 24))
    regular = ioadr.LightField(views, range=ioadr.DisparityRange(-1, 1))
    wobbly = np.random.default_rng(0).normal(0, 0.01, (9, 9, 2)) + np.moveaxis(np.indices((9, 9)), 0, -1)
    placed = ioadr.LightField(views, range=ioadr.DisparityRange(-1, 1), positions=wobbly)
    assert expected_bytes(placed, "fast") - expected_bytes(regular, "fast") == views[0, 0].nbytes * (81 - 25)
    assert expected_bytes(placed, "best") == expected_bytes(regular, "best")


def per_pixel(need):
    """Bytes of an estimation beyond the stored views."""
    pixels = need.height * need.width
    return working_bytes(need.views, pixels, need.parameters, need.shifts) / pixels


def test_what_is_counted_is_what_the_solver_takes():
    from ioadr.app.words import expectation
    from ioadr.solver import few_views, heard_costs, problem, refine

    ours = expectation.PLANES, expectation.MOST_PLANES, expectation.ENOUGH_VIEWS, expectation.LARGE
    assert ours == (heard_costs.PLANES, heard_costs.MOST_PLANES, few_views.ENOUGH_VIEWS, problem.LARGE)
    assert (expectation.FEW_SWEPT, expectation.ENOUGH_SWEPT) == (refine.FEW, refine.ENOUGH)


@pytest.mark.parametrize("reading", [ReadOptions(), ReadOptions(views="3x3"), ReadOptions(scale=0.5, every=2)])
def test_what_an_item_needs_is_known_before_it_is_read(tmp_path, reading):
    scene = write_hci_scene(tmp_path / "waves", make_views(grid=(5, 5), size=(20, 24)))
    need = need_of(str(scene), reading, preset("paper"))
    read = ioadr.read(scene, reading, flip_rows=False, flip_columns=False)
    assert need.bytes == expected_bytes(read, "paper") + WORKER
    assert (need.views, need.height, need.width) == (read.view_count, read.height, read.width)
    finished = need_of(str(scene), reading, preset("paper").vary({"finish.passes": 1, "finish.high_pass": 0.0}))
    assert finished.bytes - need.bytes == 4 * need.views * need.height * need.width, "the finish packs the views again"
    both = need_of(str(scene), reading, preset("paper").vary({"finish.passes": 1}))
    assert both.bytes - finished.bytes == 4 * need.views * need.height * need.width, "high-pass views are a copy, too"


def test_a_huge_file_is_measured_by_its_header(tmp_path):
    np.lib.format.open_memmap(tmp_path / "huge.npy", mode="w+", dtype=np.uint8, shape=(9, 9, 4096, 4096, 3))
    need = need_of(str(tmp_path / "huge.npy"), ReadOptions(), preset("paper"))
    assert need.bytes > 9 * 9 * 4096 * 4096 * 7
    with pytest.raises(InputError, match=r"needs about 1\d(\.\d)? GB.*--tiles.*--memory"):
        check_need("huge.npy", need.bytes, 2 * GB)
    check_need("huge.npy", need.bytes, None)
    with pytest.raises(InputError, match="0 B is available for one item"):
        check_need("huge.npy", need.bytes, -WORKER)


def test_enough_items_run_in_processes_of_one_thread():
    assert choose_crew([10.0] * 100, GB, 64 * GB, machine=8) == Crew(8, 1, (64 * GB - CLIENT) // 8)


def test_a_single_item_gets_all_threads():
    crew = choose_crew([10.0], GB, 64 * GB, machine=8)
    assert (crew.workers, crew.threads) == (1, 8)


def test_few_items_share_the_cores():
    crew = choose_crew([10.0] * 3, GB, 64 * GB, machine=8)
    assert (crew.workers, crew.threads) == (3, 2)


def test_three_items_on_two_cores_are_best_one_after_the_other():
    """Two processes would leave a core idle during the third item."""
    crew = choose_crew([10.0] * 3, GB, 64 * GB, machine=2)
    assert (crew.workers, crew.threads) == (1, 2)
    assert choose_crew([10.0] * 4, GB, 64 * GB, machine=2).workers == 2


def test_memory_bounds_the_workers():
    crew = choose_crew([10.0] * 100, 3 * GB, 10 * GB, machine=16)
    assert (crew.workers, crew.threads) == (3, 5)
    assert crew.memory >= 3 * GB
    assert choose_crew([10.0] * 100, 3 * GB, 10 * GB, workers=12, machine=16).workers == 3


def test_what_is_asked_for_is_done():
    crew = choose_crew([10.0] * 100, GB, 64 * GB, workers=3, threads=4, machine=2)
    assert (crew.workers, crew.threads) == (3, 4)


def test_the_choice_is_the_quickest():
    for count, machine in product((1, 2, 3, 5, 7, 12), (1, 2, 4, 6)):
        lengths = [float(1 + number % 3) for number in range(count)]
        chosen = choose_crew(lengths, GB, 640 * GB, machine=machine)
        others = [Crew(n, max(1, machine // n), GB) for n in range(1, min(machine, count) + 1)]
        assert makespan(lengths, chosen, machine) <= min(makespan(lengths, crew, machine) for crew in others) + 1e-3


def test_workers_reuse_memory_as_other_programs_do():
    """Dask's setting of the allocator costs a third of the time of small light fields."""
    kept = _environment()
    assert "OMP_NUM_THREADS" in kept
    assert not any(name.startswith("MALLOC_") for name in kept)
