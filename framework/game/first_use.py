"""Parts of a scene that are made when they are first used: its cameras, world, batches, widgets,
effects and schedule.

Between ticks and in `draw` a part may only be looked at, which must not change the state: a
recording would not verify. What is made then is kept beside the state. The scene uses it once it
was changed, or when a rule asks for it.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, ClassVar

from ..timing.schedule import Schedule
from .stage import Stage

TOP_LAYER = 2**31 - 1


class FirstUse:
    """The part of a `Scene` that makes things when they are first used."""

    _not_hashed: ClassVar[tuple[str, ...]] = ("_untouched",)

    _stage: Stage | None
    _contents: Any
    _rules: Any

    # By name, what was made when it was read between ticks, and its hash then.
    _untouched: dict[str, tuple[Any, int]] | None = None

    def _read(self, name: str) -> Any:
        """Return what has this name, where there is none yet: one that is used from now on.

        Between ticks and in `draw` it may only be looked at, which must not change the state: it is
        then kept beside it, and used once it was changed, or a rule asks for it.
        """
        stage = self._stage
        if stage is None or not stage.between_ticks:
            return self._own(name)
        from ..record.hashes import state_hash

        if self._untouched is None:
            self._untouched = {}
        if name not in self._untouched:
            thing = _MAKERS[name](self)
            if name == "schedule":
                self._rules.untouched = thing
            if name in ("sprites", "labels"):
                with stage.surface.working():
                    self._contents.prepare(thing)
            self._untouched[name] = thing, state_hash({"": thing})
            stage.untouched = True
        thing, before = self._untouched[name]
        if state_hash({"": thing}) != before:
            return self._own(name)
        camera = thing.camera if name == "world" else thing if name in ("camera", "hud") else None
        if camera is not None and camera.view != stage.view:
            camera.view = stage.view
            self._untouched[name] = thing, state_hash({"": thing})
        return thing

    def _own(self, name: str) -> Any:
        """Return what has this name; it is used from now on."""
        thing = _FINDERS[name](self)
        if thing is None:
            made = (self._untouched or {}).pop(name, None)
            thing = _MAKERS[name](self) if made is None else made[0]
            _USERS[name](self, thing)
        return thing

    def _use_read(self, thing: object) -> None:
        """Use a thing from now on, if it was made when it was read between ticks."""
        for name, (made, _) in list((self._untouched or {}).items()):
            if made is thing:
                self._own(name)

    def _use_drawables(self) -> None:
        """Something is added from outside: what was read before it is drawn below it."""
        stage = self._stage
        if stage is not None and stage.between_ticks:
            stage.between_ticks = False  # `_own` adds them itself
            try:
                for name in list(self._untouched or ()):
                    if name in ("world", "sprites", "labels", "ui"):
                        self._own(name)
            finally:
                stage.between_ticks = True

    def _use_touched(self) -> None:
        """Use what was made when it was read between ticks, if it was changed since."""
        if self._untouched:
            from ..record.hashes import state_hash

            for name, (thing, before) in list(self._untouched.items()):
                if _FINDERS[name](self) is thing:
                    self._untouched.pop(name, None)
                elif state_hash({"": thing}) != before:
                    self._own(name)


def _new_camera(scene: Any) -> Any:
    from ..plane.camera2d import Camera2D

    return Camera2D(scene._contents.size)


def _new_world(scene: Any) -> Any:
    from ..space.world import World

    return World()


def _new_sprites(scene: Any) -> Any:
    from ..plane.sprites import SpriteBatch

    return SpriteBatch()


def _new_labels(scene: Any) -> Any:
    from ..text.text import TextBatch

    return TextBatch()


def _new_ui(scene: Any) -> Any:
    from ..ui.interface import Interface

    stage, contents = scene._found(), scene._contents
    copy, folders = stage.files.copy, stage.graphics.folders
    return Interface(contents, folders, copy, magnified=stage.magnified).face


def _new_effects(scene: Any) -> Any:
    from ..gpu.grading import EffectList

    return EffectList(scene._contents.prepare_effects)


def _use_camera(scene: Any, camera: Any) -> None:
    scene._camera = camera
    scene._contents.watch(camera)


def _use_hud(scene: Any, camera: Any) -> None:
    scene._contents.hud = camera
    scene._contents.watch(camera)


def _use_world(scene: Any, world: Any) -> None:
    scene._world = scene.add(world)


def _use_sprites(scene: Any, sprites: Any) -> None:
    scene._sprites = scene.add(sprites)


def _use_labels(scene: Any, labels: Any) -> None:
    scene._labels = scene.add(labels, camera=scene._own("hud"))


def _use_ui(scene: Any, ui: Any) -> None:
    from ..ui.interface import interface_of

    interface = interface_of(ui)
    scene.add(interface.canvas, camera=scene._own("hud"), layer=TOP_LAYER)
    scene._contents.ui = interface


def _use_effects(scene: Any, effects: Any) -> None:
    scene._contents.effects = effects
    scene._contents.prepare_effects(list(effects))


def _use_schedule(scene: Any, schedule: Any) -> None:
    scene._rules.untouched = schedule
    scene._rules.make_schedule()


# What a scene makes when it is first used: how to find it, how to make it, and how to use it.
_FINDERS: dict[str, Callable[[Any], Any]] = {
    "camera": attrgetter("_camera"),
    "world": attrgetter("_world"),
    "sprites": attrgetter("_sprites"),
    "labels": attrgetter("_labels"),
    "hud": attrgetter("_contents.hud"),
    "ui": lambda scene: getattr(scene._contents.ui, "face", None),
    "effects": attrgetter("_contents.effects"),
    "schedule": attrgetter("_rules.schedule"),
}
_MAKERS: dict[str, Callable[[Any], Any]] = {
    "camera": _new_camera,
    "world": _new_world,
    "sprites": _new_sprites,
    "labels": _new_labels,
    "hud": _new_camera,
    "ui": _new_ui,
    "effects": _new_effects,
    "schedule": lambda scene: Schedule(),
}
_USERS: dict[str, Callable[[Any, Any], None]] = {
    "camera": _use_camera,
    "world": _use_world,
    "sprites": _use_sprites,
    "labels": _use_labels,
    "hud": _use_hud,
    "ui": _use_ui,
    "effects": _use_effects,
    "schedule": _use_schedule,
}
