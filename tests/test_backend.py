"""Frontends and backends: the objects of a game, and the objects that its frames draw."""

from __future__ import annotations

import gc
import json
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawings import driven
from pictures import solid

import framework as fw
from framework.plane.sprite_drawing import SpriteSizes, drawing_of
from framework.space.solids import SolidBackend
from framework.state.backend import (
    Backend,
    Frontend,
    backend_of,
    end_backend,
    new_backend,
    placement_of,
)
from framework.state.columns import Table
from framework.state.rows import RowSet, table_of

Make = Callable[..., Any]


def backends_match(game: Any) -> bool:
    """Whether the list of backends matches the list of drawables, entry for entry."""
    drawables = game._backend.drawables
    return len(drawables.drawn) == len(drawables.driven) and all(
        backend.frontend is drawable
        and backend_camera is camera
        and driven(drawable) in (backend, drawable)
        for (drawable, camera), (backend, backend_camera) in zip(
            drawables.drawn, drawables.driven, strict=True
        )
    )


class EmptyGame(fw.Game):
    pass


def test_dir_lists_only_names_for_games() -> None:
    driven_names = {name for name in vars(Backend) if name[0] != "_"} - {"not_state", "frontend"}
    for kind in (fw.SpriteBatch, fw.VertexSprites, fw.NodeSprites, fw.SpriteSegments):
        names = {name for name in dir(kind) if name[0] != "_"}
        assert not names & driven_names
        assert not names & {"table", "attach", "hand_over", "handle", "room_for", "not_state"}
        assert len(names) <= 50
    for kind in (fw.Shapes, fw.Polygons, fw.Ribbon, fw.Trail):
        names = {name for name in dir(kind) if name[0] != "_"}
        assert not names & driven_names
        assert not names & {
            "attach",
            "hand_over",
            "made_gpu",
            "contours",
            "uploaded_bytes",
            "bands",
        }
    names = {name for name in dir(fw.TextBatch) if name[0] != "_"}
    assert names == {"add", "font_size", "may_grow", "measure", "remove"}


def test_dir_of_3d_classes_lists_only_names_for_games() -> None:
    names = {name for name in vars(Backend) | vars(SolidBackend) if name[0] != "_"}
    kinds = (fw.World, fw.Lines, fw.Billboards, fw.MeshBatch, fw.NodeMeshes, fw.ModelBatch)
    for kind in kinds:
        public_names = {name for name in dir(kind) if name[0] != "_"}
        assert not public_names & (names - {"casts_shadow"})
        assert len(public_names) <= 30
        assert not public_names & {
            "attach",
            "attach_unseen",
            "batches",
            "after_restore",
            "in_world",
        }


@pytest.mark.parametrize("name", ["draw", "begin_tick", "end_tick", "release", "renew"])
def test_overriding_a_method_of_the_backend_is_an_error(name: str) -> None:
    with pytest.raises(TypeError, match=rf"^Mine\.{name}: scenes do not call it on a SpriteBatch"):
        type("Mine", (fw.SpriteBatch,), {name: lambda self: None})


def test_a_backend_exists_while_its_batch_is_in_a_game(make: Make) -> None:
    batch = fw.SpriteBatch(solid(4, 6), 2)
    assert backend_of(batch) is drawing_of(batch) is None
    game = make(EmptyGame)
    game.add(batch)
    backend = backend_of(batch)
    assert backend is not None
    assert backend is drawing_of(batch)
    assert backend.frontend is batch
    assert backends_match(game)
    game.remove(batch)
    assert backend_of(batch) is None
    assert backends_match(game)
    with pytest.raises(fw.AssetError, match="not in a game yet"):
        batch.images.size(0)
    game.add(batch)
    assert backend_of(batch) is not backend
    game.close()
    assert backend_of(batch) is None


def test_without_drawing_the_backend_has_only_sizes(make: Make) -> None:
    game = make(EmptyGame, drawing=False)
    batch = game.add(fw.SpriteBatch(solid(4, 6), 2))
    assert isinstance(backend_of(batch), SpriteSizes)
    assert drawing_of(batch) is None
    assert batch.images.size(0) == (4, 6)
    assert batch.images.size(batch.images.add(solid(3, 5))) == (3, 5)
    with pytest.raises(fw.AssetError, match="without graphics"):
        _ = batch.buffers
    batch.render(None, 0, 4)  # this draws nothing
    game.close()
    assert backend_of(batch) is None


def test_an_image_that_fails_to_load_does_not_change_the_batch(make: Make) -> None:
    for drawing in (True, False):
        game = make(EmptyGame, drawing=drawing)
        batch = game.add(fw.SpriteBatch(solid(4, 6), 2))
        with pytest.raises(fw.AssetError):
            batch.images.add("missing.png")
        assert len(batch.images) == 1
        assert batch.images.add(solid(2, 2)) == 1
        game.close()


def test_a_failed_backend_leaves_no_drawable(make: Make) -> None:
    game = make(EmptyGame)
    batch = fw.SpriteBatch("missing.png", 1)
    with pytest.raises(fw.AssetError):
        game.add(batch)
    assert backend_of(batch) is None
    assert backends_match(game)
    assert not game._backend.drawables.drawn


def test_backends_match_drawables_after_add_remove_and_restore(make: Make) -> None:
    game = make(EmptyGame)
    first = game.add(fw.SpriteBatch(solid(2, 2), 1))
    last = game.add(fw.SpriteBatch(solid(2, 2), 1), layer=3)
    before = game.snapshot()
    game.add(fw.Shapes(), layer=1)
    second = game.add(fw.SpriteBatch(solid(2, 2), 1), layer=2)
    over = game.add(fw.SpriteBatch(solid(2, 2), 1), layer=first)
    assert [frontend for frontend, _ in game._backend.drawables.drawn][:2] == [first, over]
    assert backends_match(game)
    after = game.snapshot()
    game.remove(first)
    assert backends_match(game)
    game.restore(before)
    assert backends_match(game)
    assert backend_of(second) is None
    assert [frontend for frontend, _ in game._backend.drawables.drawn] == [first, last]
    game.advance(1 / 60)
    game.restore(after)
    assert backends_match(game)
    assert backend_of(second) is not None
    game.advance(1 / 60)


def test_a_backend_is_created_when_its_scene_is_pushed(make: Make) -> None:
    class Later(fw.Scene):
        def setup(self) -> None:
            self.batch = self.add(fw.SpriteBatch(solid(2, 2), 1))

    game = make(EmptyGame)
    scene = Later()
    game.push(scene)
    assert drawing_of(scene.batch) is not None
    assert backends_match(scene)
    game.pop()
    assert backend_of(scene.batch) is None


def test_a_batch_is_in_one_game(make: Make) -> None:
    game = make(EmptyGame)
    other_game = make(EmptyGame, drawing=False)
    batch = game.add(fw.SpriteBatch(solid(2, 2), 1))
    for home in (game, other_game):
        with pytest.raises(ValueError, match="it was added to a game already"):
            home.add(batch)
        assert backends_match(home)


def test_a_subclass_has_the_backend_of_its_base_class(make: Make) -> None:
    class Foes(fw.SpriteBatch):
        pass

    game = make(EmptyGame)
    foes = game.add(Foes(solid(2, 2), 1))
    assert type(backend_of(foes)) is type(backend_of(game.add(fw.SpriteBatch(solid(2, 2)))))


def test_nodes_move_in_ticks_without_drawing_too(make: Make) -> None:
    class Moving(fw.Game):
        def setup(self) -> None:
            self.nodes = fw.Nodes2D()
            self.node = self.nodes.add(position=(1, 0))
            self.batch = self.add(fw.NodeSprites(solid(2, 2), self.nodes))
            self.batch.show(self.node)

        def update(self, dt: float) -> None:
            self.node.position = (self.node.position[0] + 1, 0)

    for drawing in (True, False):
        game = make(Moving, drawing=drawing)
        game.run_ticks(3)
        assert game.nodes.world_pose(0.5, slice(0, 1))[0].tolist() == [[3.5, 0.0]]
        game.close()


def test_the_methods_of_a_custom_drawable_are_called(make: Make) -> None:
    calls: list[str] = []

    class Own:
        def attach(self, graphics: Any) -> None:
            calls.append("attach")

        def begin_tick(self, dt: float) -> None:
            calls.append("begin_tick")

        def end_tick(self) -> None:
            calls.append("end_tick")

        def draw(self) -> None:
            calls.append("draw")

        def release(self) -> None:
            calls.append("release")

    game = make(EmptyGame)
    own = game.add(Own())
    game.advance(1 / 60)
    game.remove(own)
    assert calls == ["attach", "begin_tick", "end_tick", "draw", "release"]


def _shapes() -> Any:
    shapes = fw.Shapes()
    shapes.add_star((30, 30), 20, color="#f80")
    shapes.add_line((0, 0), (60, 60), 3, dash=(4, 2))
    return shapes


def _polygons() -> Any:
    polygons = fw.Polygons(solid(4, 4), wrap="repeat")
    polygons.add_box((30, 30), (40, 20), tile=8, color="#08f")
    return polygons


def _ribbon() -> Any:
    return fw.Ribbon(None, [(9, 9), (30, 40), (50, 20)], width=5, color="#f80")


FRONTENDS: dict[str, Callable[[], Any]] = {
    "shapes": _shapes,
    "polygons": _polygons,
    "ribbon": _ribbon,
}


@pytest.mark.parametrize("kind", FRONTENDS)
def test_a_frontend_looks_the_same_after_a_restore_and_in_a_second_game(
    make: Make, kind: str
) -> None:
    def move() -> None:
        frontend.position = frontend.position + np.float32((3, 1))

    game = make(EmptyGame, size=(64, 64))
    frontend = FRONTENDS[kind]()
    game.add(frontend)
    game.advance(1 / 60)
    first = game.pixels()
    assert first[..., :3].any()
    before = game.snapshot()
    game.call_soon(move)
    game.advance(1 / 60)
    second = game.pixels()
    assert (second != first).any()
    game.restore(before)
    game.advance(0)
    assert (game.pixels() == first).all()
    game.call_soon(move)
    game.advance(1 / 60)
    assert (game.pixels() == second).all()
    game.remove(frontend)
    assert backend_of(frontend) is None
    game.advance(1 / 60)
    assert not game.pixels()[..., :3].any()
    game.add(frontend)
    game.advance(1 / 60)
    assert (game.pixels() == second).all()
    game.close()
    second_game = make(EmptyGame, size=(64, 64))
    second_game.add(frontend)
    second_game.advance(1 / 60)
    assert (second_game.pixels() == second).all()


@pytest.mark.parametrize("kind", FRONTENDS)
def test_a_frontend_runs_ticks_without_drawing(make: Make, kind: str) -> None:
    game = make(EmptyGame, drawing=False)
    frontend = FRONTENDS[kind]()
    game.add(frontend)
    start = frontend.position[0].copy()
    game.advance(1 / 60)
    frontend.position[0] += 6
    game.advance(1 / 60)
    assert table_of(frontend).column("position").previous(1)[0].tolist() == (start + 6).tolist()
    with pytest.raises(ValueError, match="added to a game already"):
        game.add(frontend)
    game.remove(frontend)
    assert backend_of(frontend) is None


def test_a_column_is_mapped_while_a_sprite_is_referenced(make: Make) -> None:
    for drawing in (True, False):
        game = make(EmptyGame, drawing=drawing)
        batch = game.add(fw.SpriteBatch(solid(2, 2), 3))
        position = table_of(batch).column("position")
        without_sprite = game.snapshot()
        sprite = batch[1]
        with_sprite = game.snapshot()
        assert position.is_viewed()
        game.restore(without_sprite)
        assert sprite.removed
        assert not position.is_viewed()
        game.restore(with_sprite)
        sprite.x = 7
        assert batch.position[1].tolist() == [7, 0]
        batch.extend(100)  # this moves the columns to new memory
        game.restore(with_sprite)
        sprite.x = 8
        assert batch.position[1].tolist() == [8, 0]
        game.close()


def test_a_removed_batch_is_garbage_collected(make: Make) -> None:
    game = make(EmptyGame)
    batch = game.add(fw.SpriteBatch(solid(2, 2), 3))
    game.advance(1 / 60)
    game.remove(batch)
    reference = weakref.ref(batch)
    del batch
    gc.collect()
    assert reference() is None


def test_a_frontend_has_a_placement_without_a_game() -> None:
    assert placement_of(fw.SpriteBatch()) == (False, False, 0, None, None)
    assert placement_of(fw.Shapes()).layer_on_hud == 0
    assert isinstance(fw.SpriteBatch(), Frontend)


def test_a_backend_can_be_created_without_a_game(ctx: Any) -> None:
    batch = fw.SpriteBatch(solid(2, 2), 3)
    backend = new_backend(batch, fw.Graphics(ctx))
    backend.begin_tick(1 / 60)
    batch.position += 1
    backend.end_tick()
    backend.hand_over()
    assert backend.uploaded_bytes > 0
    assert {"position", "previous_position", "info"} <= batch.buffers.keys()
    end_backend(batch, drawing=True)
    assert backend_of(batch) is None


def test_every_object_with_rows_has_a_table() -> None:
    batch = fw.SpriteBatch(solid(2, 2), 3)
    layer = fw.TileLayer(fw.TileSet(solid(4, 4), (2, 2)), np.zeros((2, 3), np.int32))
    kinds = [batch, layer, fw.Shapes(), fw.Lights2D(), fw.TextBatch(), fw.Nodes2D(), fw.Ribbon()]
    kinds += [
        fw.Transforms2D(),
        fw.Nodes3D(),
        fw.MeshBatch(fw.Mesh.cube()),
        RowSet(table_of(batch), np.arange(2)),
    ]
    for frontend in kinds:
        assert isinstance(table_of(frontend), Table), type(frontend).__name__
    assert table_of(object()) is None


def test_a_save_is_loaded_into_a_batch_with_row_sets(make: Make, tmp_path: Path) -> None:
    class Falling(fw.Game):
        saved = ("boxes",)

        def setup(self) -> None:
            self.boxes = self.add(fw.SpriteBatch(solid(2, 2), 2))
            self.followed = RowSet(table_of(self.boxes), np.arange(2))

    game = make(Falling)
    game.boxes.position[:] = [(1, 2), (3, 4)]
    game.save(path=tmp_path / "a.save")
    game.boxes.remove(0)
    game.load(path=tmp_path / "a.save")
    assert game.boxes.position.tolist() == [[1, 2], [3, 4]]


def test_a_layer_of_tiles_is_exported(make: Make, tmp_path: Path) -> None:
    game = make(EmptyGame)
    game.ground = game.add(
        fw.TileLayer(fw.TileSet(solid(4, 4), (2, 2)), np.zeros((2, 3), np.int32))
    )
    game.saves.export_json(tmp_path / "a.json")
    drawn = json.loads((tmp_path / "a.json").read_text())["scenes"][0]["drawn"]
    assert drawn["ground"]["rows"] == 6


def test_optional_methods_of_a_custom_drawable_are_called(make: Make) -> None:
    calls: list[str] = []

    class Own:
        layer_on_hud = 3
        keeps_light = True

        def attach(self, graphics: Any) -> None:
            calls.append("attach")

        def attach_unseen(self, graphics: Any) -> None:
            calls.append("attach_unseen")

        def begin_tick(self, dt: float) -> None: ...

        def end_tick(self) -> None: ...

        def draw(self) -> None: ...

        def notice_writes(self) -> None:
            calls.append("notice_writes")

        def renew(self, files: Any) -> bool:
            return "a.png" in files

        def release(self) -> None:
            calls.append("release")

        def release_unseen(self) -> None:
            calls.append("release_unseen")

    own = Own()
    assert placement_of(own) == (False, False, 3, None, None)
    for drawing, expected in (
        (True, ["attach", "notice_writes", "release"]),
        (False, ["attach_unseen", "notice_writes", "release_unseen"]),
    ):
        calls.clear()
        game = make(EmptyGame, drawing=drawing)
        game.add(own)
        ((backend, _),) = game._backend.drawables.driven
        backend.notice_writes()
        assert backend.keeps_light
        assert not any([backend.changes_below, backend.reads_depth, backend.shows(None)])
        assert backend.renew({"a.png"})
        assert not backend.renew({"b.png"})
        game.remove(own)
        assert calls == expected


def test_a_replaced_method_of_a_drawable_is_called(make: Make) -> None:
    calls: list[str] = []

    class Own:
        def attach(self, graphics: Any) -> None: ...

        def begin_tick(self, dt: float) -> None:
            calls.append("old")

        def end_tick(self) -> None: ...

        def draw(self) -> None: ...

        def release(self) -> None: ...

    game = make(EmptyGame)
    game.add(Own())
    game.run_ticks(1)
    Own.begin_tick = lambda self, dt: calls.append("new")  # type: ignore[method-assign]
    game.run_ticks(1)
    assert calls == ["old", "new"]


def test_settings_of_a_world_change_its_render_passes(make: Make) -> None:
    game = make(EmptyGame)
    world = game.world
    cube = game.add(fw.MeshBatch(fw.Mesh.cube(), 1))
    backend = driven(world)
    game.advance(1 / 60)
    plain = backend._passes
    game.advance(1 / 60)
    assert backend._passes is plain
    world.sky = True
    world.shadows = fw.Shadows(64)
    cube.material.alpha_mode = "blend"
    game.advance(1 / 60)
    names = [type(step).__name__ for step in backend._passes]
    assert names[0] == "_ShadowPass"
    assert names[-2:] == ["SkyPass", "_ClearPass"]
    world.sky = None
    world.sun_color = (0, 0, 0)
    game.advance(1 / 60)
    assert type(backend._passes[0]).__name__ == "_NoShadowPass"
    assert backend._shadows is not None  # kept until there is sunlight again


def test_the_world_has_the_backends_of_its_solids(make: Make) -> None:
    for drawing in (True, False):
        game = make(EmptyGame, drawing=drawing)
        first = game.add(fw.MeshBatch(fw.Mesh.cube(), 1))
        before = game.snapshot()
        second = game.add(fw.MeshBatch(fw.Mesh.cube(), 1))
        game.restore(before)
        assert [driven(solid) for solid in (first,)] == driven(game.world).driven
        with pytest.raises(ValueError, match="expected a solid of this world"):
            game.world.remove(second)
        game.add(second)
        game.run_ticks(2)
        assert [driven(solid) for solid in (first, second)] == driven(game.world).driven
        game.close()


def test_a_solid_that_cannot_be_drawn_is_not_added(make: Make) -> None:
    game = make(EmptyGame)
    textured = fw.Material(base_texture="missing.png")
    with pytest.raises(fw.AssetError):
        game.add(fw.MeshBatch(fw.Mesh.cube(), 1, material=textured))
    assert driven(game.world).driven == []
    game.advance(1 / 60)
