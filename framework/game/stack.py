"""Scenes on top of each other: which are put on and taken off, and when."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from .. import checks
from .scene import Scene, scene_works
from .stage import Entry, Stage

if TYPE_CHECKING:
    from ..gpu.transitions import Transition


class SceneStack:
    """The scenes that are on; the game is the lowest. Within a tick or `draw`, a change waits for
    its end.
    """

    def __init__(self, stage: Stage, game: Scene) -> None:
        self._stage = stage
        stage.on.append(_entry(game))

    @property
    def top(self) -> Scene:
        """The scene on top: the game itself when no other is on."""
        scene = self._stage.on[-1].scene
        assert isinstance(scene, Scene)
        return scene

    def push(self, scene: Scene, transition: Transition | None = None) -> None:
        """Put a scene on top."""
        _check(scene)
        self._switch(transition, lambda: self._push(scene))

    def pop(self, transition: Transition | None = None) -> None:
        """Take the top scene off."""
        self._switch(transition, self._pop)

    def show(self, scene: Scene, transition: Transition | None = None) -> None:
        """Put a scene on in place of all others but the game."""
        _check(scene)
        self._switch(transition, lambda: self._show(scene))

    def _switch(self, transition: Transition | None, change: Callable[[], None]) -> None:
        stage = self._stage
        if transition is None:
            stage.switch(change)
            return
        from ..gpu.transitions import Transition  # few games have any

        checks.instance(
            "transition", transition, Transition, hint="say fw.Fade(0.4), fw.Wipe(), fw.Iris(), …"
        )
        if stage.graphics.drawing:
            from ..gpu.passes import EffectChain

            with stage.surface.working():
                EffectChain.of(stage.graphics).prepare([transition])
        stage.switch(lambda: self._cross(transition, change))

    def _cross(self, transition: Transition, change: Callable[[], None]) -> None:
        """Make a change of scenes, and go over from what is seen before it to what is seen after
        it.
        """
        crossing = self._stage.capture(transition)
        try:
            change()
        except BaseException:
            if crossing is not None:
                crossing.release()
            raise
        self._stage.cross(crossing)

    def start(self, scene: Scene) -> Entry:
        """Set a scene up; it is not on yet."""
        stage = self._stage
        scene_works(scene).put_on(stage)
        entry = _entry(scene)
        scene.setup()
        for camera in entry.contents.cameras:
            camera.teleport()  # where setup left it is where it starts
        return entry

    def _push(self, scene: Scene) -> None:
        entry = self._set_up(scene)
        self._leave_for(scene)
        self._stage.on.append(entry)
        scene.enter()

    def _pop(self) -> None:
        if len(self._stage.on) == 1:
            raise ValueError("pop: no scene is on but the game itself")
        self.top.leave()
        self._take_off()
        self.top.enter()

    def _show(self, scene: Scene) -> None:
        stage = self._stage
        entry = self._set_up(scene)
        self._leave_for(scene)
        while len(stage.on) > 1:
            self._take_off()
        stage.on.append(entry)
        scene.enter()
        stage.after_frame = (
            stage.after_frame or stage.collector.renew
        )  # another level: little of the old is left

    def _set_up(self, scene: Scene) -> Entry:
        scene_works(scene).check_free()
        with _taken_off_again(scene):
            return self.start(scene)

    def _leave_for(self, scene: Scene) -> None:
        with _taken_off_again(scene):
            self.top.leave()

    def _take_off(self) -> None:
        self._stage.on.pop().works.take_off()

    def release(self) -> None:
        """Take all scenes off, the game last."""
        with ExitStack() as ending:  # one that fails does not keep the others from being released
            for entry in self._stage.on:
                ending.callback(entry.works.take_off)


@contextmanager
def _taken_off_again(scene: Scene) -> Iterator[None]:
    """When what is done within fails, nothing has changed."""
    try:
        yield
    except BaseException:
        with suppress(Exception):
            scene_works(scene).take_off()
        raise


def _entry(scene: Scene) -> Entry:
    works = scene_works(scene)
    return Entry(scene, works.contents, works)


def _check(scene: object) -> None:
    checks.instance("scene", scene, Scene)
