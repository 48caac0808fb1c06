"""Lanes do what NumPy does with arrays of sixteen."""

from __future__ import annotations

import numpy as np

from ioadr._jit import task
from ioadr._lanes import (
    WIDTH,
    as_floats,
    counted,
    gather,
    largest,
    load,
    smallest,
    splat,
    store,
    truncated,
    where_positive,
)


@task
def arithmetic(first, second, out):
    """Each operator and function once: out float32 [8 · 16]."""
    a, b, half = load(first, 3), load(second, 1), np.float32(0.5)
    store(out, 0, (a + b) * half - a / b)
    store(out, WIDTH, -a + half)
    store(out, 2 * WIDTH, largest(a, b))
    store(out, 3 * WIDTH, smallest(a, splat(half)))
    store(out, 4 * WIDTH, where_positive(a, b, splat(half)))
    whole = truncated(b)
    store(out, 5 * WIDTH, as_floats((whole * np.int32(3) - np.int32(1)) & np.int32(7)))
    store(out, 6 * WIDTH, as_floats((whole + counted()) >> np.int32(1)))
    store(out, 7 * WIDTH, gather(first, whole))


def test_lanes_calculate_as_arrays_do():
    generator = np.random.default_rng(0)
    first = generator.uniform(-2, 2, 40).astype(np.float32)
    second = generator.uniform(1, 20, 40).astype(np.float32)
    out = np.empty(8 * WIDTH, np.float32)
    arithmetic(first, second, out)
    a, b = first[3 : 3 + WIDTH], second[1 : 1 + WIDTH]
    whole = b.astype(int)
    expected = [
        (a + b) / 2 - a / b,
        0.5 - a,
        np.maximum(a, b),
        np.minimum(a, 0.5),
        np.where(a > 0, b, 0.5),
        (whole * 3 - 1) & 7,
        (whole + np.arange(WIDTH)) >> 1,
        first[whole],
    ]
    np.testing.assert_allclose(out.reshape(8, WIDTH), expected, rtol=1e-6, atol=1e-6)


@task
def add_one(values):
    """To sixteen of them, from the third on."""
    store(values, 2, load(values, 2) + np.float32(1.0))


def test_only_sixteen_elements_are_stored():
    values = np.zeros(20, np.float32)
    add_one(values)
    assert values.tolist() == [0.0] * 2 + [1.0] * WIDTH + [0.0] * 2
