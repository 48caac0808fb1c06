"""Lanes do what NumPy does with arrays of sixteen."""

from __future__ import annotations

import numpy as np

from ioadr._jit import task
from ioadr._lanes import (
    WIDTH,
    among,
    as_floats,
    below,
    bits_set,
    counted,
    gather,
    gather_pairs,
    largest,
    load,
    magnitude,
    root,
    smallest,
    splat,
    start_of_run,
    store,
    total,
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
    """Write to sixteen elements, starting at the third."""
    store(values, 2, load(values, 2) + np.float32(1.0))


@task
def reductions(first, second, whole, out, bits):
    """Pairs, roots, magnitudes and choices: out float32 [6 · 16]; sums and bits of comparisons: bits float64 [3]."""
    a, b = load(first, 3), load(second, 1)
    one, next_one = gather_pairs(first, truncated(b))
    store(out, 0, one)
    store(out, WIDTH, next_one)
    store(out, 2 * WIDTH, root(b))
    store(out, 3 * WIDTH, magnitude(a))
    smaller = below(a, b - splat(np.float32(2.0)))
    store(out, 4 * WIDTH, among(smaller, a, b))
    one_word, next_word = gather_pairs(whole, truncated(b))
    store(out, 5 * WIDTH, as_floats(one_word * np.int32(100) + next_word))
    bits[0], bits[1], bits[2] = total(a), smaller, bits_set(smaller)


def test_lanes_are_compared_chosen_and_summed_as_arrays_are():
    generator = np.random.default_rng(1)
    first = generator.uniform(-2, 2, 40).astype(np.float32)
    second = generator.uniform(1, 6, 40).astype(np.float32)
    whole = generator.integers(0, 100, 40).astype(np.uint32)
    out, bits = np.empty(6 * WIDTH, np.float32), np.empty(3)
    reductions(first, second, whole, out, bits)
    a, b = first[3 : 3 + WIDTH], second[1 : 1 + WIDTH]
    index, smaller = b.astype(int), a < b - 2
    expected = [first[index], first[index + 1], np.sqrt(b), np.abs(a), np.where(smaller, a, b)]
    expected.append(whole[index] * 100.0 + whole[index + 1])
    np.testing.assert_allclose(out.reshape(6, WIDTH), expected, rtol=1e-6)
    assert 0 < smaller.sum() < WIDTH
    np.testing.assert_allclose(bits, [a.sum(), np.sum(smaller << np.arange(WIDTH)), smaller.sum()], rtol=1e-5)


def test_only_sixteen_elements_are_stored():
    values = np.zeros(20, np.float32)
    add_one(values)
    assert values.tolist() == [0.0] * 2 + [1.0] * WIDTH + [0.0] * 2


@task
def starts(index, out):
    """out int64 [2]: start of the run in the first sixteen, and in the next."""
    out[0], out[1] = start_of_run(load(index, 0)), start_of_run(load(index, WIDTH))


def test_a_run_is_told_from_other_lanes():
    run, out = np.arange(7, 7 + 2 * WIDTH, dtype=np.int32), np.empty(2, np.int64)
    starts(run, out)
    assert out.tolist() == [7, 7 + WIDTH]
    for lane in range(WIDTH):
        other = run.copy()
        other[lane] += 1
        starts(other, out)
        assert out.tolist() == [-1, 7 + WIDTH]
