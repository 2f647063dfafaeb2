"""Views: areas, cameras, layers, mouse input, textures and effects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from drawings import drawing, driven
from pictures import solid

import framework as fw
from framework.gpu.graphics import shared_of
from framework.state.rows import table_of

RED, GREEN, BLUE = (255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255)


class Split(fw.Game):
    """Two halves, a map in the corner of the right half, and a sign on the HUD that was added
    first."""

    def setup(self) -> None:
        self.sign = self.add(fw.SpriteBatch(solid(4, 4, GREEN), 1), camera=self.hud)
        self.sign.position = (48, 20)
        self.boxes = self.add(fw.SpriteBatch(solid(10, 10, RED), 1))
        self.boxes.position = (30, 20)
        self.left = self.views.add(self.camera, (0, 0, 0.5, 1), background="#222222")
        self.second = fw.Camera2D((1, 1))
        self.second.position = (30, 20)
        self.right = self.views.add(self.second, (0.5, 0, 0.5, 1))
        self.above = fw.Camera2D((1, 1))
        self.above.position, self.above.zoom = (30, 20), 0.5
        self.map = self.views.add(self.above, (72, 36, 20, 16), background="#0000ff")


def split(**options: Any) -> Split:
    return Split(size=(96, 54), headless=True, background="#000", **options)


@pytest.fixture(scope="module")
def game() -> Iterator[Split]:
    with split() as game:
        game.advance(1 / 60)
        yield game


def at(game: fw.Game, x: float, y: float) -> tuple[int, ...]:
    picture = game.pixels()
    return tuple(picture[int(len(picture) - y), int(x)].tolist())


def test_each_view_shows_the_scene_through_its_camera(game: Split) -> None:
    assert at(game, 30, 20) == RED  # in the left half, whose camera was never moved
    assert at(game, 72, 27) == RED  # in the center of the right half
    assert at(game, 82, 44) == RED  # in the center of the map
    assert at(game, 74, 38) == BLUE
    assert at(game, 10, 40) == (34, 34, 34, 255)
    assert at(game, 94, 50) == (0, 0, 0, 255)
    # over both halves, though it was added first
    assert at(game, 47, 20) == at(game, 49, 20) == GREEN


def test_a_batch_in_three_views_is_uploaded_once(game: Split) -> None:
    class Plain(Split):
        def setup(self) -> None:
            super().setup()
            for view in self.views:
                self.views.remove(view)

    with Plain(size=(96, 54), headless=True) as plain, split() as views:
        sums = []
        for split_game in (plain, views):
            split_game.advance(1 / 60)
            start = drawing(split_game.boxes).handover.uploaded
            split_game.boxes.position[:, 0] += 5
            split_game.advance(1 / 60)
            sums.append((start, drawing(split_game.boxes).handover.uploaded - start))
        assert sums[0] == sums[1]
        assert sums[0][1] > 0
        before = drawing(views.boxes).handover.uploaded
        views.advance(0)
        assert drawing(views.boxes).handover.uploaded == before


def test_a_view_lists_only_its_public_names() -> None:
    settings = {"area", "background", "camera", "effects", "layers", "mouse_handler", "visible"}
    names = {"box", "hud", "size", "texture"}
    conversions = {"from_local", "ray", "to_local", "to_screen", "to_world"}
    public = {name for name in dir(fw.View) if not name.startswith("_")}
    assert public == settings | names | conversions
    texture = fw.RenderTexture((8, 8))
    assert {name for name in dir(texture) if not name.startswith("_")} == {"depth", "size"}


def test_positions_belong_to_the_topmost_view(game: Split) -> None:
    assert tuple(game.views) == (game.left, game.right, game.map)
    assert game.views.at(82, 44) is game.map
    assert game.views.at(60, 44) is game.right
    assert game.views.at(47.9, 0) is game.left
    assert game.views.at(96, 0) is None
    assert game.map.to_world(82, 44) == pytest.approx((30, 20))
    assert game.map.to_world(83, 44) == pytest.approx((32, 20))
    assert game.right.to_world(72, 27) == pytest.approx((30, 20))
    assert game.right.to_local(50, 3) == (2, 3)
    assert game.map.to_screen((32, 20)) == pytest.approx((83, 44))
    with pytest.raises(TypeError, match="to_world"):
        game.map.ray(80, 40)


def test_areas_in_fractions_follow_the_size_and_areas_in_units_are_cut() -> None:
    class Small(Split):
        def setup(self) -> None:
            super().setup()
            self.near = self.add(fw.SpriteBatch(solid(2, 2, GREEN), 1), camera=self.right.hud)
            self.near.position = (1, 1)

    with Small(size=(96, 54), headless=True) as game:
        game.advance(1 / 60)
        assert at(game, 49, 1) == GREEN  # in the corner of its view
        assert game.right.size == (48, 54)
        game._engine.stage.resized(80, 40)
        game._engine.stage.receive_event(("on_resize", 80, 40))
        game.advance(1 / 60)
        assert game.right.size == (40, 40)
        assert game.second.view.viewport == (40, 0, 40, 40)
        assert game.map.size == (8, 4)
        assert at(game, 60, 20) == RED
        assert at(game, 41, 1) == GREEN
        game._engine.stage.resized(60, 20)
        game._engine.stage.receive_event(("on_resize", 60, 20))
        game.advance(1 / 60)  # the map is outside the picture
        assert at(game, 45, 10) == RED
        assert game.views.at(59, 19) is game.right


def test_a_view_draws_only_its_layers() -> None:
    class Layers(fw.Game):
        def setup(self) -> None:
            for layer, color in enumerate((RED, BLUE)):
                self.add(fw.SpriteBatch(solid(8, 8, color), 1), layer=layer).position = (20, 20)
            self.views.add(self.camera, (0, 0, 0.5, 1), layers=range(1))
            second = fw.Camera2D((1, 1))
            second.position = (20, 20)
            self.right = self.views.add(second, (0.5, 0, 0.5, 1), layers=[1])
            backdrop = self.add(fw.SpriteBatch(solid(96, 54, GREEN), 1), camera=self.hud, layer=-1)
            backdrop.position = (48, 27)

    with Layers(size=(96, 54), headless=True) as game:
        game.advance(1 / 60)
        assert [at(game, *position) for position in ((20, 20), (72, 27), (90, 50))] == [
            RED,
            BLUE,
            GREEN,
        ]
        game.right.visible = False
        game.advance(1 / 60)
        assert at(game, 72, 27) == GREEN
        assert game.views.at(72, 27) is None


def test_a_world_is_drawn_from_two_sides_with_sprites_over_both() -> None:
    class Space(fw.Game):
        def setup(self) -> None:
            for x, color in ((-2.0, (1, 0, 0, 1)), (2.0, (0, 0, 1, 1))):
                box = self.add(fw.MeshBatch(fw.Mesh.box(), 1, material=fw.Material(unlit=True)))
                box.position, box.color = (x, 0, 0), color
            self.add(fw.SpriteBatch(solid(4, 4, GREEN), 1)).position = (48, 27)
            for part, side in ((0.0, -2.0), (0.5, 2.0)):
                camera = self.world.camera if side < 0 else fw.Camera3D()
                camera.position = (side, 0, 3)
                self.views.add(camera, (part, 0, 0.5, 1))

    with Space(size=(96, 54), headless=True) as game:
        game.advance(1 / 60)
        assert [at(game, *position) for position in ((24, 27), (72, 27), (48, 27))] == [
            RED,
            BLUE,
            GREEN,
        ]
        start, direction = game.views[1].ray(72, 27)
        assert start == pytest.approx((2, 0, 3))
        assert direction == pytest.approx((0, 0, -1))


def test_views_are_restored_by_snapshots_also_with_a_render_scale() -> None:
    with split(render_scale=0.5) as game:
        game.advance(1 / 60)
        assert at(game, 72, 27) == RED
        snapshot, state = game.snapshot(), game.state_hash()
        picture = game.pixels()
        game.left.area = (0, 0, 0.25, 1)
        game.views.remove(game.right)
        game.views.remove(game.map)
        assert game.state_hash() != state
        game.restore(snapshot)
        assert tuple(game.views) == (game.left, game.right, game.map)
        assert game.state_hash() == state
        game.advance(0)
        assert np.array_equal(game.pixels(), picture)
        for view in game.views:
            game.views.remove(view)
        game.advance(1 / 60)
        assert at(game, 30, 20)[0] > 200
        assert at(game, 72, 27) == (0, 0, 0, 255)
        with pytest.raises(ValueError, match="not one of this scene"):
            game.views.remove(game.map)


@pytest.mark.parametrize(
    ("area", "says"),
    [
        ((0, 0, 0, 1), "above 0"),
        ((0, 0, 1, -1), "above 0"),
        ((0.5, 0, 0.6, 1), "within the screen"),
        ((-1, 0, 20, 20), "within the screen"),
        ((90, 0, 20, 20), "96 × 54 units"),
        ((0, 0, float("nan"), 1), "area"),
        ((0, 0, 1), "area"),
    ],
)
def test_invalid_areas_are_refused_and_change_nothing(game: Split, area: Any, says: str) -> None:
    before, cameras = tuple(game.views), list(game._backend.drawables.cameras)
    with pytest.raises(ValueError, match=says):
        game.views.add(fw.Camera2D((1, 1)), area)
    snapshot = game.map.area
    with pytest.raises(ValueError, match=says):
        game.map.area = area
    assert (tuple(game.views), game._backend.drawables.cameras, game.map.area) == (
        before,
        cameras,
        snapshot,
    )


def test_a_camera_has_one_view(game: Split) -> None:
    with pytest.raises(ValueError, match="needs its own camera"):
        game.views.add(game.camera)
    with pytest.raises(TypeError, match="camera"):
        game.views.add("camera")  # type: ignore[arg-type]
    assert len(game.views) == 3


def test_a_new_camera_of_a_view_is_used_at_once() -> None:
    with split() as game:
        game.advance(1 / 60)
        cut = fw.Camera2D((1, 1))
        cut.position, cut.zoom = (30, 22), 2
        game.right.camera = cut
        assert game.right.to_world(72, 27) == pytest.approx((30, 22))
        assert game.second.view.size == (96, 54)
        game.advance(1 / 60)
        assert [at(game, *position) for position in ((72, 27), (63, 14), (61, 14))] == [
            RED,
            RED,
            (0, 0, 0, 255),
        ]
        cut.x += 8
        game.advance(1 / 60)
        game.advance(1 / 60)
        assert (at(game, 65, 20), at(game, 67, 20)) == (RED, (0, 0, 0, 255))
        cameras = list(game._backend.drawables.cameras)
        for camera, error in ((game.camera, ValueError), ("camera", TypeError)):
            with pytest.raises(error, match="camera"):
                game.right.camera = camera
        assert (game.right.camera, game._backend.drawables.cameras) == (cut, cameras)
        with pytest.raises(AttributeError):
            game.right.texture = None
        space = fw.Camera3D()
        snapshot = game.snapshot()
        game.right.camera = space
        game.advance(1 / 60)
        with pytest.raises(TypeError, match="ray"):
            game.right.to_world(72, 27)
        game.restore(snapshot)
        assert game.right.camera is cut
        game.views.remove(game.right)
        game.right.camera = game.second  # the camera of a removed view may be used again
        game.advance(1 / 60)


def test_lights_are_drawn_in_views_and_a_view_may_exclude_them(make: Any) -> None:
    """A batch of lights is drawn in two halves, with shadows, in draw order. The map shows only
    lower layers."""

    class Lit(fw.Game):
        def setup(self) -> None:
            for camera, layer, color, position in (
                (None, 0, (128, 128, 128, 255), (48, 27)),
                (self.hud, 0, GREEN, (48, 2)),
                (None, 2, BLUE, (22, 27)),
            ):
                size = (4, 4) if layer or camera else (192, 108)
                self.add(
                    fw.SpriteBatch(solid(*size, color), 1), camera=camera, layer=layer
                ).position = position
            self.lights = self.add(fw.Lights2D(ambient=(0.1, 0.1, 0.2)), layer=1)
            self.lamp = self.lights.add((20, 20), (1, 0.8, 0.5), 40)
            self.lights.walls = np.array([[(30.3, 14), (30.3, 30)]])
            self.left = self.views.add(self.camera, (0, 0, 0.5, 1))
            second, above = fw.Camera2D((1, 1)), fw.Camera2D((1, 1))
            second.position, above.position = (34, 24), (20, 20)
            self.right = self.views.add(second, (0.5, 0, 0.5, 1))
            self.map = self.views.add(above, (76, 40, 16, 12), layers=[0])
            self.add(
                fw.SpriteBatch(solid(4, 4, RED), 1), camera=self.left.hud, layer=2
            ).position = (3, 50)
            self.left.effects = [fw.Effect(SWAP)]

    def right(game: Lit) -> None:
        for view, conversions in ((game.left, (8, 26, 40)), (game.right, (54, 66, 74, 92))):
            for x in conversions:
                for y in (8, 18, 30):
                    expected = 128 * game.lights.at(
                        view.to_world(x + 0.5, y + 0.5), game.timestep.alpha
                    )
                    if view is game.left:
                        expected = expected[::-1]
                    assert at(game, x, y + 0.5)[:3] == pytest.approx(expected, abs=2), (x, y)

    game = make(Lit, size=(96, 54), tick_rate=10)
    game.advance(0.1)
    right(game)
    assert [at(game, 78, 42), at(game, 48, 2.5), at(game, 22, 27.5)] == [
        (128, 128, 128, 255),
        GREEN,
        RED,
    ]
    assert at(game, 3, 50.5) == BLUE  # over the light, with the effects of the view
    before = driven(game.lights).uploaded_bytes
    game.lamp.position = 24, 22
    game.advance(0.1)
    game.advance(0.05)
    right(game)  # between two ticks
    assert driven(game.lights).uploaded_bytes - before == 8 * table_of(game.lights).capacity
    game.map.layers = None
    game.advance(0.1)
    assert at(game, 90, 42)[:3] == pytest.approx(
        128 * game.lights.at(game.map.to_world(90.5, 42.5)), abs=2
    )


class NotingHandler:
    """A handler that notes mouse events and keeps them."""

    keeps = True

    def __init__(self) -> None:
        self.events: list[tuple[Any, ...]] = []

    def on_mouse_press(self, *event: Any) -> bool:
        self.events.append(("press", *event))
        return self.keeps

    def on_mouse_drag(self, *event: Any) -> bool:
        self.events.append(("drag", *event[:2]))
        return self.keeps

    def on_mouse_release(self, *event: Any) -> bool:
        self.events.append(("release", *event[:2]))
        return self.keeps

    def on_mouse_scroll(self, *event: Any) -> None:
        self.events.append(("scroll", *event))


def test_a_view_has_its_own_mouse_handler() -> None:
    class NotingGame(NotingHandler, Split):
        def __init__(self, **options: Any) -> None:
            Split.__init__(self, **options)
            self.events = []

    with NotingGame(size=(96, 54), headless=True) as game:
        game.advance(1 / 60)
        map_handler = game.map.mouse_handler = NotingHandler()

        def feed(*events: tuple[Any, ...]) -> None:
            game.testing.feed(list(events))
            game.run_ticks(1)

        feed(
            ("on_mouse_press", 82, 44, 1, 0),
            ("on_mouse_drag", 60, 20, 0, 0, 1, 0),
            ("on_mouse_scroll", 75, 38, 0, 1),
        )
        snapshot, state = game.snapshot(), game.state_hash()
        feed(("on_mouse_release", 60, 20, 1, 0), ("on_mouse_drag", 82, 44, 1, 1, 1, 0))
        expected = [
            ("press", 10, 8, 1, 0),
            ("drag", -12, -16),
            ("scroll", 3, 2, 0, 1),
            ("release", -12, -16),
        ]
        assert map_handler.events == expected
        # events that the handler did not keep
        assert game.events == [("scroll", 75, 38, 0, 1), ("drag", 82, 44)]
        game.restore(snapshot)
        assert game.state_hash() == state
        # a release goes to the handler of the press, also after a restore
        feed(("on_mouse_release", 60, 20, 1, 0))
        assert game.map.mouse_handler.events[-1] == ("release", -12, -16)
        game.map.mouse_handler.keeps = False
        feed(("on_mouse_press", 82, 44, 1, 0))
        game.views.remove(game.map)
        feed(("on_mouse_release", 82, 44, 1, 0))
        assert game.events[-2:] == [("press", 82, 44, 1, 0), ("release", 82, 44)]
        for bad in ("map", object()):
            with pytest.raises(TypeError, match="mouse_handler"):
                game.right.mouse_handler = bad
        assert game.right.mouse_handler is None


class PointerHandler:
    """A handler that notes mouse positions in its view and in the world."""

    def __init__(self, view: Any) -> None:
        self.view, self.events = view, []  # type: ignore[var-annotated]
        view.mouse_handler = self

    def on_mouse_enter(self, x: float, y: float) -> None:
        self.events.append("enter")

    def on_mouse_leave(self, x: float, y: float) -> None:
        self.events.append("leave")

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> bool:
        self.events.append((button, *self.view.to_world(*self.view.from_local(x, y))))
        return True

    def on_mouse_drag(
        self, x: float, y: float, dx: float, dy: float, buttons: int, modifiers: int
    ) -> bool:
        self.events.append(("drag", buttons))
        return True

    def on_mouse_release(self, x: float, y: float, button: int, modifiers: int) -> bool:
        self.events.append(("up", button))
        return True


def test_each_view_receives_its_own_buttons_and_pointer_and_world_positions() -> None:
    with Split(size=(96, 54), headless=True) as game:
        game.advance(1 / 60)
        left, right = PointerHandler(game.left), PointerHandler(game.right)

        def send(*events: tuple[Any, ...]) -> tuple[list[Any], list[Any]]:
            left.events.clear()
            right.events.clear()
            game.testing.feed(list(events))
            game.run_ticks(1)
            return left.events, right.events

        world = game.left.to_world(10, 20)
        assert send(("on_mouse_motion", 10, 20, 1, 0), ("on_mouse_press", 10, 20, 1, 0)) == (
            ["enter", (1, *world)],
            [],
        )
        across = send(("on_mouse_press", 60, 20, 4, 0), ("on_mouse_drag", 61, 20, 1, 0, 5, 0))
        # the drag began on the left
        assert across == (["leave", ("drag", 5)], ["enter", (4, *game.right.to_world(60, 20))])
        assert send(("on_mouse_release", 60, 20, 1, 0), ("on_mouse_drag", 10, 20, 1, 0, 4, 0)) == (
            [("up", 1), "enter"],
            ["leave", ("drag", 4)],
        )
        # The release went to another scene: the next press is not a drag there.
        assert send(("on_mouse_motion", 10, 21, 0, 1), ("on_mouse_release", 60, 20, 4, 0)) == (
            ["leave"],
            ["enter"],
        )
        assert send(("on_mouse_leave", 60, 20)) == ([], ["leave"])
        send(("on_mouse_press", 60, 20, 1, 0))
        game.views.remove(game.right)
        assert send(("on_mouse_drag", 10, 20, 1, 0, 1, 0)) == (["enter"], [])


class Screen(fw.Game):
    """A camera into a texture, which a sprite in the corner and a plane in space display."""

    def setup(self) -> None:
        self.boxes = self.add(fw.SpriteBatch(solid(8, 8, RED), 1))
        self.boxes.position = (60, 40)
        self.texture = fw.RenderTexture((16, 8))
        camera = fw.Camera2D((1, 1))
        camera.position = (64, 42)  # the box is at the lower left of the screen
        self.spy = self.views.add(camera, texture=self.texture, layers=[0], background="#0000ff")
        self.screen = self.add(
            fw.SpriteBatch([solid(2, 2), self.texture], 1, filter="nearest"), layer=1
        )
        self.screen.image, self.screen.position = 1, (20, 20)
        second = fw.World()
        self.add(second, layer=2)
        second.camera.ortho_height = 54
        second.camera.position = (0, 0, 10)
        material = fw.Material(base_texture=self.texture, unlit=True)
        quad = second.add(fw.MeshBatch(fw.Mesh.plane((16, 8)), 1, material=material))
        quad.position = (-30, 20, 0)
        quad.rotation = (np.sqrt(0.5), 0, 0, np.sqrt(0.5))


def test_a_view_into_a_texture_has_the_size_of_the_texture() -> None:
    with Screen(size=(96, 54), drawing=False) as game:
        game.run_ticks(1)
        assert game.screen.images.size(1) == (16, 8)
        assert game.screen[0].width == 16


def test_sprites_and_materials_show_the_texture_of_a_view() -> None:
    with Screen(size=(96, 54), headless=True) as game:
        game.advance(1 / 60)
        for x, y in ((20, 20), (18, 47)):  # the centers of the sprite and of the plane
            assert at(game, x - 6, y - 2) == RED
            assert at(game, x + 3, y - 2) == BLUE
            assert at(game, x - 6, y + 3)[2] > 200
        assert at(game, 60, 40) == RED  # and the whole picture still shows the scene
        game.boxes.position = (70, 40)
        game.boxes.teleport(slice(None))
        game.advance(0)
        assert at(game, 14, 18) == BLUE
        assert at(game, 26, 18) == RED
        game.views.remove(game.spy)
        game.advance(1 / 60)
        assert at(game, 26, 18) == RED  # the last picture


def test_a_view_that_shows_itself_is_refused_and_changes_nothing() -> None:
    with Screen(size=(96, 54), headless=True) as game:
        game.advance(1 / 60)
        for layers in (None, [0, 1], [2]):
            game.spy.layers = layers
            if layers != [2]:
                state = game.state_hash()
                with pytest.raises(
                    fw.FrameworkError, match="with the texture that the view is drawn to"
                ):
                    game.advance(0)
                assert game.state_hash() == state
        game.spy.layers = [0]
        game.advance(1 / 60)
        assert at(game, 14, 18) == RED


def test_shaders_that_sample_their_own_target_are_refused(make: Any) -> None:
    game, texture = make(size=(16, 16)), fw.RenderTexture((8, 8))
    view = game.views.add(fw.Camera2D((1, 1)), texture=texture, layers=[0])
    seen = "uniform sampler2D seen; vec4 {}(vec2 place) {{ return texture(seen, place); }}"
    view.effects = [fw.Effect(seen.format("effect"), seen=texture)]
    with pytest.raises(fw.FrameworkError, match="an effect reads the texture"):
        game.advance(0)
    view.effects = []
    game.add(fw.FullscreenQuad(seen.format("fill"), seen=texture), camera=game.camera)
    with pytest.raises(fw.FrameworkError, match="shows a FullscreenQuad"):
        game.advance(0)
    view.layers = [1]
    game.advance(0)


def test_textures_without_size_or_of_another_view_are_refused() -> None:
    for size in ((0, 8), (8, -1), (1 << 15, 8)):
        with pytest.raises(ValueError, match="size"):
            fw.RenderTexture(size)
    with Screen(size=(96, 54), headless=True) as game:
        with pytest.raises(ValueError, match="needs its own texture"):
            game.views.add(fw.Camera2D((1, 1)), texture=game.texture)
        with pytest.raises(TypeError, match="texture"):
            game.views.add(fw.Camera2D((1, 1)), texture="ship.png")
        with pytest.raises(TypeError, match="cannot be cut"):
            fw.Region(game.texture, (0, 0, 1, 1))
        for value in (
            fw.Backdrop(game.texture),
            fw.TileLayer(fw.TileSet([game.texture], (16, 8)), [[1]]),
        ):
            with pytest.raises(
                TypeError, match="image: a RenderTexture is drawn while the game runs"
            ):
                game.add(value)
        assert len(game.views) == 1
        game.add(fw.Ribbon(game.texture, points=[(5, 5), (9, 5)], width=2), layer=0)
        with pytest.raises(fw.FrameworkError, match="Ribbon with the texture"):
            game.advance(0)


# -- effects ---------------------------------------------------------------------------------------

SWAP = "vec4 effect(vec2 place) { return picture(place).bgra; }"


def test_a_view_has_its_own_effects() -> None:
    with split() as game:
        game.advance(1 / 60)
        plain = game.pixels()
        game.map.effects = [fw.Effect(SWAP)]
        game.right.effects.append(fw.Vignette(0.0))
        game.advance(1 / 60)
        assert at(game, 82, 44) == BLUE  # the box in the map
        assert at(game, 74, 38) == RED  # and the background of the map
        picture = game.pixels()
        picture[2:18, 72:92] = plain[2:18, 72:92]
        assert np.abs(picture.astype(int) - plain).max() <= 1
        game.map.effects[0].enabled = False
        game.right.effects = []
        game.advance(1 / 60)
        assert (game.pixels() == plain).all()
        assert game.picture.ctx.error == "GL_NO_ERROR"
        with pytest.raises(fw.ShaderError, match="'nope' undeclared"):
            game.map.effects.append(fw.Effect("vec4 effect(vec2 place) { return nope; }"))
        with pytest.raises(TypeError, match="effects: expected an Effect"):
            game.map.effects = ["bloom"]
        assert len(game.map.effects) == 1


def test_effects_of_views_are_state_and_interpolated() -> None:
    paint = "uniform vec3 tint; vec4 effect(vec2 place) { return vec4(tint, 1.0); }"

    class Paints(Split):
        def update(self, dt: float) -> None:
            self.paint.tint = (self.tick / 4, 0, 0)

    with Paints(size=(96, 54), headless=True, tick_rate=10) as game:
        game.paint = fw.Effect(paint)
        bare = game.state_hash()
        game.map.effects = [game.paint]
        assert game.state_hash() != bare
        game.run_ticks(1)
        snapshot, first = game.snapshot(), game.state_hash()
        game.advance(0)
        game.advance(0.05)
        assert at(game, 82, 44)[0] == pytest.approx(255 / 8, abs=1)
        game.run_ticks(2)
        del game.map.effects[:]
        game.restore(snapshot)
        assert (list(game.map.effects), game.state_hash()) == ([game.paint], first)
        game.advance(0)
        game.timestep.paused = True
        game.paint.tint = (0, 1, 0)
        game.advance(0)
        assert at(game, 82, 44) == GREEN


def test_effects_of_views_work_with_scale_samples_texels_textures_and_effects_of_the_scene() -> (
    None
):
    screen = fw.RenderTexture((20, 16))

    class Screen(Split):
        def setup(self) -> None:
            super().setup()
            camera = fw.Camera2D((1, 1))
            camera.position = (30, 20)
            view = self.views.add(camera, texture=screen, background="#0000ff")
            view.effects = [fw.Effect(SWAP)]
            self.add(fw.SpriteBatch(screen, 1), camera=self.hud, layer=3).position = (12, 44)
            self.map.effects = [fw.Effect(SWAP), fw.Bloom(0.0)]

    for options in (
        {"samples": 4, "render_scale": 0.5},
        {"pixel_art": True, "resolution": (96, 54)},
    ):
        with Screen(size=(96, 54), headless=True, background="#000", **options) as game:
            for _ in range(2):
                game.advance(1 / 60)
            assert at(game, 82, 44)[:3] == pytest.approx(BLUE[:3], abs=2)
            assert at(game, 12, 44) == BLUE  # the box in the texture
            assert at(game, 4, 38) == RED  # and the background of the texture
            game.effects = [fw.Effect(SWAP)]
            game.advance(1 / 60)
            assert at(game, 82, 44)[:3] == pytest.approx(RED[:3], abs=2)
            assert game.picture.ctx.error == "GL_NO_ERROR"


def test_bloom_of_a_view_of_space_uses_its_light() -> None:
    class Sky(fw.Game):
        def setup(self) -> None:
            self.world.sky = (30.0, 30.0, 30.0)
            self.left, self.right = [
                self.views.add(fw.Camera3D(), (x, 0, 0.5, 1)) for x in (0, 0.5)
            ]

    with Sky(size=(32, 16), headless=True) as game:
        game.left.effects = [fw.Bloom(0.5, threshold=6.0)]
        game.right.effects = [fw.Vignette(0.0)]
        game.advance(0)
        snapshot = [
            key
            for key in shared_of(game.picture.graphics).chain._textures._cached
            if key[0] == "canvas"
        ]
        assert [key[-1] for key in snapshot] == ["f2", "f1"]
        assert (game.pixels() == 255).all()
        assert not game.picture.graphics.moment.above_white
        assert game.picture.ctx.error == "GL_NO_ERROR"


def test_a_game_may_call_its_view_view(make: Any) -> None:
    class Split(fw.Game):
        def setup(self) -> None:
            self.view = self.views.add(fw.Camera2D((48, 48)), (0, 0, 0.5, 1))

    game = make(Split, size=(96, 48))
    assert game.view in game.views
    assert game.picture.screen_mapping.size == (96, 48)
