"""Saving: write the attributes that a game and its scenes declare in ``saved`` to a file, and load
this file.
"""

from __future__ import annotations

import math
import os
import platform
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..errors import FrameworkError
from ..other_names import Hinted
from ..version import __version__

if TYPE_CHECKING:  # not loaded by games without saves
    from pathlib import Path

    from ..record.saves import Save
    from .game_protocols import RunningScene
    from .loop import Loop
    from .stage import Stage


class Saves(Hinted, checks.Sealed):
    """The folder of a game's save files, and an export of the state: `Game.saves`. `Game.save`
    writes a save file, and `Game.load` reads it.
    """

    __slots__ = ("_loop", "_stage")
    not_state = True
    _advice: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(
            ("exists", "has", "has_save", "is_file"), "write game.saves.path(name).exists()"
        ),
        **dict.fromkeys(("delete", "remove"), "write game.saves.path(name).unlink()"),
        **dict.fromkeys(("list", "names", "all"), "write game.saves.path().iterdir()"),
        "save": "write game.save(name)",
        "load": "write game.load(name)",
    }

    def __init__(self, stage: Stage, loop: Loop) -> None:
        self._stage = stage
        self._loop = loop

    def path(self, path: str | os.PathLike[str] = "") -> Path:
        """Return the path of a save file. If ``path`` is a name without a folder, the file is in
        the folder of this game in the user's data folder.
        """
        from pathlib import Path

        return Path(self._stage.files.path(checks.path("path", path)))

    def _save(self, path: str | os.PathLike[str]) -> Path:
        from pathlib import Path

        from ..record.saves import SaveWriter

        surface = self._stage.live
        self._check_not_drawn("save")
        if os.path.basename(checks.path("path", path)) in ("", ".", ".."):
            raise checks.wrong_value("path", "the name of a file", path)
        writer = SaveWriter()
        with surface.working():
            roots = self._saved_roots()
            batches = [writer.batches(scene, where) for where, scene in roots.items()]
            pairs = zip(roots.items(), batches, strict=True)
            attributes = [writer.attributes(scene, where, rows) for (where, scene), rows in pairs]
            writer.finish()
        header = self._save_header([*roots.values()][1:])
        tree = {"batches": batches, "game": attributes[0], "scenes": attributes[1:]}
        return Path(
            self._stage.files.write(
                os.fspath(path), "save", lambda where: writer.write(where, header, tree)
            )
        )

    def _load(self, path: str | os.PathLike[str]) -> None:
        from ..record.loading import Filler
        from ..record.saves import broken, read_save

        surface = self._stage.live
        self._check_not_drawn("load")
        where = checks.path("path", path)
        save = read_save(self._stage.files.place(where), self._stage.files.read(where))
        roots = self._saved_roots()
        self._check_save(save, [*roots.values()][1:])
        state, shared = self._migrated(save)
        filler = Filler(self._stage.game.saved_classes, shared, partial(broken, save))
        with surface.working():
            try:
                values = dict(zip(roots, [state["game"], *state["scenes"]], strict=True))
                for at_nodes in (False, True):  # nodes first, because drawables refer to them
                    for path_in_game, scene in roots.items():
                        filler.batches(scene, values[path_in_game], path_in_game, at_nodes)
                for path_in_game, scene in roots.items():
                    filler.attributes(scene, values[path_in_game], path_in_game)
                filler.finish()
            except BaseException:
                filler.undo()
                raise
        self._stage.resimulation.disturbed = True

    def _check_not_drawn(self, method: str) -> None:
        if self._stage.painting:
            raise FrameworkError(
                f"{method}: a frame is being drawn; call it in update(), in an event handler, or "
                f"before the next frame: game.call_soon(lambda: game.{method}(…))"
            )

    def export_json(self, path: str | os.PathLike[str]) -> None:
        """Write the values that `save` writes, and the columns of all drawn batches, as JSON for
        other programs.

        Arrays are written as lists, with their dtype and shape. `Game.load` cannot read the
        exported file. `export_json` raises the same errors as `save`.
        """
        from ..record.atomic_files import write_text
        from ..record.packing import Packer

        self._stage.live  # noqa: B018
        where = checks.path("path", path)
        packer = Packer(_listed)
        roots = self._saved_roots(every=True)
        batches = [packer.batches(scene, path_in_game) for path_in_game, scene in roots.items()]
        exported = []
        for (path_in_game, scene), rows, drawn in zip(
            roots.items(), batches, self._drawn(), strict=True
        ):
            undrawn = {name: rows for name, rows in rows.items() if name not in drawn}
            values = undrawn | packer.attributes(scene, path_in_game, rows)
            exported.append({"class": type(scene).__name__, "saved": values, "drawn": drawn})
        packer.finish()
        import json

        text = json.dumps(self._save_header([]) | {"scenes": exported}, indent=1, allow_nan=False)
        text = _FLAT.sub(lambda flat: f"[{' '.join(flat[1].split())}]", text) + "\n"
        self._stage.files.write(where, "file", lambda target: write_text(target, text))

    def _saved_roots(self, every: bool = False) -> dict[str, RunningScene]:
        """Return a dict from paths such as "game" to the game, and to the scenes on the stack whose
        classes have ``saved``.
        """
        from ..record.packing import declared

        on = [entry.scene for entry in self._stage.on]
        roots = {
            f"game.scenes[{index}]" if index else "game": scene for index, scene in enumerate(on)
        }
        chosen = {
            path_in_game: scene
            for path_in_game, scene in roots.items()
            if every or path_in_game == "game" or declared(type(scene))
        }
        if not every and not any(declared(type(scene)) for scene in chosen.values()):
            name = type(self._stage.game).__name__
            raise FrameworkError(
                f"save: {name} declares nothing to be saved; set saved = ('score', 'level')"
            )
        return chosen

    def _save_header(self, scenes: list[RunningScene]) -> dict[str, Any]:
        kind = type(self._stage.game)
        return {
            "kind": "save",
            "game": f"{kind.__module__}:{kind.__qualname__}",
            "version": checks.whole("saved_version", self._stage.game.saved_version, 1),
            "tick": self._loop.tick,
            "scenes": [type(scene).__qualname__ for scene in scenes],
            "written": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "versions": {
                "subtick": __version__,
                "python": platform.python_version(),
                "numpy": np.__version__,
            },
        }

    def _check_save(self, save: Save, scenes: list[RunningScene]) -> None:
        """Raise an error unless the save belongs to this game, with the scenes that are now on the
        stack.
        """
        from ..record.saves import broken

        name = save.game.partition(":")[2]
        if name != type(self._stage.game).__qualname__:
            raise broken(
                save,
                f"this is a save of {checks.shown(name)}, not of {type(self._stage.game).__qualname__}",
            )
        version = checks.whole("saved_version", self._stage.game.saved_version, 1)
        if save.version > version:
            newer = f"it is of version {save.version} of the game, and this is version {version}"
            raise broken(save, f"{newer}; a newer one wrote it")
        on = [type(scene).__qualname__ for scene in scenes]
        if save.scenes != on:
            was, now = (", ".join(names) or "no scene" for names in (save.scenes, on))
            raise broken(
                save,
                f"it has {checks.shown(was)} above the game, but {now} is on; put the same scenes "
                "on, then load",
            )

    def _migrated(self, save: Save) -> tuple[dict[str, Any], set[int] | None]:
        """Return the values of a save, converted to this version of the game, and the ids of values
        that several objects share.

        After a migration the ids are None, because the migration may have replaced objects.
        """
        from ..record.saves import broken, unpack

        shared: set[int] | None
        state, shared = unpack(save)
        for version in range(save.version, self._stage.game.saved_version):
            migrate = self._stage.game.migrations.get(version)
            if migrate is None:
                raise broken(
                    save,
                    f"it is of version {save.version} of the game, and migrations has no {version}",
                )
            shared = None
            try:
                returned = migrate(state)
                state = state if returned is None else returned
                game = state["game"]
                scenes = state["scenes"]
                if not all(isinstance(values, dict) for values in (game, *scenes)):
                    raise TypeError("the values of the game and of each scene must be dicts")
            except Exception as error:
                raise broken(
                    save, f"migration from version {version}: {type(error).__name__}: {error}"
                ) from error
        if len(state["scenes"]) != len(save.scenes):
            raise broken(
                save, f"it has {len(state['scenes'])} scenes, and names {len(save.scenes)}"
            )
        return state, shared

    def _drawn(self) -> list[dict[str, Any]]:
        """Return the columns of the drawn batches of each scene, by the name of the attribute that
        refers to the batch.
        """
        from ..record.packing import saved_columns
        from ..state.rows import table_of

        scenes = []
        for entry in self._stage.on:
            values = entry.backend.parts() | vars(entry.scene)
            named = {id(value): name for name, value in values.items()}
            tables: dict[str, Any] = {}
            for batch in entry.drawables.batches():
                table = table_of(batch)
                if table is not None:
                    if table.holes:
                        table.close_holes()
                    name = named.get(id(batch), f"{type(batch).__name__} {len(tables)}").lstrip("_")
                    columns = saved_columns(table).items()
                    listed = {key: _listed(column.current(table.count)) for key, column in columns}
                    tables[name] = {"rows": table.count, "columns": listed}
            scenes.append(tables)
        return scenes


def save(saves: Saves, path: str | os.PathLike[str]) -> Path:
    """Write a save file; see `Game.save`."""
    return saves._save(path)


def load(saves: Saves, path: str | os.PathLike[str]) -> None:
    """Load a save file; see `Game.load`."""
    saves._load(path)


# lists of numbers that json writes with one number per line
_FLAT = re.compile(r"\[\s+([^\[\]{}\"]*?)\s+\]")


def _listed(values: NDArray[Any]) -> dict[str, Any]:
    """Return an array as a dict that is readable in JSON."""
    plain: object = values.tolist()
    if values.dtype.hasobject:  # a column of objects
        plain = [_plain(value) for value in values.tolist()]
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        plain = _finite(plain)
    return {"dtype": str(values.dtype), "shape": list(values.shape), "values": plain}


def _plain(value: object) -> object:
    """Return a value that JSON has, or the name of its class for any other value."""
    if isinstance(value, float):
        return _finite(value)
    plain = value is None or isinstance(value, str | int)
    return value if plain else f"<{type(value).__name__}>"


def _finite(value: object) -> object:
    """Replace infinity and NaN in a value by strings, because JSON has no such numbers."""
    if isinstance(value, list):
        values: list[object] = value
        return [_finite(item) for item in values]
    return value if isinstance(value, float) and math.isfinite(value) else repr(value)
