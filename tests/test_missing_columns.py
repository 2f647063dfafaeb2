"""Tests of `state.missing_columns`: errors about attributes that rows do not have."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework.state import missing_columns
from framework.state.rows import Handle

IMAGE = np.full((4, 4, 4), 255, np.uint8)

Make = Callable[..., Any]


def message(wrong: Callable[[], object]) -> str:
    with pytest.raises(AttributeError) as caught:
        wrong()
    return str(caught.value)


def test_a_missing_column_is_explained_wherever_the_error_is_caught() -> None:
    sprite: Any = fw.SpriteBatch(IMAGE, 1)[0]
    shape: Any = fw.Shapes().add_circle((1, 1), 2)
    instance: Any = fw.MeshBatch(fw.Mesh.box(), 1)[0]
    advice = "make the batch with columns={'shield': 0.0}"
    for row in (sprite, shape, instance):
        with pytest.raises(AttributeError, match=advice):
            _ = row.shield
        with pytest.raises(AttributeError, match=advice):
            row.shield = 3

    def decrease() -> None:
        sprite.stamina -= 1

    assert "columns={'stamina': 0.0}" in message(decrease)
    assert getattr(sprite, "shield", "none") == "none"
    assert not hasattr(sprite, "stamina")
    with pytest.raises(AttributeError) as caught:
        sprite.positon = 3
    assert str(caught.value).endswith("did you mean 'position'?")
    assert message(lambda: sprite.bounce()).startswith("'Sprite' object has no attribute 'bounce'")
    assert "it has " in message(lambda: sprite.bounce())
    assert caught.value.name is None  # Python would append a hint of its own


def test_a_row_with_the_column_is_not_touched() -> None:
    plain: Any = fw.SpriteBatch(IMAGE, 1)[0]
    batch: Any = fw.SpriteBatch(IMAGE, 1, columns={"poison": 3.0})
    assert "columns={'poison': 0.0}" in message(lambda: plain.poison)
    batch[0].poison -= 1
    assert (batch[0].poison, batch.poison.tolist()) == (2, [2])
    later: Any = fw.SpriteBatch(IMAGE, 1, columns={"poison": 3})
    assert later[0].poison == 3
    assert "shadow_of_nothing" not in dir(plain)
    assert "poison" not in dir(plain)
    assert "poison" in dir(batch[0])


def test_rows_of_batches_without_own_columns_have_their_own_words() -> None:
    light: Any = fw.Lights2D().add((1, 1))
    assert "Light2D has no attribute 'poison'" in message(lambda: light.poison)
    assert "columns=" not in message(lambda: light.poison)
    sprite: Any = fw.SpriteBatch(IMAGE, 1)[0]
    sprite.remove()
    assert "columns=" in message(lambda: sprite.poison)


def test_names_in_other_modules_and_in_the_batch_of_a_scene_are_known(make: Make) -> None:
    class Hit(fw.Game):
        words = ""

        def setup(self) -> None:
            crab: Any = self.sprites.add(IMAGE)
            try:
                crab.venom = 3
            except AttributeError as error:
                self.words = str(error)

    assert "columns={'venom': 0.0}" in make(Hit, drawing=False).words


def test_a_module_beside_the_game_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    sources = {
        "makes_a_crab": "def make(fw, image):\n    return fw.SpriteBatch(image, 1)[0]\n",
        "bites_a_crab": "def bite(crab):\n    crab.bites_left -= 1\n",
    }
    modules = {}
    for name, source in sources.items():
        module = modules[name] = ModuleType(name)
        module.__file__ = str(tmp_path / f"{name}.py")
        monkeypatch.setitem(sys.modules, name, module)
        exec(compile(source, module.__file__, "exec"), vars(module))
    crab = modules["makes_a_crab"].make(fw, IMAGE)
    assert "columns={'bites_left': 0.0}" in message(lambda: modules["bites_a_crab"].bite(crab))


def test_access_to_attributes_that_exist_takes_no_hook() -> None:
    """A class with ``__getattr__`` or ``__setattr__`` would be slower for every attribute."""
    kind: Any = fw.SpriteBatch(IMAGE, 1)[0].__class__
    assert kind.__setattr__ is object.__setattr__
    assert kind.__getattribute__ is object.__getattribute__
    assert not hasattr(kind, "__getattr__")


def test_one_function_is_read_once_and_the_names_have_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    declared: list[set[str]] = []
    monkeypatch.setattr(missing_columns, "_declare", declared.append)
    for _ in range(3):
        fw.SpriteBatch(IMAGE)
    assert len(declared) == 1
    assert "SpriteBatch" in declared[0]
    monkeypatch.undo()
    monkeypatch.setattr(missing_columns, "MAX_NAMES", 0)
    name = "_".join(("one", "too", "many"))
    missing_columns._declare({name})
    assert name not in vars(Handle)
