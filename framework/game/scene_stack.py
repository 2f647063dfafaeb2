"""Push, pop and replace the scenes of a game, with or without transitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from .. import checks
from ..motion import camera_base
from . import misspelled_names, unadded_batches
from .scene import Scene, scene_backend
from .stage import Entry, Stage

if TYPE_CHECKING:
    from ..gpu.transitions import Transition


class SceneStack:
    """The scene stack of a game, with the game itself as the lowest scene. Changes requested in a
    tick or in `draw` are made at the end of the tick or the frame.
    """

    def __init__(self, stage: Stage, game: Scene) -> None:
        self._stage = stage
        stage.stack.append(_entry(game))

    @property
    def top(self) -> Scene:
        """The scene on top of the stack, or the game itself if there is no other scene."""
        scene = self._stage.stack[-1].scene
        assert isinstance(scene, Scene)
        return scene

    def push(self, scene: Scene, transition: Transition | None = None) -> None:
        """Put a scene on top of the stack."""
        _check(scene)
        self._switch(transition, lambda: self._push(scene))

    def pop(self, transition: Transition | None = None) -> None:
        """Remove the top scene from the stack."""
        self._switch(transition, self._pop)

    def show(self, scene: Scene, transition: Transition | None = None) -> None:
        """Remove all scenes except the game from the stack, and put ``scene`` on the stack."""
        _check(scene)
        self._switch(transition, lambda: self._show(scene))

    def _switch(self, transition: Transition | None, change: Callable[[], None]) -> None:
        stage = self._stage
        if transition is None:
            stage.switch(change)
            return
        from ..gpu.transitions import Transition  # imported here because few games use transitions

        checks.instance(
            "transition", transition, Transition, hint="say fw.Fade(0.4), fw.Wipe(), fw.Iris(), …"
        )
        if stage.graphics.drawing:
            from ..gpu.passes import EffectChain

            with stage.surface.working():
                EffectChain.of(stage.graphics).prepare([transition])
        stage.switch(lambda: self._cross(transition, change))

    def _cross(self, transition: Transition, change: Callable[[], None]) -> None:
        """Call ``change``, a function that changes the scene stack, and start a transition. The
        transition blends from an image of the old scenes to the new scenes.
        """
        active = self._stage.capture(transition)
        try:
            change()
        except BaseException:
            if active is not None:
                active.release()
            raise
        self._stage.cross(active)

    def start(self, scene: Scene) -> Entry:
        """Call the ``setup`` of a new scene. Return an `Entry` for the stack: the scene, its
        drawables and its backend.
        """
        stage = self._stage
        scene_backend(scene).attach(stage)
        entry = _entry(scene)
        outer = stage.created
        created: list[tuple[Any, str, int]] = []
        stage.created = created
        try:
            scene.setup()
        finally:
            stage.created = outer
        misspelled_names.remark(scene, entry.drawables.ui)
        unadded_batches.remark_dropped(f"{type(scene).__name__}.setup", created, set())
        for camera in entry.drawables.cameras:
            camera_base.start_at_goal(camera)
        return entry

    def _push(self, scene: Scene) -> None:
        entry = self._set_up(scene)
        self._leave_for(scene)
        self._stage.stack.append(entry)
        scene.on_enter()

    def _pop(self) -> None:
        if len(self._stage.stack) == 1:
            raise ValueError("pop: no scene is on but the game itself")
        self.top.on_exit()
        self._remove_top()
        self.top.on_enter()

    def _show(self, scene: Scene) -> None:
        stage = self._stage
        entry = self._set_up(scene)
        self._leave_for(scene)
        while len(stage.stack) > 1:
            self._remove_top()
        stage.stack.append(entry)
        scene.on_enter()
        # The game probably no longer uses most objects of its previous level, so garbage can be
        # collected now.
        stage.after_frame = stage.after_frame or stage.collector.renew

    def _set_up(self, scene: Scene) -> Entry:
        scene_backend(scene).check_free()
        with _detached_on_error(scene):
            return self.start(scene)

    def _leave_for(self, scene: Scene) -> None:
        with _detached_on_error(scene):
            self.top.on_exit()

    def _remove_top(self) -> None:
        self._stage.stack.pop().backend.detach()

    def release(self) -> None:
        """Called when the game ends. Remove all scenes from the stack, the game itself last."""
        with ExitStack() as ending:  # an error in one release must not prevent the others
            for entry in self._stage.stack:
                ending.callback(entry.backend.detach)


@contextmanager
def _detached_on_error(scene: Scene) -> Iterator[None]:
    """Return a context manager for starting a scene. If the code in the ``with`` block raises an
    error, the scene is disconnected from the stage.
    """
    try:
        yield
    except BaseException:
        with suppress(Exception):
            scene_backend(scene).detach()
        raise


def _entry(scene: Scene) -> Entry:
    backend = scene_backend(scene)
    return Entry(scene, backend.drawables, backend)


def _check(scene: object) -> None:
    checks.instance("scene", scene, Scene)
