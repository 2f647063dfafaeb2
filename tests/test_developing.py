"""Hot reload: changed files of a running game, and errors that its window shows."""

from __future__ import annotations

import gc
import os
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from drawings import drawing
from PIL import Image
from tones import wav

import framework as fw
from framework.audio.voices import track_of
from framework.game import development_run
from framework.game.development_run import (
    DevelopmentRun,
    DevelopmentSession,
    Reloading,
    described,
    told,
)
from framework.gpu import shaders
from framework.plane.sprites import images_of
from framework.resources import Reloadable
from framework.watch.file_watch import FileWatch
from framework.watch.message_panel import ALARM, PLAIN, MessagePanel
from framework.watch.panels import PanelText

SECOND = 1_000_000_000
Make = Callable[..., Any]
GLOW = '#include "sprite.glsl"\nvoid main() { color = sprite_color(); }\n'


# -- changed files ---------------------------------------------------------------------------------


class Disk:
    """A fake file system: times of files, and the number of `status` calls."""

    def __init__(self, *paths: str) -> None:
        self.times = dict.fromkeys(paths, 0)
        self.status_calls = self.now = 0
        self.size = 1

    def wall(self) -> int:
        return self.now

    def status(self, path: str) -> Any:
        self.status_calls += 1
        if path not in self.times:
            raise FileNotFoundError(path)
        return SimpleNamespace(st_mtime_ns=self.times[path], st_size=self.size, st_ino=1)


def watched(disk: Disk) -> FileWatch:
    watch = FileWatch([], disk.status, disk.wall)
    for path in disk.times:
        watch.add_file(path)
    watch.poll(0)
    return watch


def polls(watch: FileWatch, start: int, seconds: float) -> list[tuple[float, str]]:
    """Return the time and path of each change that `poll` returns, at 60 frames a second."""
    changes = []
    for frame in range(1, round(seconds * 60) + 1):
        now = start + frame * SECOND // 60
        changes += [(frame / 60, path) for path in watch.poll(now)]
    return changes


def test_a_change_is_noticed_once_within_a_fifth_of_a_second() -> None:
    disk = Disk(*[f"/no/{number}.png" for number in range(200)])
    watch = watched(disk)
    assert polls(watch, 0, 1) == []
    disk.times["/no/77.png"] = 5
    ((when, path),) = polls(watch, SECOND, 1)
    assert path == "/no/77.png"
    assert when <= 0.2


def test_all_files_are_checked_ten_times_a_second_and_few_in_a_frame() -> None:
    disk = Disk(*[f"/no/{number}.png" for number in range(200)])
    watch = watched(disk)
    disk.status_calls = 0
    most = 0
    for frame in range(60):
        before = disk.status_calls
        watch.poll((frame + 1) * SECOND // 60)
        most = max(most, disk.status_calls - before)
    assert 1900 <= disk.status_calls <= 2000
    assert most <= 34


def test_files_that_are_incomplete_or_missing_are_not_reported_yet() -> None:
    disk = Disk("/no/a.png")
    watch = watched(disk)
    for frame in range(1, 60):
        disk.times["/no/a.png"] = frame
        assert watch.poll(frame * SECOND // 60) == []
    del disk.times["/no/a.png"]
    assert polls(watch, SECOND, 0.5) == []
    disk.times["/no/a.png"] = 99
    assert [path for _, path in polls(watch, 2 * SECOND, 0.5)] == ["/no/a.png"]


def test_new_files_in_a_folder_are_noticed_but_not_those_of_packages(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / "a.py").write_text("")
    watch = FileWatch([str(tmp_path)])
    watch.poll(0)
    (tmp_path / "sub" / "new.png").write_text("x")
    os.utime(tmp_path / "sub", ns=(5, 5))
    assert [path for _, path in polls(watch, 0, 0.5)] == [str(tmp_path / "sub" / "new.png")]
    assert str(tmp_path / "site-packages" / "a.py") not in watch


def test_files_that_changed_before_are_checked_in_every_frame_and_old_changes_at_once() -> None:
    disk = Disk(*[f"/no/{number}.png" for number in range(200)])
    watch = watched(disk)
    disk.times["/no/77.png"] = 5
    assert len(polls(watch, 0, 1)) == 1
    for number in range(1, 9):
        disk.times["/no/77.png"] += 1
        ((when, _),) = polls(watch, number * SECOND, 0.5)
        assert when <= 0.09
    disk.now = SECOND  # all files have old times, so no program is still writing them
    disk.times["/no/77.png"] += 1
    ((when, _),) = polls(watch, 10 * SECOND, 0.5)
    assert when <= 0.02


def test_a_file_that_was_emptied_is_reported_only_after_a_wait() -> None:
    disk = Disk("/no/a.png")
    watch = watched(disk)
    disk.times["/no/a.png"] = 5
    disk.size = 0
    assert polls(watch, 0, 0.4) == []
    disk.times["/no/a.png"] = 6
    disk.size = 1
    assert len(polls(watch, SECOND // 2, 0.2)) == 1
    disk.times["/no/a.png"] = 7
    disk.size = 0
    assert len(polls(watch, SECOND, 1)) == 1


def test_linked_folders_are_watched_and_a_cycle_of_links_ends(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "a.png").write_text("x")
    (tmp_path / "game").mkdir()
    (tmp_path / "game" / "art").symlink_to(tmp_path / "shared", target_is_directory=True)
    (tmp_path / "shared" / "back").symlink_to(tmp_path / "game", target_is_directory=True)
    watch = FileWatch([str(tmp_path / "game")])
    art = tmp_path / "game" / "art"
    assert set(watch._seen) == {str(tmp_path / "game"), str(art), str(art / "a.png")}
    assert str(art / "a.png") in watch
    assert str(art / "b.png") not in watch
    watch.poll(0)
    (tmp_path / "shared" / "a.png").write_text("xyz")
    assert [path for _, path in polls(watch, 0, 0.5)] == [str(art / "a.png")]


# -- reloaded images, sounds, maps and shaders -----------------------------------------------------


def save_image(path: Path, color: Any, size: tuple[int, int] = (8, 8)) -> str:
    Image.new("RGBA", size, color).save(path)
    return os.path.realpath(path)


class Files(fw.Game):
    folder: Path

    def setup(self) -> None:
        self.ship = self.sprites.add(self.folder / "ship.png", position=(16, 16))
        self.other = self.sprites.add(self.folder / "other.png", position=(48, 16))
        glow = str(self.folder / "glow.frag")
        self.glowing = self.add(fw.SpriteBatch(self.folder / "ship.png", count=1, shader=glow))
        self.glowing.position[:] = (16, 48)
        self.hills = self.add(fw.Backdrop(self.folder / "ship.png", (40, 40)))
        self.sound = fw.Sound(self.folder / "beep.wav")


@pytest.fixture
def reloaded(tmp_path: Path, make: Make) -> Iterator[tuple[Any, Reloading, list[str]]]:
    save_image(tmp_path / "ship.png", "red")
    save_image(tmp_path / "other.png", "blue")
    (tmp_path / "glow.frag").write_text(GLOW)
    wav(tmp_path / "beep.wav", np.zeros(100))
    kind = type("Files", (Files,), {"folder": tmp_path})
    messages: list[str] = []
    reloading = Reloading([tmp_path], list, messages.append)
    game = make(kind, size=(64, 64), background="black")
    reloading._drawn = lambda: game._backend.drawables.reloaded()
    yield game, reloading, messages
    Reloadable.objects = None


def at(game: Any, x: int, y: int) -> tuple[int, ...]:
    game.advance(0)
    return tuple(game.pixels()[63 - y, x, :3].tolist())


def test_a_changed_image_is_drawn_from_the_same_texture(reloaded: Any, tmp_path: Path) -> None:
    game, reloading, messages = reloaded
    positions = [(16, 16), (16, 48), (44, 44)]
    assert [at(game, *position) for position in positions] == [(255, 0, 0)] * 3
    texture = drawing(game.sprites).atlas.texture
    rows = game.sprites.position.copy()
    assert reloading.take([save_image(tmp_path / "ship.png", "lime")])
    assert [at(game, *position) for position in positions] == [(0, 255, 0)] * 3
    assert at(game, 48, 16) == (0, 0, 255)
    assert drawing(game.sprites).atlas.texture is texture
    np.testing.assert_array_equal(game.sprites.position, rows)
    assert "ship.png" in messages[-1]


def test_an_image_with_a_new_size_gets_new_room_in_the_atlas(reloaded: Any, tmp_path: Path) -> None:
    game, reloading, _ = reloaded
    reloading.take([save_image(tmp_path / "ship.png", "lime", (20, 12))])
    assert game.sprites.images.size(0) == (20, 12)
    assert [at(game, 16 + x, 16) for x in (-12, -8, 8, 12)] == [
        (0, 0, 0),
        (0, 255, 0),
        (0, 255, 0),
        (0, 0, 0),
    ]
    assert at(game, 48, 16) == (0, 0, 255)


def test_images_that_change_often_use_no_more_memory(reloaded: Any, tmp_path: Path) -> None:
    game, _, _ = reloaded
    at(game, 0, 0)
    size = drawing(game.sprites).atlas.texture.size
    for number in range(60):
        path = save_image(tmp_path / "ship.png", "lime", (8 + number % 40, 9 + number % 7))
        assert drawing(game.sprites).renew(frozenset([path]))
    gc.collect()
    assert drawing(game.sprites).atlas.texture.size == size
    assert len(drawing(game.sprites).atlas) == 2


def test_the_old_image_stays_if_the_new_file_is_broken(reloaded: Any, tmp_path: Path) -> None:
    game, reloading, messages = reloaded
    path = tmp_path / "ship.png"
    for text in (b"", b"no picture", b"\x89PNG\r\n\x1a\n broken"):
        path.write_bytes(text)
        assert reloading.take([os.path.realpath(path)])
        assert isinstance(reloading.error, fw.AssetError)
        assert "ship.png" in messages[-1]
    assert [at(game, *position) for position in [(16, 16), (16, 48), (44, 44)]] == [(255, 0, 0)] * 3


def test_changed_images_of_widgets_take_their_new_size(reloaded: Any, tmp_path: Path) -> None:
    game, reloading, _ = reloaded
    path = save_image(tmp_path / "icon.png", "red")
    corner = game.ui.row(anchor="bottom right", margin=0, padding=0)
    icon = corner.image(tmp_path / "icon.png")
    game.run_ticks(1)
    assert at(game, 60, 4) == (255, 0, 0)
    save_image(tmp_path / "icon.png", "lime", (20, 12))
    assert reloading.take([path])
    game.run_ticks(1)
    assert (at(game, 50, 4), icon.box.w, icon.box.h) == ((0, 255, 0), 20, 12)
    (tmp_path / "icon.png").write_text("no picture")
    assert reloading.take([path])
    game.run_ticks(1)
    assert (at(game, 50, 4), type(reloading.error)) == ((0, 255, 0), fw.AssetError)


def test_changed_images_of_particles_and_billboards_are_drawn(
    reloaded: Any, tmp_path: Path
) -> None:
    game, reloading, _ = reloaded
    file = tmp_path / "puff.png"
    still = {"lifetime": 9, "speed": 0}
    paths = [save_image(file, "red")]
    game.world.camera.ortho_height = 64.0
    game.world.camera.position = (32, 32, 10)
    game.add(fw.Particles([str(tmp_path / "other.png"), str(file)], **still, size=8)).emit(
        40, (60, 30)
    )
    game.add(fw.Particles3D(file, **still, size=8)).emit(1, (4, 60, 0))
    cards = game.add(fw.Billboards(file, 1))
    cards.position = (20, 60, 0)
    cards.size = 8
    game.run_ticks(1)
    positions = [(60, 30), (4, 60), (20, 60)]
    before = [at(game, *position) for position in positions]
    assert before[1:] == [(255, 0, 0)] * 2
    assert before[0] in ((255, 0, 0), (0, 0, 255))
    save_image(tmp_path / "other.png", "lime")
    save_image(file, "lime", (12, 16))
    assert reloading.take([*paths, os.path.realpath(tmp_path / "other.png")])
    assert [at(game, *position) for position in positions] == [(0, 255, 0)] * 3
    file.write_text("no picture")
    assert reloading.take(paths)
    assert [at(game, *position) for position in positions] == [(0, 255, 0)] * 3
    assert isinstance(reloading.error, fw.AssetError)


def test_the_error_of_a_file_stays_until_the_file_is_repaired(
    reloaded: Any, tmp_path: Path
) -> None:
    game, reloading, messages = reloaded
    ship = os.path.realpath(tmp_path / "ship.png")
    other = os.path.realpath(tmp_path / "other.png")
    Path(ship).write_text("broken")
    assert reloading.take([ship])
    assert reloading.take([save_image(tmp_path / "other.png", "lime")])
    assert at(game, 48, 16) == (0, 255, 0)
    assert "other.png" in messages[-1]
    assert [*reloading.errors] == [ship]
    assert not reloading.take([other[:-4]])  # no file has this name
    assert reloading.take([save_image(Path(ship), "lime")])
    assert reloading.errors == {}
    Path(ship).write_text("broken")
    reloading.take([ship])
    os.remove(ship)
    assert reloading.take([save_image(tmp_path / "other.png", "blue")])
    assert reloading.errors == {}


def test_a_shader_error_ends_when_its_included_file_is_repaired(
    reloaded: Any, tmp_path: Path
) -> None:
    _, reloading, _ = reloaded
    glow, included = (os.path.realpath(tmp_path / name) for name in ("glow.frag", "more.glsl"))
    Path(included).write_text("float more() { return 1.0; }\n")
    Path(glow).write_text('#include "more.glsl"\n' + GLOW)
    assert reloading.take([glow])
    Path(included).write_text("float more() { return; }\n")
    assert reloading.take([included])
    assert [*reloading.errors] == [included]
    Path(glow).write_text(GLOW)
    assert reloading.take([glow])
    assert reloading.errors == {}


def test_images_in_linked_folders_change(tmp_path: Path, make: Make) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "game").mkdir()
    (tmp_path / "game" / "art").symlink_to(tmp_path / "shared", target_is_directory=True)
    path = tmp_path / "game" / "art" / "ship.png"
    save_image(path, "red")

    class One(fw.Game):
        def setup(self) -> None:
            self.sprites.add(path, position=(16, 16))

    game = make(One, size=(64, 64))
    reloading = Reloading([tmp_path / "game"], lambda: game._backend.drawables.reloaded())
    try:
        save_image(path, "lime")
        os.utime(path, ns=(5, 5))
        changed = [path_of_change for _, path_of_change in polls(reloading.watch, SECOND, 0.5)]
        assert str(path) in changed
        assert reloading.take(changed)
        assert at(game, 16, 16) == (0, 255, 0)
    finally:
        Reloadable.objects = None


def test_a_shader_is_compiled_again_and_the_old_program_stays_on_an_error(
    reloaded: Any, tmp_path: Path
) -> None:
    game, reloading, messages = reloaded
    path = tmp_path / "glow.frag"
    for text, color in [
        (GLOW.replace("sprite_color()", "sprite_color().bgra"), (0, 0, 255)),
        (GLOW.replace("sprite_color()", "sprit()"), (0, 0, 255)),
        (GLOW.replace("color =", "colour ="), (0, 0, 255)),
        ('#include "missing.glsl"\n' + GLOW, (0, 0, 255)),
        (GLOW.replace("sprite_color()", "sprite_color().grba"), (0, 255, 0)),
    ]:
        path.write_text(text)
        assert reloading.take([os.path.realpath(path)])
        assert at(game, 16, 48) == color
        assert (reloading.error is None) == (text.count("sprite_color().") == 1)
    assert len(drawing(game.glowing)._own_programs) == 1
    assert any("glow.frag:2" in message for message in messages)


def test_changed_shaders_and_images_of_effects_are_drawn(reloaded: Any, tmp_path: Path) -> None:
    game, reloading, messages = reloaded
    path = tmp_path / "shine.frag"
    path.write_text(
        shine
        := "uniform sampler2D shown;\nvec4 effect(vec2 place) { return texture(shown, place); }"
    )
    game.effects = [fw.Effect(str(path), shown=tmp_path / "ship.png")]
    assert at(game, 2, 2) == (255, 0, 0)
    for text, color in [
        (shine.replace("return texture(", "return 1.0 - texture("), (0, 255, 255)),
        (shine.replace("return", "return nope +"), (0, 255, 255)),
        (shine.replace("return", "return 0.0 *"), (0, 0, 0)),
        (shine, (255, 0, 0)),
    ]:
        path.write_text(text)
        assert reloading.take([os.path.realpath(path)])
        assert at(game, 2, 2) == color
        assert (reloading.error is None) == ("nope" not in text)
    assert any("shine.frag:2" in message for message in messages)
    assert reloading.take([save_image(tmp_path / "ship.png", "lime")])
    assert at(game, 2, 2) == (0, 255, 0)


def test_new_uniforms_of_a_reloaded_shader_can_be_set(reloaded: Any, tmp_path: Path) -> None:
    game, reloading, _ = reloaded
    path = tmp_path / "shine.frag"
    write = "%s uniform float red = 0.2; vec4 effect(vec2 place) { return vec4(red, %s, 1.0); }"

    def save(*parts: str) -> None:
        path.write_text(write % parts)
        assert reloading.take([os.path.realpath(path)])

    path.write_text(write % ("", "0.0, 0.0"))
    shine = fw.Effect(str(path), red=0.4)
    game.effects = [shine]
    before = game.snapshot()
    save("uniform vec2 more = vec2(0.6, 0.8);", "more")
    assert (shine.red, shine.more) == (0.4, (0.6, 0.8))
    assert at(game, 2, 2) == (102, 153, 204)
    shine.more = (1, 0)
    assert at(game, 2, 2) == (102, 255, 0)
    game.restore(before)  # the snapshot has none of the new uniforms
    assert at(game, 2, 2) == (102, 153, 204)
    save("uniform sampler2D shown; uniform float more = 1.0;", "more * texture(shown, place).rg")
    assert at(game, 2, 2) == (102, 255, 255)
    shine.shown = tmp_path / "ship.png"
    shine.more = 0.2
    assert at(game, 2, 2) == (102, 51, 0)
    with pytest.raises(AttributeError, match=r"Effect has no 'mor'; the nearest are more"):
        shine.mor = 1
    save("uniform mat3 more;", "more[0].xy")
    assert isinstance(reloading.error, ValueError)
    assert at(game, 2, 2) == (102, 51, 0)
    save("", "0.0, 0.0")
    with pytest.raises(AttributeError, match="Effect has no 'shown'"):
        shine.shown = tmp_path / "ship.png"
    assert at(game, 2, 2) == (102, 0, 0)


def test_a_changed_sound_is_decoded_again(reloaded: Any, tmp_path: Path) -> None:
    game, reloading, _ = reloaded
    assert len(list(Reloadable.objects)) == 1
    wav(tmp_path / "beep.wav", np.zeros(24_000))
    assert reloading.take([os.path.realpath(tmp_path / "beep.wav")])
    assert game.sound.duration == pytest.approx(0.5, abs=0.01)


MAP = """<map orientation="orthogonal" width="2" height="1" tilewidth="16" tileheight="16">
<tileset firstgid="1" name="t" tilewidth="16" tileheight="16" tilecount="2" columns="2"><image source="tiles.png"/>
</tileset>
<layer name="ground" width="2" height="1"><data encoding="csv">1,2</data></layer>
<objectgroup name="things"><object id="1" name="door" x="3" y="4"><point/></object></objectgroup></map>"""


def tiles(path: Path, *colors: str) -> str:
    image = Image.new("RGBA", (32, 16), colors[0])
    image.paste(colors[1], (16, 0, 32, 16))
    image.save(path)
    return os.path.realpath(path)


def test_a_changed_map_and_its_tiles_are_loaded_again(reloaded: Any, tmp_path: Path) -> None:
    game, reloading, _ = reloaded
    path = tmp_path / "cave.tmx"
    path.write_text(MAP)
    tiles(tmp_path / "tiles.png", "red", "blue")
    level = game.add(fw.TileMap(path, position=(0, 32)))

    def tile_colors() -> list[tuple[int, ...]]:
        return [at(game, 8, 40), at(game, 24, 40)]

    red = (255, 0, 0)
    lime = (0, 255, 0)
    blue = (0, 0, 255)
    assert tile_colors() == [red, blue]
    assert reloading.take([tiles(tmp_path / "tiles.png", "lime", "blue")])
    assert tile_colors() == [lime, blue]
    path.write_text(MAP.replace("1,2", "2,0").replace('x="3"', 'x="7"'))
    assert reloading.take([str(path)])
    assert tile_colors()[0] == blue
    assert level["ground"].tiles.tolist() == [[2, 0]]
    assert level.objects["door"].position[0] == 7
    assert level["things"]["door"].position[0] == 7
    for wrong in (MAP.replace("2", "3"), MAP.replace("1,2", "1,9"), MAP[:200], ""):
        path.write_text(wrong)
        assert reloading.take([str(path)])
        assert isinstance(reloading.error, fw.AssetError)
        assert level["ground"].tiles.tolist() == [[2, 0]]


def test_maps_and_sounds_of_setup_are_loaded_again(tmp_path: Path, make: Make) -> None:
    (tmp_path / "cave.tmx").write_text(MAP)
    tiles(tmp_path / "tiles.png", "red", "blue")
    wav(tmp_path / "beep.wav", np.zeros(100))

    class First(fw.Game):
        def setup(self) -> None:
            self.level = self.add(fw.TileMap(tmp_path / "cave.tmx", position=(0, 32)))
            self.sound = fw.Sound(tmp_path / "beep.wav")

    session = DevelopmentSession("code")
    try:
        game = make(First, size=(64, 64))
        session.attach(game)
        (tmp_path / "cave.tmx").write_text(MAP.replace("1,2", "2,1"))
        wav(tmp_path / "beep.wav", np.zeros(24_000))
        assert session.reloading is not None
        assert session.reloading.take(
            [os.path.realpath(tmp_path / name) for name in ("cave.tmx", "beep.wav")]
        )
        assert game.level["ground"].tiles.tolist() == [[2, 1]]
        assert game.sound.duration == pytest.approx(0.5, abs=0.01)
        game.close()
    finally:
        session.close()


def test_a_file_that_the_game_does_not_use_changes_nothing(reloaded: Any, tmp_path: Path) -> None:
    _, reloading, messages = reloaded
    assert not reloading.take([save_image(tmp_path / "unused.png", "red")])
    assert messages == []


def test_files_can_change_after_another_game_with_effects_and_a_world_was_closed(
    reloaded: Any, tmp_path: Path, make: Make
) -> None:
    """`--reload=replay` closes the game and creates it again."""
    _, reloading, _ = reloaded
    closed = make(fw.Game, size=(32, 32))
    closed.effects = [fw.Bloom()]
    closed.add(fw.MeshBatch(fw.Mesh.cube(), 1))
    closed.advance(0)
    closed.close()
    assert reloading.take([save_image(tmp_path / "ship.png", "lime")])
    assert reloading.error is None


# -- code ------------------------------------------------------------------------------------------


class Modules:
    """Modules of a game in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: list[str] = []

    def add(self, name: str, text: str) -> Any:
        path = self.folder / f"{name}.py"
        path.write_text(text)
        module: Any = types.ModuleType(name)
        module.__file__ = str(path)
        sys.modules[name] = module
        self.names.append(name)
        exec(compile(text, str(path), "exec"), vars(module))
        return module

    def write(self, name: str, text: str) -> str:
        path = self.folder / f"{name}.py"
        path.write_text(text)
        return os.path.realpath(path)


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Modules]:
    monkeypatch.syspath_prepend(tmp_path)
    modules_of_test = Modules(tmp_path)
    yield modules_of_test
    for name in [*modules_of_test.names, "livethird"]:
        sys.modules.pop(name, None)
    Reloadable.objects = None


def test_correct_code_is_reloaded_after_another_file_is_repaired(modules: Modules) -> None:
    first = modules.add("liveone", "X = 1\n")
    second = modules.add("livetwo", "Y = 1\n")
    reloading = Reloading([modules.folder], list)
    assert reloading.take([modules.write("liveone", "X = \n"), modules.write("livetwo", "Y = 2\n")])
    assert (first.X, second.Y, isinstance(reloading.error, SyntaxError)) == (1, 1, True)
    assert reloading.take([modules.write("liveone", "X = 2\n")])
    assert (first.X, second.Y, reloading.errors) == (2, 2, {})


def test_an_empty_file_of_code_is_ignored_until_it_has_text(modules: Modules) -> None:
    module = modules.add("liveone", "X = 1\n")
    reloading = Reloading([modules.folder], list)
    assert not reloading.take([modules.write("liveone", "")])
    assert (module.X, reloading.errors) == (1, {})
    assert reloading.take([modules.write("liveone", "X = 2\n")])
    assert module.X == 2


def test_code_that_imports_broken_code_is_reloaded_after_the_repair(
    modules: Modules,
) -> None:
    module = modules.add("liveone", "X = 1\n")
    reloading = Reloading([modules.folder], list)
    third = modules.write("livethird", "Z = \n")
    assert reloading.take([third, modules.write("liveone", "from livethird import Z\nX = Z\n")])
    assert isinstance(reloading.error, SyntaxError)
    modules.write("livethird", "Z = 33\n")
    assert reloading.take([third])
    assert (module.X, reloading.errors) == (33, {})


def test_an_error_in_code_stays_while_an_image_is_reloaded(reloaded: Any, modules: Modules) -> None:
    modules.add("liveone", "X = 1\n")
    _, reloading, _ = reloaded
    reloading.watch.add_file(str(modules.folder / "liveone.py"))
    reloading._watch_modules()
    assert reloading.take([modules.write("liveone", "X = \n")])
    assert reloading.take([save_image(modules.folder / "ship.png", "lime")])
    assert isinstance(reloading.error, SyntaxError)


@pytest.mark.parametrize("linked", ["folder", "file"])
def test_a_game_in_a_linked_folder_or_file_is_watched(
    tmp_path: Path, modules: Modules, linked: str
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "liveone.py").write_text("X = 1\n")
    modules.folder = tmp_path / "link"
    if linked == "folder":
        modules.folder.symlink_to(tmp_path / "real", target_is_directory=True)
    else:
        modules.folder.mkdir()
        (modules.folder / "liveone.py").symlink_to(tmp_path / "real" / "liveone.py")
    module = modules.add("liveone", "X = 1\n")
    reloading = Reloading([os.path.realpath(modules.folder)], list)
    modules.write("liveone", "X = 222\n")
    assert reloading.take([path for _, path in polls(reloading.watch, SECOND, 0.5)])
    assert module.X == 222


def test_a_module_without_a_file_is_not_reloaded(modules: Modules) -> None:
    modules.add("liveone", "X = 1\n")
    watch = FileWatch([str(modules.folder)])
    os.remove(modules.folder / "liveone.py")
    assert not Reloading([], list, watch=watch).poll(SECOND)


# -- errors in the game's window -------------------------------------------------------------------


class Fails(fw.Game):
    broken = True

    def setup(self) -> None:
        self.done = 0

    def update(self, dt: float) -> None:
        if self.broken and self.tick == 3:
            raise KeyError("smoke")
        self.done += 1


@pytest.fixture
def game_with_error(make: Make) -> Iterator[tuple[Any, DevelopmentSession, DevelopmentRun]]:
    """A game whose third tick failed, with the error in its image, as in a window."""
    game = make(type("Fails", (Fails,), {}), size=(96, 54))
    session = DevelopmentSession(None)
    developing = session.attach(game)
    game.advance(2 / 60)
    with pytest.raises(KeyError) as caught:
        game.advance(1 / 60)
    assert developing.show(caught.value)
    yield game, session, developing
    session.close()


def test_an_error_is_drawn_and_the_time_stops(game_with_error: Any, capsys: Any) -> None:
    game, session, developing = game_with_error
    before = game.pixels()
    for _ in range(5):
        game.advance(1 / 60)
    assert (game.pixels() != before).any()
    assert (game.done, game.tick) == (2, 3)  # the values at the time of the error
    assert not developing.show(KeyError())  # a second error is raised
    type(game).broken = False
    developing.go_on()
    game.advance(2 / 60)
    assert game.done == 4
    assert not session.again


def test_the_text_of_an_error_is_drawn_upright(game_with_error: Any) -> None:
    game, _, developing = game_with_error
    developing._screen.lines = [("upright", PLAIN)]
    game.advance(1 / 60)
    lit = (game.pixels()[..., :3] > 60).any(axis=(1, 2))
    assert lit[: len(lit) // 2].sum() > lit[len(lit) // 2 :].sum()
    for name in (
        "strip.frag",
        "overlay.frag",
    ):  # gl_FragCoord would be upside down: Mesa reads the image of a window that way
        assert "gl_FragCoord" not in shaders.load(name).text


def test_an_error_has_greek_and_cyrillic_letters() -> None:
    missing_glyph, *glyphs = (
        PanelText(1, all_scripts=True).word(letter, PLAIN).tobytes() for letter in "日ЖλÄ"
    )
    assert missing_glyph not in glyphs
    assert len({*glyphs}) == 3


def test_new_code_without_a_module_also_ends_an_error(
    game_with_error: Any, modules: Modules
) -> None:
    _, _, developing = game_with_error
    reloading = Reloading([modules.folder], list)
    path = modules.write("livethird", "Z = 1\n")
    assert not reloading.take([path])
    developing._reloading = reloading
    developing.go_on()
    assert developing.show(KeyError("no level"))
    assert reloading.take([path])
    developing.release()
    assert not reloading.take([path])


def test_a_banner_lists_each_open_error_once(game_with_error: Any) -> None:
    _, _, developing = game_with_error
    developing.go_on()
    developing.say([fw.AssetError("a.png"), fw.AssetError("b.png"), fw.AssetError("a.png")])
    assert [line for line, _ in developing._banner.lines[:-1]] == [
        "AssetError: a.png",
        "AssetError: b.png",
    ]
    developing.say(map(fw.AssetError, map(str, range(20))))
    assert len(developing._banner.lines) == 7
    developing.say([])
    assert developing._banner is None


@pytest.mark.parametrize(("pressed", "again"), [("R", True), ("ESCAPE", False)])
def test_keys_restart_or_close_the_game_and_are_not_its_input(
    game_with_error: Any, pressed: str, again: bool
) -> None:
    game, session, _ = game_with_error
    game.display.window.dispatch_event("on_key_press", getattr(fw.key, pressed), 0)
    assert game._engine.stage.exiting
    assert session.again == again
    assert game._engine.stage.inbox.events == []


def test_c_copies_the_traceback(game_with_error: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    game, _, _ = game_with_error
    copied: list[str] = []
    monkeypatch.setattr(game.display.window, "set_clipboard_text", copied.append, raising=False)
    game.display.window.dispatch_event("on_key_press", fw.key.C, 0)
    assert copied[0].endswith("KeyError: 'smoke'\n")
    assert "in update" in copied[0]


def test_without_a_window_an_error_is_raised(make: Make) -> None:
    game = make(Fails, size=(96, 54))
    DevelopmentSession(None).attach(game)
    with pytest.raises(KeyError, match="smoke"):
        game.run(10)


def test_an_error_has_its_line_and_only_calls_of_the_game() -> None:
    try:
        fw.SpriteBatch("ship.png", count=-1)
    except ValueError as error:
        (where, *_) = told(error)
        lines = [line for line, _ in described(error)]
    assert where.startswith("test_developing.py:")
    assert lines[0].startswith("ValueError: count")
    assert any(line.startswith(">") and "count=-1" in line for line in lines)
    assert not any("framework/" in line for line in lines)
    assert told(SyntaxError("no", ("a/b.py", 7, 1, "x"))) == ["b.py:7:", "SyntaxError: no"]


# -- a run that is repeated with new code ----------------------------------------------------------

WALK = """
import framework as fw
class Walk(fw.Game):
    def setup(self):
        self.x = 0
    def update(self, dt):
        self.x += STEP if self.keys.held("d") else 0
STEP = 1
"""


def test_the_recording_is_kept_while_the_new_code_fails(modules: Modules, make: Make) -> None:
    from framework.tools.replays import play_again

    module = modules.add("walking", WALK)
    session = DevelopmentSession("replay", play_again)
    try:
        game = make(module.Walk, size=(32, 32))
        session.attach(game)
        game.testing.press("d")
        for _ in range(10):
            game.advance(1 / 60)
        assert session.reloading is not None
        for text, x in [("STEP = 1 if 'self' else 0", 10), ("STEP = 'x'", None), ("STEP = 2", 20)]:
            session.reloading.take([modules.write("walking", WALK.replace("STEP = 1", text))])
            game.close()
            game = make(module.Walk, size=(32, 32))
            if x is None:
                with pytest.raises(TypeError):
                    session.attach(game)
            else:
                session.attach(game)
                assert (game.x, game.tick) == (x, 10)
        session.forget()
        game.close()
        game = make(module.Walk, size=(32, 32))
        session.attach(game)
        assert (game.x, game.tick) == (0, 0)
    finally:
        session.close()


def test_all_ticks_run_again_with_the_new_code(tmp_path: Path, make: Make) -> None:
    from framework.tools.replays import play_again

    path = tmp_path / "walking.py"
    path.write_text(WALK)
    module: Any = types.ModuleType("walking")
    module.__file__ = str(path)
    sys.modules["walking"] = module
    session = DevelopmentSession("replay", play_again)
    try:
        exec(compile(WALK, str(path), "exec"), vars(module))
        game = make(module.Walk, size=(32, 32))
        session.attach(game)
        game.testing.press("d")
        for _ in range(10):
            game.advance(1 / 60)
        assert game.x == 10
        path.write_text(WALK.replace("STEP = 1", "STEP = 5"))
        assert session.reloading is not None
        session.reloading.take([str(path)])
        assert session.begins_anew()
        game.close()
        again = make(module.Walk, size=(32, 32))
        session.attach(again)
        assert (again.x, again.tick) == (50, 10)
        assert not session.begins_anew()
        again.advance(1 / 60)  # the key is still held, and the clock runs ticks again
        assert (again.x, again.tick) == (55, 11)
    finally:
        session.close()
        del sys.modules["walking"]


# -- reloaded models, fonts and music --------------------------------------------------------------

OBJ = (
    "mtllib it.mtl\nv -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\n"
    "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nusemtl skin\nf 1/1 2/2 3/3 4/4\n"
)


@pytest.fixture
def watched_files() -> Iterator[None]:
    Reloadable.start()
    yield
    Reloadable.objects = None


def test_a_model_its_image_and_its_shader_are_reloaded(
    watched_files: None, tmp_path: Path, make: Make
) -> None:
    def write(name: str, text: str) -> str:
        (tmp_path / name).write_text(text)
        return os.path.realpath(tmp_path / name)

    obj = write("it.obj", OBJ)
    write("it.mtl", "newmtl skin\nKd 1 1 1\nmap_Kd skin.png\n")
    save_image(tmp_path / "skin.png", "red")
    glow = write(
        "glow.frag", '#include "surface.glsl"\nvoid main() { color = vec4(0, 0, 1, 1); }\n'
    )

    class Shown(fw.Game):
        def setup(self) -> None:
            model = fw.Model(obj)
            mesh, material = model.merged()[0]
            material.unlit = material.double_sided = True
            card = fw.Material(
                base_texture=str(tmp_path / "skin.png"), unlit=True, double_sided=True
            )
            self.world.camera.position = 0, 0, 4
            self.world.camera.look_at((0, 0, 0))
            self.add(fw.ModelBatch(model, 1))
            self.add(fw.MeshBatch(mesh, 1, material=card)).position = (-2.2, 0, 0)
            self.own = fw.Material(shader=glow)
            self.add(fw.MeshBatch(fw.Mesh.plane(), 1, material=self.own)).position = (40, 0, 0)

    game = make(Shown, background=(0, 0, 0), frame_stats=False)
    said: list[str] = []
    reloading = Reloading([tmp_path], lambda: game._backend.drawables.reloaded(), said.append)

    def middle() -> tuple[int, ...]:
        game.advance(0)
        row = game.pixels()[game.pixels().shape[0] // 2, :, :3]
        across = len(row) // 2
        # the same color in a batch of the model and of its mesh
        assert (row[across - len(row) // 5] == row[across]).all()
        return tuple(row[across].tolist())

    assert middle() == (255, 0, 0)
    assert reloading.take([save_image(tmp_path / "skin.png", "lime")])
    assert (middle(), reloading.errors) == ((0, 255, 0), {})
    assert reloading.take([save_image(tmp_path / "skin.png", "blue", (16, 4))])
    assert middle() == (0, 0, 255)
    assert reloading.take(
        [write("it.obj", OBJ.replace("v -1 -1 0\nv 1 -1 0", "v -1 .5 0\nv 1 .5 0"))]
    )
    assert (middle(), reloading.errors) == ((0, 0, 0), {})
    assert reloading.take([write("it.obj", OBJ.replace("f 1/1 2/2 3/3 4/4", "f 1/1 2/2 99/3"))])
    assert isinstance(reloading.error, fw.AssetError)
    assert middle() == (0, 0, 0)
    counts = []
    text = Path(glow).read_text()
    for turn in range(8):
        assert reloading.take([write("it.obj", OBJ.replace("v 1 -1", f"v 1.{turn % 2} -1"))])
        assert middle() == (0, 0, 255)
        assert reloading.take([write("glow.frag", text + "\n" * (turn % 2))])
        game.advance(0)
        gc.collect()
        counts.append(len(gc.get_objects()))
    assert counts[-1] - counts[3] < 60  # a mesh on the GPU is some 30 objects
    assert reloading.errors == {}
    assert reloading.take([write("glow.frag", "void main() { oh; }")])
    assert isinstance(reloading.error, fw.ShaderError)
    assert middle() == (0, 0, 255)


def test_fonts_are_reloaded_and_their_glyphs_use_no_more_memory(tmp_path: Path, make: Make) -> None:
    from framework.resources import folder

    plain, bold = (folder("fonts") / name for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"))
    path = tmp_path / "own.ttf"
    path.write_bytes(plain.read_bytes())

    class Written(fw.Game):
        def setup(self) -> None:
            self.text = self.add(fw.TextBatch(str(path)), camera=self.hud)
            self.label = self.text.add("Hello", (4, 4))
            self.ui.theme = fw.Theme(font=str(path))
            self.ui.row(anchor="top").label("Hi")

    game = make(Written)
    reloading = Reloading([tmp_path], lambda: game._backend.drawables.reloaded())
    game.run_ticks(1)
    game.advance(0)
    before = game.pixels()
    wide = game.label.size[0]
    count = len(images_of(game.text._writer.sprites))
    for font in (bold, plain, bold):
        path.write_bytes(font.read_bytes())
        assert reloading.take([os.path.realpath(path)])
        game.run_ticks(1)
        game.advance(0)
    assert reloading.errors == {}
    assert game.label.size[0] > wide
    assert len(images_of(game.text._writer.sprites)) == count + 1  # and one empty image
    half = len(before) // 2
    assert (game.pixels()[:half] != before[:half]).any()
    assert (game.pixels()[half:] != before[half:]).any()
    game.label.text = "Hello you"
    now = game.pixels()
    path.write_bytes(b"no font")
    assert reloading.take([os.path.realpath(path)])
    assert isinstance(reloading.error, fw.AssetError)
    game.label.text = "Hello"
    game.run_ticks(1)
    game.advance(0)
    assert (game.pixels() == now).all()


def test_music_continues_in_the_new_file(watched_files: None, tmp_path: Path, make: Make) -> None:
    path = tmp_path / "theme.wav"
    wav(path, np.zeros(96_000))
    game = make()
    voice = game.audio.music.play(str(path), loop=False)
    game.run_ticks(60)
    before = track_of(voice).place
    wav(path, np.full(200_000, 0.5))
    assert Reloading([tmp_path], list).take([os.path.realpath(path)])
    game.run_ticks(120)
    assert voice.playing
    assert track_of(voice).place > before > 0


def test_changes_during_setup_are_noticed(
    modules: Modules, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(fw.Game):
        def setup(self) -> None:
            modules.write("liveone", "X = 5\n")

    module = modules.add("liveone", "X = 1\n")
    session = DevelopmentSession("code")
    monkeypatch.setattr(development_run, "folders_of", lambda game_class: [modules.folder])
    with session.made(Slow, {"headless": True, "size": (16, 16)}) as game:
        session.attach(game)
        assert session.reloading is not None
        changed = [path for _, path in polls(session.reloading.watch, SECOND, 0.5)]
        assert session.reloading.take(changed)
        assert module.X == 5
    session.close()


@pytest.mark.parametrize("options", [{"headless": True}, {"drawing": False}])
def test_an_error_in_setup_ends_a_game_without_a_window(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Fails(fw.Game):
        def setup(self) -> None:
            raise KeyError("smoke")

    monkeypatch.setattr("framework.game.window.display_reachable", lambda: True)
    session = DevelopmentSession(None)
    with pytest.raises(KeyError, match="smoke"):
        session.made(Fails, {"size": (16, 16), **options})
    session.close()


WORDS = (
    "columns: expected names such as 'velocity', got "
    + "x" * 150
    + "; pass columns={'hp': 3.0} for columns of your own"
)


@pytest.mark.parametrize("width", [40, 200, 333, 5000])
@pytest.mark.parametrize("text", [WORDS, f"      {WORDS}", "", "    ", "a", "ß中\u0301 " * 90])
def test_wrapped_lines_of_a_panel_keep_every_letter(width: int, text: str) -> None:
    panel = PanelText(1, all_scripts=True)
    lines = panel.wrapped(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    for line in lines:
        assert panel.word(line, PLAIN).shape[1] <= width
    if width == 5000:
        assert lines == [text.rstrip()]


def test_a_long_error_is_drawn_whole_and_wraps_again_in_another_size() -> None:
    panel = MessagePanel([(WORDS, ALARM), ("next", PLAIN)], whole=True)
    panel._scale = 1
    panel._panel_text = PanelText(1, all_scripts=True)
    narrow = panel.shown(320, 400)
    wide = panel.shown(1280, 400)
    assert len(narrow) > len(wide) > 1
    for lines in (narrow, wide):
        assert lines[-1] == ("next", PLAIN)
        assert "".join("".join(words for words, _ in lines[:-1]).split()) == WORDS.replace(" ", "")
        assert {color for _, color in lines[:-1]} == {ALARM}
    assert len(panel.shown(40, 100)) == 5  # the lines that fit
    million = MessagePanel([("x" * 1_000_000, ALARM)] * 50, whole=True)
    million._scale = 1
    million._panel_text = panel._panel_text
    assert len(million.shown(100, 300)) == 18
