"""One sprite overlaps the same sprites as among many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_overlaps import batch

from framework import collide
from framework.geometry import overlaps


@pytest.mark.parametrize("exact", [False, True])
def test_one_sprite_overlaps_the_same_as_in_columns(
    monkeypatch: pytest.MonkeyPatch, exact: bool
) -> None:
    random = np.random.default_rng(1)
    single = overlaps._overlaps_of_single
    count = quick = 0

    def counted(*arguments: Any) -> Any:
        nonlocal quick
        result = single(*arguments)
        quick += result is not None
        return result

    def compare(*arguments: Any, **options: Any) -> None:
        nonlocal count
        monkeypatch.setattr(overlaps, "_overlaps_of_single", lambda *arguments: None)
        with collide.exact.chosen(exact):
            expected = collide.overlaps(*arguments, **options)
            monkeypatch.setattr(overlaps, "_overlaps_of_single", counted)
            rows = collide.overlaps(*arguments, **options)
        assert rows.dtype == expected.dtype
        assert rows.shape == expected.shape
        assert rows.tolist() == expected.tolist()
        count += len(rows)

    for number in range(24):
        anchor = (None, (2.0, 3.0))[number % 2]
        sprite_batch = batch(random, 1, number % 3 == 0, anchor)
        many_sprites = batch(random, 1 + number, number % 4 == 0, anchor)
        many_sprites.position[:] /= 3
        if number % 6 == 1:  # edges that touch exactly
            for sprites in (sprite_batch, many_sprites):
                sprites.scale[:] = 1
                sprites.position[:] = np.round(sprites.position)
        if number % 5 == 2:
            many_sprites.position[0] = random.choice([np.nan, np.inf])
            many_sprites.scale[-1] = random.choice([np.nan, np.inf, 0])
        if number % 8 == 3:
            sprite_batch.scale[:] = np.nan
        compare(sprite_batch, many_sprites)
        compare(sprite_batch[0], many_sprites)
        compare(many_sprites, sprite_batch)
        compare(many_sprites, many_sprites, rows=[number // 2], other_rows=slice(None))
        compare(many_sprites, sprite_batch, rows=[0, number])
        compare(many_sprites, other_rows=[number // 3])
    assert count > 80
    assert quick > 60


@pytest.mark.parametrize("spread", [1.0, 30.0])
def test_one_upright_sprite_overlaps_the_same_sprites_as_in_columns(
    monkeypatch: pytest.MonkeyPatch, spread: float
) -> None:
    random = np.random.default_rng(2)
    hits = 0
    for anchor in (None, (2.0, 3.0)):
        single = batch(random, 1, False, anchor)
        many_sprites = batch(random, 40, False, anchor)
        for sprites in (single, many_sprites):
            sprites.angle[:] = 0
            sprites.position[:] = random.uniform(0, 1, (len(sprites), 2)) * (spread, 30)
        with monkeypatch.context() as patch:
            patch.setattr(overlaps, "_overlaps_of_single", lambda *arguments: None)
            expected = collide.overlaps(single[0], many_sprites).tolist()
        assert collide.overlaps(single[0], many_sprites).tolist() == expected
        hits += len(expected)
    assert hits > 2


def test_one_sprite_overlaps_nothing_in_an_empty_batch() -> None:
    random = np.random.default_rng(1)
    single = batch(random, 1, True)
    assert collide.overlaps(single, batch(random, 0, True)).shape == (0, 2)
    assert collide.overlaps(batch(random, 0, False), single).shape == (0, 2)
    assert collide.overlaps(single).shape == (0, 2)


def test_one_sprite_overlaps_the_sprites_of_its_own_batch() -> None:
    sprites = batch(np.random.default_rng(1), 30, False)
    sprites.position[:] /= 4
    expected = [pair for pair in collide.overlaps(sprites).tolist() if 3 in pair]
    partners = sorted(row for pair in expected for row in pair if row != 3)
    assert len(partners) > 2
    assert collide.overlaps(sprites[3], sprites).tolist() == [[3, row] for row in partners]
    assert collide.overlaps(sprites, sprites[3]).tolist() == [[row, 3] for row in partners]


def test_a_sprite_with_an_infinite_box_overlaps_nothing() -> None:
    random = np.random.default_rng(1)
    for turned in (False, True):
        for name in ("scale", "position"):
            for value in (np.inf, -np.inf, np.nan):
                single = batch(random, 1, turned)
                many_sprites = batch(random, 13, False)
                single.image[0] = 0  # an image around its own center
                getattr(single, name)[0] = value
                with np.errstate(invalid="ignore"):
                    assert collide.overlaps(single, many_sprites).tolist() == []
                    assert collide.overlaps(many_sprites, single).tolist() == []
                    assert collide.overlaps(single[0], many_sprites[3]).tolist() == []
