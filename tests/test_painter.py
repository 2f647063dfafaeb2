"""The passes of a frame: a list that is rebuilt only when the game shows something else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pictures import solid

import framework as fw

Make = Callable[..., Any]
MIX = "vec4 transition(vec2 place) { return mix(before(place), after(place), progress); }"


class Boxes(fw.Game):
    def setup(self) -> None:
        self.sprites.add(solid(8, 8), position=(16, 12))
        self.add(fw.SpriteBatch(solid(4, 4), count=1), camera=self.hud)


@pytest.fixture
def game(make: Make) -> Any:
    return make(Boxes, size=(32, 24), tick_rate=10)


def passes(game: Any) -> list[str]:
    """Return the names of the passes of the next frame."""
    game.advance(0.1)
    return [type(step).__name__ for step in game._engine.painter._passes]


PLAIN = ["_Clear", "ScenePass"]
WITH_EFFECTS = ["_ClearLater", "OpenWorld", "ScenePass", "ShowEffects", "ShowWorld"]


def test_a_game_in_the_plane_has_two_passes_and_keeps_them(game: Any) -> None:
    assert passes(game) == PLAIN
    before = game._engine.painter._passes
    game.sprites.add(solid(8, 8))
    game.run(3)
    assert game._engine.painter._passes is before


def test_effects_that_are_enabled_have_passes(game: Any) -> None:
    game.effects = [fw.Vignette()]
    assert passes(game) == WITH_EFFECTS
    game.effects[0].enabled = False
    assert passes(game) == PLAIN


def test_each_visible_scene_has_a_pass(game: Any) -> None:
    pause = fw.Scene()
    game.push(pause)
    assert passes(game) == [*PLAIN, "ScenePass"]
    pause.opaque = True
    assert passes(game) == PLAIN
    pause.effects = [fw.Vignette()]
    assert passes(game) == WITH_EFFECTS
    game.pop()
    assert passes(game) == PLAIN


def test_a_transition_has_passes_until_it_is_over(game: Any) -> None:
    game.push(fw.Scene(), transition=fw.Fade(0.5))
    assert passes(game) == [*PLAIN, "ScenePass", "ShowTransition"]
    for _ in range(6):
        game.advance(0.1)
    assert passes(game) == [*PLAIN, "ScenePass"]
    game.pop(transition=fw.Transition(MIX, 0.5))
    assert passes(game) == ["_Clear", "BeginNew", "ScenePass", "ShowTransition"]
    for _ in range(6):
        game.advance(0.1)
    assert passes(game) == PLAIN


def test_panels_are_painted_last_and_texels_begin_first(make: Make) -> None:
    game = make(Boxes, size=(32, 24), resolution=(32, 24), pixel_art=True)
    assert passes(game) == ["_Clear", "BeginTexels", "ScenePass"]
    game.debug.overlay = True
    assert passes(game) == ["_Clear", "BeginTexels", "ScenePass", "PanelsPass"]


def test_an_added_or_removed_view_changes_the_next_frame(game: Any) -> None:
    def right_half() -> int:
        game.advance(0.1)
        return int((game.pixels()[:, 16:, :3] == (0, 0, 255)).all(axis=2).sum())

    assert right_half() == 0
    view = game.views.add(fw.Camera2D((1, 1)), (0.5, 0, 0.5, 1), background="blue")
    assert right_half() > 300
    game.views.remove(view)
    assert right_half() == 0


def test_alpha_is_the_same_everywhere_in_a_frame(make: Make) -> None:
    class Reads(Boxes):
        def draw(self, alpha: float) -> None:
            moment = self._engine.stage.graphics.moment
            self.read = (alpha, moment.alpha, self.timestep.alpha)

    game = make(Reads, size=(32, 24), tick_rate=10)
    game.advance(0.125)
    assert set(game.read) == {game.timestep.alpha}
    assert 0 < game.timestep.alpha < 1


def test_an_error_in_a_pass_does_not_change_later_frames(game: Any) -> None:
    class Fails(fw.Scene):
        def draw(self, alpha: float) -> None:
            raise KeyError("mine")

    game.advance(0.1)
    before = game.pixels()
    game.effects = [fw.Vignette(0.0)]
    game.push(Fails())
    with pytest.raises(KeyError):
        game.advance(0.1)
    game.pop()
    game.effects = []
    assert passes(game) == PLAIN
    assert (game.pixels() == before).all()
