"""Names in hashes and files: renamed classes and attributes change neither."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import state_names
from pictures import blob, solid

import framework as fw
from framework.models.parts import Part
from framework.record import hashes, kinds, stable_names, walk
from framework.record.packing import declared, saved_rows
from framework.space.lights import Lights
from framework.state.columns import Table
from framework.state.rows import rows_can_be_saved

Make = Callable[..., Any]


def test_the_list_has_the_names_of_all_classes_and_attributes_with_state() -> None:
    messages = state_names.differences(state_names.listed())
    assert not messages, state_names.advice(messages)


def test_the_list_has_the_current_scheme() -> None:
    assert json.loads(state_names.LIST.read_text())["scheme"] == hashes.SCHEME


def columns_in_source() -> set[str]:
    """Return the names that the framework passes to `TableColumn`."""
    sources = [path.read_text("utf-8") for path in state_names.PACKAGE.rglob("*.py")]
    return {name for text in sources for name in re.findall(r'\bTableColumn\(\s*"(\w+)"', text)}


def test_tables_name_only_classes_and_attributes_that_exist() -> None:
    today = state_names.definitions()
    assert [*stable_names.KINDS, *stable_names.FILE_KINDS] == [
        name for name in (*stable_names.KINDS, *stable_names.FILE_KINDS) if name in today
    ]
    for name, fields in stable_names.FIELDS.items():
        classes = state_names.classes_by_name([name])[name]
        names = {field for cls in classes for field in (*state_names._set_by(cls), *vars(cls))}
        if any(issubclass(cls, Table) for cls in classes):  # columns of batches
            names |= columns_in_source()
        slots = {f"_{field}" for field in names}  # of settings, which are descriptors
        assert fields.keys() <= names | slots, name


# -- errors of the list ----------------------------------------------------------------------------


def _names(**changes: list[str] | None) -> state_names.Names:
    """Return the list with other attributes of some classes, and without classes whose value is
    None."""
    names = state_names.listed() | changes
    return {name: fields for name, fields in names.items() if fields is not None}


def test_a_renamed_attribute_is_named_with_its_entry() -> None:
    fields = state_names.listed()["Streams"]
    messages = state_names.differences(_names(Streams=[*fields, "tallies"]))
    assert len(messages) == 1
    assert messages[0].startswith("Streams.tallies: the attribute is gone.")
    assert '"Streams": {"new_name": "tallies"}' in messages[0]
    remaining = [field for field in fields if field != "counts"]
    (said_of_it,) = state_names.differences(_names(Streams=sorted([*remaining, "tallies"])))
    assert '"Streams": {"counts": "tallies"},' in said_of_it
    assert state_names.TABLE in said_of_it
    assert "--write" in state_names.advice([said_of_it])


def test_an_added_attribute_is_named() -> None:
    messages = state_names.differences(_names(Streams=[]))
    assert messages == ["Streams: new are _keys, counts; see below"]


def test_a_removed_class_is_named_with_its_entry() -> None:
    messages = state_names.differences(_names(Brooks=["counts"]))
    assert '"NewName": "Brooks"' in messages[0]
    assert state_names.unlisted([fw.Game, fw.SpriteBatch]) == []


def test_a_class_without_an_entry_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    names = _names(Camera2D=None)
    monkeypatch.setattr(state_names, "listed", lambda: names)
    (messages,) = state_names.unlisted([fw.Camera2D, fw.Game])
    assert messages.startswith("Camera2D: framework.")


def test_writing_the_list_again_does_not_change_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "names.json"
    copy.write_text(state_names.LIST.read_text())
    monkeypatch.setattr(state_names, "LIST", copy)
    state_names.write([])
    assert json.loads(copy.read_text()) == json.loads(
        Path(state_names.__file__).with_suffix(".json").read_text()
    )


# -- renaming --------------------------------------------------------------------------------------


class Ship:
    __module__ = "framework.tests"  # as if the class were a part of the framework

    def __init__(self, speed: float) -> None:
        self.fuel = 3
        self.speed = speed

    def land(self) -> None:
        """Land. The state contains this bound method."""


class Vessel:
    __module__ = "framework.tests"
    __slots__ = ("fuel", "pace")

    def __init__(self, speed: float) -> None:
        self.fuel = 3
        self.pace = speed

    def land(self) -> None:
        """Land. The state contains this bound method."""


for _kind in (Ship, Vessel):
    _kind.__qualname__ = _kind.__name__
    _kind.land.__qualname__ = f"{_kind.__name__}.land"  # type: ignore[attr-defined]
    _kind.land.__module__ = "framework.tests"  # type: ignore[attr-defined]


def _forget() -> None:
    walk._hashed.clear()
    kinds._column_names.cache_clear()
    kinds.describer_of.cache_clear()
    stable_names.StableNames.field_names.cache_clear()
    stable_names.StableNames.fields_by_name.cache_clear()


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that sets tables of names, and restore the tables after the test."""

    def put(**columns: Any) -> None:
        for name, table in columns.items():
            names = stable_names.IN_FILES if name.startswith("FILE_") else stable_names.IN_HASHES
            monkeypatch.setattr(names, name.removeprefix("FILE_").lower(), table)
            monkeypatch.setattr(stable_names, name, table)
        _forget()

    _forget()
    yield put
    monkeypatch.undo()
    _forget()


def hashed(value: Any) -> int:
    return hashes.state_hash({"x": value})


def test_a_renamed_class_and_a_renamed_attribute_keep_their_hashes(tables: Any) -> None:
    before = hashed([Ship(2.0), Ship, Ship(2.0).land])
    assert hashed([Vessel(2.0), Vessel, Vessel(2.0).land]) != before
    tables(KINDS={"Vessel": "Ship", "Vessel.land": "Ship.land"}, FIELDS={"Ship": {"pace": "speed"}})
    assert hashed([Vessel(2.0), Vessel, Vessel(2.0).land]) == before
    assert hashed([Vessel(3.0), Vessel, Vessel(2.0).land]) != before


def test_a_listing_has_the_current_names(tables: Any) -> None:
    tables(KINDS={"Vessel": "Ship"}, FIELDS={"Ship": {"pace": "a_speed"}})
    leaves = hashes.listing({"x": Vessel(2.0)})
    assert leaves["x.pace"] == 2.0
    assert leaves["x.fuel"] == 3


def test_names_of_classes_of_the_game_are_not_translated(tables: Any) -> None:
    class Vessel:
        def __init__(self) -> None:
            self.pace = 2.0

    Vessel.__qualname__ = "Vessel"
    before = hashed(Vessel())
    tables(KINDS={"Vessel": "Ship"}, FIELDS={"Ship": {"pace": "speed"}})
    assert hashed(Vessel()) == before


def test_a_renamed_column_keeps_its_hash_and_its_file(
    make: Make, tables: Any, tmp_path: Path
) -> None:
    class Fleet(fw.Game):
        saved = ("fleet", "sparks")

        def setup(self) -> None:
            self.fleet = self.add(fw.SpriteBatch(solid(2, 2), count=2))
            self.sparks = self.add(fw.Particles(blob(4), capacity=4))

    game: Any = make(Fleet)
    game.fleet.angle[:] = 1.0
    before = game.state_hash()
    # As if `angle` and `_held` of the particles had other names when the file was written.
    old = {"SpriteBatch": {"angle": "heading"}, "Sparks": {"_held": "_kept"}}
    tables(FILE_FIELDS=old, FILE_KINDS={"Particles": "Sparks"})
    game.save(path=tmp_path / "old")
    values = fw.Save(tmp_path / "old").values()["game"]
    assert "heading" in values["fleet"].columns
    assert values["sparks"].name == "Sparks"
    assert [*values["sparks"].values] == ["_kept"]
    game.fleet.angle[:] = 0.0
    game.load(path=tmp_path / "old")
    assert game.fleet.angle.tolist() == [1.0, 1.0]
    assert game.state_hash() == before
    tables(FIELDS={"Transforms2D": {"angle": "heading"}, "Table": {"angle": "heading"}})
    assert game.state_hash() != before  # the name is part of the hash


# -- files -----------------------------------------------------------------------------------------

IN_FILES = {
    "MeshBatch": {"color", "position", "rotation", "scale", "visible"},
    "Billboards": {"angle", "color", "image", "position", "size"},
    "Nodes2D": {"angle", "parent", "position", "scale"},
    "Nodes3D": {"parent", "position", "rotation", "scale"},
    "Transforms2D": {"angle", "position", "scale"},
    "Transforms3D": {"position", "rotation", "scale"},
    "Lights2D": {
        "angle",
        "color",
        "cone",
        "flicker",
        "flicker_rate",
        "height",
        "intensity",
        "position",
        "radius",
        "seed",
        "shadows",
        "softness",
        "visible",
    },
    "Lights": {"angle", "color", "direction", "intensity", "position", "range", "softness"},
    "Crowd": {
        "animation",
        "animation_before",
        "animation_fade",
        "animation_faded",
        "animation_loop",
        "animation_loop_before",
        "animation_speed",
        "animation_speed_before",
        "animation_time_before",
        "color",
        "position",
        "rotation",
        "scale",
        "time",
        "visible",
    },
    "ModelBatch": {"color", "played", "plays", "position", "rotation", "scale", "times", "visible"},
    "SpriteBatch": {
        "angle",
        "color",
        "flip",
        "image",
        "layer",
        "position",
        "scale",
        "tags",
        "velocity",
        "visible",
    },
    "Ribbon": {"color", "position", "width"},
}
"""Names in files of the columns of the framework's batches. One that is renamed gets an entry in
`FILE_FIELDS`, and stays here."""


def _batches() -> list[Any]:
    mesh = fw.Mesh.cube()
    image = solid(2, 2)
    return [
        fw.MeshBatch(mesh, 1),
        fw.Billboards(image, count=1),
        fw.Nodes2D(),
        fw.Nodes3D(),
        fw.Transforms2D(),
        fw.Transforms3D(),
        fw.Lights2D(),
        Lights(),
        fw.ModelBatch(fw.Model.of([Part(mesh, fw.Material(), [0])]), 1),
        fw.Crowd(fw.Model.of([Part(mesh, fw.Material(), [0])]), 1),
        fw.SpriteBatch(image, count=1, motion="hermite", tags=("foe",)),
        fw.Ribbon(points=[(0, 0), (1, 1)]),
    ]


def test_columns_have_their_names_in_files() -> None:
    columns = {}
    for batch in _batches():
        if rows_can_be_saved(batch):
            names = stable_names.IN_FILES.field_names(type(batch))
            columns[type(batch).__name__] = {names.get(name, name) for name in saved_rows(batch)}
    assert columns == IN_FILES


def test_names_of_particles_in_files_are_unchanged() -> None:
    names = stable_names.IN_FILES.field_names(fw.Particles)
    assert [names.get(name, name) for name in declared(fw.Particles)] == ["_held"]
    assert stable_names.IN_FILES.name_of(fw.Particles) == "Particles"
    assert stable_names.IN_FILES.name_of(fw.Particles3D) == "Particles3D"
