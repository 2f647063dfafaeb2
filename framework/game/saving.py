"""Save attributes of a game and its scenes to a file, and load them again.

The classes of the game list the names of these attributes in ``saved``.
"""

from __future__ import annotations

import errno
import os
import platform
import sys
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .. import checks
from ..errors import AssetError, FrameworkError
from ..other_engines.other_names import Hinted
from ..version import __version__
from . import save_slots

if TYPE_CHECKING:  # only for type checkers: games without saves do not import it
    from pathlib import Path

    from ..motion.tweens import Tween
    from ..record.loading import Filler
    from ..record.routine_loading import RoutineLoading
    from ..record.routine_packing import RoutinePacking, SavedFunctions, SceneOfSave
    from ..record.saves import Save, SaveWriter
    from .game_protocols import RunningScene
    from .loop import Loop
    from .stage import Entry, Stage


class Saves(Hinted, checks.Sealed):
    """Finds the save files of a game, and exports its state to JSON. The attribute `Game.saves` is
    an object of this class.

    To write a save file, call `Game.save`. To load a save file, call `Game.load`.
    """

    __slots__ = ("_loop", "_stage")
    not_state = True
    _advice: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("has", "has_save", "is_file"), "write game.saves.exists(slot)"),
        **dict.fromkeys(("delete", "remove"), "write game.saves.path(slot).unlink()"),
        **dict.fromkeys(("list", "names", "all"), "write game.saves.path().iterdir()"),
        **dict.fromkeys(
            ("read", "write", "get", "set", "store"),
            "write saved = ('score',) in the class, then game.save(slot) and game.load(slot); for a "
            "file of your own, write path = game.saves.path() / 'scores.json'",
        ),
        **dict.fromkeys(("folder", "directory", "dir"), "write game.saves.path()"),
        "slots": "write game.saves.path().iterdir()",
        **dict.fromkeys(
            ("snapshot", "dump", "dumps", "to_bytes", "serialize"), "write game.saves.pack()"
        ),
        **dict.fromkeys(("restore", "loads", "from_bytes"), "write game.saves.unpack(data)"),
        "save": "write game.save(slot)",
        "load": "write game.load(slot)",
    }

    def __init__(self, stage: Stage, loop: Loop) -> None:
        self._stage = stage
        self._loop = loop

    def path(self, slot: str | None = None) -> Path:
        """Return the path of the save ``slot``. There may be no file at this path. Without
        ``slot``, return the folder that contains all saves of this game.
        """
        from pathlib import Path

        name = "" if slot is None else save_slots.slot("slot", slot)
        return Path(self._stage.files.path(name))

    def exists(self, slot: str) -> bool:
        """Return whether the save ``slot`` exists. The save may still be damaged: `Game.load` then
        raises `AssetError`.
        """
        return self.path(save_slots.slot("slot", slot)).is_file()

    def _save(self, slot: str | None, path: str | os.PathLike[str] | None) -> Path:
        from pathlib import Path

        self._stage.live  # noqa: B018
        self._check_not_drawn("save")
        target = save_slots.file_path(slot, path, "save")
        writer, header, tree = self._collected("save")
        return Path(
            self._stage.files.write(target, "save", lambda where: writer.write(where, header, tree))
        )

    def _collected(self, method: str) -> tuple[SaveWriter, dict[str, Any], Any]:
        """Collect all values that a save contains. Return three objects: a writer with the arrays,
        the header of the file, and all other values in JSON form. ``method`` is the name of the
        method that was called, for error messages.
        """
        from ..record.saves import SaveWriter

        writer = SaveWriter(self._routine_packing)
        with self._stage.live.working():
            roots = self._saved_roots(method=method)
            batches = [writer.batches(scene, where) for where, scene in roots.items()]
            pairs = zip(roots.items(), batches, strict=True)
            attributes = [writer.attributes(scene, where, rows) for (where, scene), rows in pairs]
            writer.finish()
        header = self._save_header([*roots.values()][1:])
        return (
            writer,
            header,
            {"batches": batches, "game": attributes[0], "scenes": attributes[1:]},
        )

    def _load(self, slot: str | None, path: str | os.PathLike[str] | None) -> None:
        from ..record.saves import read_save

        self._stage.live  # noqa: B018
        self._check_not_drawn("load")
        where = save_slots.file_path(slot, path, "load")
        try:
            data = self._stage.files.read(where)
        except AssetError as error:
            if slot is not None and os.strerror(errno.ENOENT) in str(error):
                hint = "before self.load(slot), write if self.saves.exists(slot):"
                raise AssetError(f"{error} There is no such save yet; {hint}") from None
            raise
        self._apply(read_save(self._stage.files.resolve(where), data))

    def pack(self) -> bytes:
        """Return a save of the game as bytes, for example to send it to another computer. The bytes
        contain all attributes that the game and its scenes list in ``saved``.

        `pack` does not write a file. If two saves have equal values, and the versions of Python,
        NumPy and Subtick are the same, the bytes are equal, too. Raises `FrameworkError` if a value
        cannot be saved, or if you call `pack` in `draw`.
        """
        self._stage.live  # noqa: B018
        self._check_not_drawn("saves.pack")
        writer, header, tree = self._collected("saves.pack")
        # No date, so that equal states give equal bytes.
        return writer.pack(header | {"written": ""}, tree)

    def unpack(self, data: bytes) -> None:
        """Load bytes that `pack` has returned: write their values to the existing objects of the
        game.

        `unpack` checks the bytes, so you can safely unpack bytes from an untrusted source. The
        unpacked bytes are not part of a recording of the game.

        Raises
        ------
        AssetError
            If the bytes are damaged or from another game, or if they are from an older version and
            `Game.migrations` does not cover that version. The game is then left unchanged.
        FrameworkError
            If you call `unpack` in `draw`.
        """
        from ..record.saves import read_packed

        self._stage.live  # noqa: B018
        self._check_not_drawn("saves.unpack")
        packed = checks.instance("data", data, bytes, what="bytes that saves.pack() returned")
        self._apply(read_packed("data", packed))

    def import_json(self, path: str | os.PathLike[str]) -> None:
        """Load a JSON file that `export_json` has written. You can first change the values in the
        file, for example in a text editor.

        `import_json` checks the file in the same way as `Game.load`, and raises the same errors.
        The file may contain at most 32 MiB and about 1.5 million values. Columns of batches that
        ``saved`` does not list are ignored.
        """
        from ..record.exports import ExportedSave

        self._check_not_drawn("saves.import_json")
        where = save_slots.file_path(None, path, "saves.import_json")
        target = self._stage.files.resolve(where)
        self._apply(ExportedSave(target, self._stage.files.read(where)))

    def _apply(self, save: Save) -> None:
        """Write the values of a save to the objects of the game."""
        from ..record.loading import Filler
        from ..record.saves import broken
        from ..record.unpacking import parts_in

        surface = self._stage.live
        roots = self._saved_roots()
        self._check_save(save, [*roots.values()][1:])
        state, shared = self._migrated(save)
        fail = partial(broken, save)
        rules = [(entry.rules, {**vars(entry.rules)}) for entry in self._stage.stack]
        # A migration can remove routines.
        parts = save.parts if shared is not None else parts_in(state)
        routines = self._routine_loading() if parts else None
        filler = Filler(self._listed("saved_classes"), shared, fail, routines)
        with surface.working():
            try:
                if routines is not None:
                    routines.check(parts, filler.fail)
                self._end_replaced(roots)
                _fill(filler, roots, [state["game"], *state["scenes"]])
            except BaseException:
                filler.undo()
                # Remove schedules that were created only to restore routines.
                for each, before in rules:
                    vars(each).clear()
                    vars(each).update(before)
                raise
        self._stage.resimulation.disturbed = True

    # -- routines ----------------------------------------------------------------------------------

    def _routine_packing(self) -> RoutinePacking:
        from ..record.routine_packing import RoutinePacking

        scenes = self._scenes_of_save()
        return RoutinePacking(self._saved_functions(), scenes, self._named(scenes))

    def _routine_loading(self) -> RoutineLoading:
        from ..record.routine_loading import RoutineLoading

        for entry in self._stage.stack:
            entry.rules.make_routines()
        scenes = self._scenes_by_index() | self._scenes_of_save()
        return RoutineLoading(self._saved_functions(), scenes, self._named(scenes), _load_tween)

    def _named(self, scenes: Mapping[str, SceneOfSave]) -> dict[str, object]:
        """Return a dict that maps names to objects of the game. Saved routines refer by name to the
        objects that the framework's own coroutines, such as `Scene.until`, use.
        """
        named: dict[str, object] = {"pads": self._stage.pads}
        for index, player in enumerate(self._stage.players):
            named[f"players[{index}]"] = player
            named[f"players[{index}].keys"] = player.keys
            named[f"players[{index}].mouse"] = player.mouse
        for name, scene in scenes.items():
            named[name] = scene.scene
            named[f"{name}.rules"] = scene.rules
            if scene.rules.routines is not None:
                named[f"{name}.routines"] = scene.rules.routines
        return named

    def _scenes_of_save(self) -> dict[str, SceneOfSave]:
        """Return the game and its scenes. The keys are the names in saves: "scenes[0]" for the
        game, "scenes[Level]" for the lowest scene of the class `Level`, "scenes[Level 2]" for the
        next scene of this class.

        So a save also fits a stack with other scenes, such as a title menu below the level. If
        classes have equal names, the scenes that declare ``saved`` are counted first.
        """
        from ..record.packing import declared
        from ..record.routine_packing import GAME, SceneOfSave
        from ..record.stable_names import IN_FILES

        game, *above = self._stage.stack
        scenes = {GAME: SceneOfSave(game.scene, game.rules)}
        counts: Counter[str] = Counter()
        for entry in sorted(above, key=lambda entry: not declared(type(entry.scene))):
            name = IN_FILES.name_of(type(entry.scene))
            counts[name] += 1
            suffix = f" {counts[name]}" if counts[name] > 1 else ""
            scenes[f"scenes[{name}{suffix}]"] = SceneOfSave(entry.scene, entry.rules)
        return scenes

    def _scenes_by_index(self) -> dict[str, SceneOfSave]:
        """Return the game and its scenes. The keys are the names in saves of earlier versions: for
        example, "scenes[1]" is the lowest scene on the stack.
        """
        from ..record.routine_packing import SceneOfSave

        return {
            f"scenes[{index}]": SceneOfSave(entry.scene, entry.rules)
            for index, entry in enumerate(self._stage.stack)
        }

    def _listed(self, name: str) -> list[Any]:
        """Return the classes or functions that the game and all scenes list in ``name``. Raise
        `FrameworkError` if a scene lists other values.
        """
        from ..record.routine_packing import is_function

        if name == "saved_classes":
            expected = "a tuple of classes, as in (Enemy,)"
        else:
            expected = "a tuple of functions, as in (intro, Level.play)"
        values: list[Any] = []
        for entry in self._stage.stack:
            listed = getattr(entry.scene, name)
            start = f"{type(entry.scene).__name__}.{name}: expected {expected}, got"
            if not isinstance(listed, Collection) or isinstance(listed, str | bytes | Mapping):
                raise FrameworkError(f"{start} {checks.shown(listed)}")
            for value in listed:
                if not (isinstance(value, type) if name == "saved_classes" else is_function(value)):
                    raise FrameworkError(f"{start} the entry {checks.shown(value)}")
            values += listed
        return values

    def _saved_functions(self) -> SavedFunctions:
        """Return the functions of routines that a save may contain: the `saved_routines` of the
        game and its scenes, and the framework's own coroutines, such as `Scene.until`.
        """
        from ..record.routine_packing import SavedFunctions
        from ..timing.routines import Routines, TaskGroup
        from . import scene_routines
        from .scene import Scene

        own: list[Any] = [
            *(Scene.until, Scene.next, Scene.next_input, Routines.next_event),
            *(scene_routines.condition, scene_routines.next_press, scene_routines.next_input),
            *(TaskGroup.__aenter__, TaskGroup.__aexit__),
        ]
        loading = sys.modules.get("framework.assets.background_loading")
        if loading is not None:  # only if the game loads images in a thread
            own.append(loading.ImageLoading.within)
        return SavedFunctions(self._listed("saved_routines"), own)

    def _end_replaced(self, roots: Mapping[str, RunningScene]) -> None:
        """Cancel the routines in saved attributes, because routines from the save will replace
        them. The ``with`` and ``finally`` blocks of the cancelled routines run before any value is
        loaded.

        Also end the tweens that the cancelled routines await, because they would change the loaded
        values.
        """
        from ..record.packing import declared
        from ..timing.routines import Routine

        values = [
            getattr(scene, name, None) for scene in roots.values() for name in declared(type(scene))
        ]
        replaced = [value for value in values if isinstance(value, Routine)]
        if replaced:
            running = [entry.rules.routines for entry in self._stage.stack]
            tweens = [pair for routines in running if routines for pair in routines.awaited()]
            for routine in replaced:
                routine.cancel()
            for routine, awaited in tweens:
                if routine.over and not isinstance(awaited, Routine):
                    awaited.cancel()

    def _check_not_drawn(self, method: str) -> None:
        if self._stage.painting:
            raise FrameworkError(
                f"{method}: a frame is being drawn; call it in update(), in an event handler, or "
                f"before the next frame: game.call_soon(lambda: game.{method}(…))"
            )

    def export_json(self, path: str | os.PathLike[str]) -> None:
        """Write a JSON file with all values that `Game.save` writes, and with the columns of all
        batches in the scenes.

        The file contains arrays as lists, with their dtype and shape. You can load the file with
        `import_json`. `export_json` raises the same errors as `Game.save`.
        """
        from ..record.atomic_files import write_text
        from ..record.exports import listed, listed_rows, text_of
        from ..record.packing import Packer

        self._stage.live  # noqa: B018
        where = save_slots.file_path(None, path, "saves.export_json")
        packer = Packer(listed, self._routine_packing)
        saved = self._saved_roots(every=False, needed=False)
        # Use the order of a save, because some values refer to earlier values by index.
        batches = [packer.batches(scene, path_in_game) for path_in_game, scene in saved.items()]
        parts = {
            path_in_game: {
                "batches": listed_rows(rows),
                "saved": packer.attributes(scene, path_in_game, rows),
            }
            for (path_in_game, scene), rows in zip(saved.items(), batches, strict=True)
        }
        packer.finish()
        scenes = []
        for path_in_game, entry in zip(
            self._saved_roots(every=True), self._stage.stack, strict=True
        ):
            values = parts.get(path_in_game, {})
            drawn = {
                name: rows
                for name, rows in _drawn_rows(entry).items()
                if name not in values.get("batches", {})
            }
            scenes.append({"class": type(entry.scene).__qualname__, **values, "drawn": drawn})
        text = text_of(self._save_header([]), scenes)
        self._stage.files.write(where, "file", lambda target: write_text(target, text))

    def _saved_roots(
        self, every: bool = False, needed: bool = True, method: str = "save"
    ) -> dict[str, RunningScene]:
        """Return the game and all scenes with saved attributes, in a dict. The keys of the dict are
        paths, such as "game" for the game itself. The dict contains each scene that is on the stack
        and whose class declares ``saved``.

        If ``every`` is True, the dict contains all scenes on the stack. If ``needed`` is True and
        no class declares ``saved``, raise `FrameworkError`.
        """
        from ..record.packing import declared

        on = [entry.scene for entry in self._stage.stack]
        roots = {
            f"game.scenes[{index}]" if index else "game": scene for index, scene in enumerate(on)
        }
        chosen = {
            path_in_game: scene
            for path_in_game, scene in roots.items()
            if every or path_in_game == "game" or declared(type(scene))
        }
        if needed and not every and not any(declared(type(scene)) for scene in chosen.values()):
            name = type(self._stage.game).__name__
            raise FrameworkError(
                f"{method}: {name} declares nothing to be saved; set saved = ('score', 'level')"
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
        """Raise an error if a save belongs to another game or to a newer version of the game. Also
        raise an error if the scenes on the stack are not the scenes in the save.
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
        """Return the values of a save, converted to the current version of the game, and the ``id``
        of each value that several objects share.

        If a migration has run, return None instead of the ids, because a migration can replace
        values.
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
                state = _call_migration(migrate, state)
            except Exception as error:
                raise broken(
                    save, f"migration from version {version}: {type(error).__name__}: {error}"
                ) from error
        if len(state["scenes"]) != len(save.scenes):
            raise broken(
                save, f"it has {len(state['scenes'])} scenes, and names {len(save.scenes)}"
            )
        return state, shared


def _fill(filler: Filler, roots: Mapping[str, RunningScene], saved: Sequence[Any]) -> None:
    """Write the saved values of the game and of its scenes to these objects."""
    values = dict(zip(roots, saved, strict=True))
    # Scene nodes are restored first, because drawables refer to them.
    for at_nodes in (False, True):
        for path_in_game, scene in roots.items():
            filler.batches(scene, values[path_in_game], path_in_game, at_nodes)
    for path_in_game, scene in roots.items():
        filler.attributes(scene, values[path_in_game], path_in_game)
    filler.finish()


def _call_migration(
    migrate: Callable[[dict[str, Any]], dict[str, Any] | None], state: dict[str, Any]
) -> dict[str, Any]:
    """Return the values of a save after a migration, which changes ``state`` or returns new
    values.
    """
    returned = migrate(state)
    state = state if returned is None else returned
    game = state["game"]
    scenes = state["scenes"]
    if not all(isinstance(values, dict) for values in (game, *scenes)):
        raise TypeError("the values of the game and of each scene must be dicts")
    return state


def _drawn_rows(entry: Entry) -> dict[str, Any]:
    """Return the columns of all batches in a scene. The keys are the names of the scene's
    attributes that contain the batches.
    """
    from ..record.exports import listed
    from ..record.packing import saved_columns
    from ..state.rows import table_of

    values = entry.backend.parts() | vars(entry.scene)
    named = {id(value): name for name, value in values.items()}
    tables: dict[str, Any] = {}
    for batch in entry.drawables.batches():
        table = table_of(batch)
        if table is not None:
            table.close_holes()
            name = named.get(id(batch), f"{type(batch).__name__} {len(tables)}").lstrip("_")
            columns = saved_columns(table).items()
            rows = {key: listed(column.current(table.count)) for key, column in columns}
            tables[name] = {"rows": table.count, "columns": rows}
    return tables


def _load_tween(scene: SceneOfSave, values: Mapping[str, Any]) -> Tween:
    """Create a running tween with the values from a save."""
    rules: Any = scene.rules
    tween: Tween = rules.make_tweens().load(rules.make_schedule(), values)
    return tween


def save(saves: Saves, slot: str | None, path: str | os.PathLike[str] | None) -> Path:
    """Write a save file. For details, see `Game.save`."""
    return saves._save(slot, path)


def load(saves: Saves, slot: str | None, path: str | os.PathLike[str] | None) -> None:
    """Load a save file. For details, see `Game.load`."""
    saves._load(slot, path)
