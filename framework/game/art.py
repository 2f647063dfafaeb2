"""Built-in images, characters, tiles, sounds, music and a font, for games without their own files.

For example, ``self.sprites.add(fw.art.ship)`` adds a sprite with a built-in image. You can pass a
built-in image wherever you can pass an image file. It is a uint8 array of shape (height, width, 4),
with the channels red, green, blue and alpha. Characters such as ``fw.art.hero`` are `Clips` of
pixel art, for a `SpriteBatch`. ``fw.art.platformer`` is a tile set with names for its tiles and
terrains. Everything else is grouped by kind, for example ``fw.art.items.coin``,
``fw.art.sounds.coin``, ``fw.art.music.calm`` and ``fw.art.fonts.pixel``. ``dir`` lists the names in
a group, and `names` lists all images, characters and tile sets that are not in a group. An image is
loaded or drawn when your program first uses it. All built-in art is in the public domain (CC0).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ..assets.artwork import IMAGES
from ..checks import nearest
from ..current_game import current_game

if TYPE_CHECKING:
    from ..arrays import Pixels
    from ..assets.clips import Clips
    from ..audio.sound import Sound
    from ..tiles.tile_kit import TileKit

# Effects and backgrounds: large images with smooth edges.
ball: Pixels
bullet: Pixels
coin: Pixels
crate: Pixels
enemy: Pixels
heart: Pixels
panel: Pixels
rock: Pixels
ship: Pixels
star: Pixels
tiles: tuple[Pixels, ...]
tree: Pixels
walker: tuple[Pixels, ...]
# Characters in pixel art.
bat: Clips
bee: Clips
beetle: Clips
elder: Clips
explorer: Clips
farmer: Clips
ghost: Clips
guard: Clips
hero: Clips
heroine: Clips
knight: Clips
plant: Clips
slime: Clips
villager: Clips
# Tile sets in pixel art.
platformer: TileKit
topdown: TileKit

_IMAGES = tuple(__annotations__)
_KITS = ("platformer", "topdown")
_CHARACTERS = tuple(name for name in _IMAGES if name not in IMAGES and name not in _KITS)

__all__ = [*_IMAGES, "names"]


def names() -> tuple[str, ...]:
    """Return the names of all built-in images, characters and tile sets that are not in a group, in
    alphabetical order. For the names in a group, call ``dir``: ``dir(fw.art.items)`` or
    ``dir(fw.art.sounds)``.
    """
    return tuple(sorted(_IMAGES))


class _Group:
    """The base class of all groups of built-in art, such as ``fw.art.sounds``. Each subclass lists
    the names of its group as annotations.
    """

    _kind = ""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            options = dir(self)
            if name not in options:
                raise AttributeError(_no(self._kind, name, options))
            return self._made(name)

    def _made(self, name: str) -> Any:
        raise NotImplementedError

    def __dir__(self) -> list[str]:
        return sorted(type(self).__annotations__)

    def __repr__(self) -> str:
        return f"<fw.art.{self._kind}s: {', '.join(dir(self))}>"


class _Items(_Group):
    """Items that a character can collect or use: ``fw.SpriteBatch(fw.art.items.coin)``.

    The images are pixel art, 16 × 16 pixels each. Animated items are `Clips` with the clip "idle".
    The chest has the clips "closed" and "open".
    """

    _kind = "item"

    amethyst: Clips
    apple: Pixels
    blue_potion: Pixels
    bomb: Clips
    bow: Pixels
    chest: Clips
    coin: Clips
    emerald: Clips
    empty_heart: Pixels
    gem: Clips
    green_potion: Pixels
    heart: Clips
    key: Clips
    mushroom: Pixels
    potion: Pixels
    ruby: Clips
    scroll: Pixels
    shield: Pixels
    silver_coin: Clips
    silver_key: Clips
    star: Clips
    sword: Pixels

    def _made(self, name: str) -> Any:
        return _pixel_art("items", name)


class _Icons(_Group):
    """Icons for menus: ``fw.art.icons.gear``. The images are white pixel art with a dark outline,
    16 × 16 pixels each.

    The icons ``key_a``, ``key_space`` and so on show keyboard keys. The icons ``pad_a``, ``dpad``
    and so on show parts of a gamepad.
    """

    _kind = "icon"

    backward: Pixels
    bag: Pixels
    camera: Pixels
    chat: Pixels
    check: Pixels
    clock: Pixels
    cross: Pixels
    down: Pixels
    dpad: Pixels
    exit: Pixels
    eye: Pixels
    forward: Pixels
    fullscreen: Pixels
    gamepad: Pixels
    gear: Pixels
    heart: Pixels
    home: Pixels
    info: Pixels
    key_a: Pixels
    key_b: Pixels
    key_c: Pixels
    key_d: Pixels
    key_down: Pixels
    key_e: Pixels
    key_enter: Pixels
    key_escape: Pixels
    key_left: Pixels
    key_q: Pixels
    key_right: Pixels
    key_s: Pixels
    key_shift: Pixels
    key_space: Pixels
    key_up: Pixels
    key_w: Pixels
    key_x: Pixels
    key_y: Pixels
    key_z: Pixels
    keyboard: Pixels
    left: Pixels
    load: Pixels
    lock: Pixels
    map: Pixels
    menu: Pixels
    minus: Pixels
    mouse: Pixels
    mouse_left: Pixels
    mouse_right: Pixels
    music: Pixels
    mute: Pixels
    network: Pixels
    pad_a: Pixels
    pad_b: Pixels
    pad_left: Pixels
    pad_right: Pixels
    pad_x: Pixels
    pad_y: Pixels
    pause: Pixels
    pencil: Pixels
    play: Pixels
    player: Pixels
    players: Pixels
    plus: Pixels
    question: Pixels
    restart: Pixels
    right: Pixels
    save: Pixels
    search: Pixels
    sound: Pixels
    star: Pixels
    stick: Pixels
    stop: Pixels
    trash: Pixels
    trophy: Pixels
    unlock: Pixels
    up: Pixels
    warning: Pixels

    def _made(self, name: str) -> Any:
        return _pixel_art("icons", name)


class _Vehicles(_Group):
    """Images of cars, spaceships and similar things, seen from above:
    ``fw.SpriteBatch(fw.art.vehicles.fighter)``.

    The images are pixel art. The front of each vehicle points up. Animated vehicles are `Clips`
    with the clip "idle".
    """

    _kind = "vehicle"

    asteroid: Pixels
    blue_car: Pixels
    boat: Pixels
    car: Pixels
    cruiser: Clips
    fighter: Clips
    plane: Clips
    planet: Pixels
    red_fighter: Clips
    red_planet: Pixels
    red_shot: Pixels
    rocket: Clips
    saucer: Clips
    shot: Pixels
    small_asteroid: Pixels
    tank: Pixels
    yellow_car: Pixels

    def _made(self, name: str) -> Any:
        return _pixel_art("vehicles", name)


class _Particles(_Group):
    """Images for effects: ``fw.art.particles.spark``. The images are pixel art, 8 to 32 pixels wide
    and high.

    Animated particles are `Clips` with the clip "idle". The clips of the explosion, the ring, the
    smoke, the dust and the cloud play once. The clips of the flame and the sparkle repeat.
    """

    _kind = "particle"

    bubble: Pixels
    cloud: Clips
    drop: Pixels
    dust: Clips
    explosion: Clips
    flame: Clips
    heart: Pixels
    leaf: Pixels
    note: Pixels
    petal: Pixels
    ring: Clips
    smoke: Clips
    snow: Pixels
    spark: Pixels
    sparkle: Clips
    star: Pixels

    def _made(self, name: str) -> Any:
        return _pixel_art("particles", name)


class _Backgrounds(_Group):
    """Background layers for a game: ``fw.art.backgrounds.hills`` is a tuple of images, the farthest
    layer first.

    Each layer has 320 × 180 pixels. A `Backdrop` can repeat a layer along x without a visible seam.
    """

    _kind = "background"

    cave: tuple[Pixels, ...]
    forest: tuple[Pixels, ...]
    hills: tuple[Pixels, ...]
    night: tuple[Pixels, ...]
    space: tuple[Pixels, ...]

    def _made(self, name: str) -> Any:
        return _pixel_art("backgrounds", name)


class _Sounds(_Group):
    """The built-in sounds, by name: ``fw.art.sounds.jump.play()``."""

    _kind = "sound"

    back: Sound
    blip: Sound
    bounce: Sound
    checkpoint: Sound
    chest: Sound
    click: Sound
    coin: Sound
    confirm: Sound
    dash: Sound
    die: Sound
    door: Sound
    error: Sound
    explosion: Sound
    gem: Sound
    heal: Sound
    hit: Sound
    hover: Sound
    hurt: Sound
    jump: Sound
    key: Sound
    land: Sound
    laser: Sound
    lose: Sound
    magic: Sound
    pause: Sound
    powerup: Sound
    shot: Sound
    splash: Sound
    step_grass: Sound
    step_stone: Sound
    step_wood: Sound
    switch: Sound
    sword: Sound
    win: Sound

    def _made(self, name: str) -> Any:
        return _sound(name)


class _Music(_Group):
    """The built-in music: ``self.audio.music.play(fw.art.music.calm)``.

    Each name is the path of an Ogg Vorbis file. The music can repeat without a gap.
    """

    _kind = "music"

    adventure: str
    calm: str
    tense: str
    title: str

    def _made(self, name: str) -> Any:
        from ..assets.art_files import FOLDER

        return str(Path(FOLDER, f"{name}.ogg"))

    def __repr__(self) -> str:
        return f"<fw.art.music: {', '.join(dir(self))}>"


class _Fonts(_Group):
    """The built-in fonts, by name: ``fw.TextBatch(fw.art.fonts.pixel, 10)``."""

    _kind = "font"

    title: str = "Oxanium"
    """A font for titles and menus, with Latin letters (SIL Open Font License).

    For other letters, pass a list: ``font=[fw.art.fonts.title, "DejaVuSans"]``.
    """
    pixel: str = "Subtick Pixel"
    """A font for pixel art, with Latin, Greek and Cyrillic letters.

    At font size 10, each pixel of a letter is one pixel of the game's image. At font size 20, each
    pixel of a letter is two by two pixels of the image, and so on.
    """


backgrounds = _Backgrounds()
fonts = _Fonts()
icons = _Icons()
items = _Items()
music = _Music()
particles = _Particles()
sounds = _Sounds()
vehicles = _Vehicles()
_GROUPS: dict[str, _Group] = {
    "items": items,
    "sounds": sounds,
    "icons": icons,
    "vehicles": vehicles,
    "particles": particles,
    "backgrounds": backgrounds,
    "music": music,
    "fonts": fonts,
}
__all__ += _GROUPS
__all__.sort()


def __dir__() -> list[str]:
    return __all__


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in IMAGES:
            return _picture(name)
        if name in _CHARACTERS:
            return _pixel_art("characters", name)
        if name in _KITS:
            return _kit(name)
        raise AttributeError(_no("picture", name, names()))


@cache
def _picture(name: str) -> Any:
    return IMAGES[name]()


def _pixel_art(group: str, name: str) -> Any:
    # Imported here because only games that use pixel art read image files.
    from ..assets.art_files import picture

    return picture(group, name)


_kits: WeakKeyDictionary[Any, dict[str, TileKit]] = WeakKeyDictionary()


def _kit(name: str) -> TileKit:
    """Return a built-in tile set for the current game. All layers of the game share the built-in
    tile set and its textures. Two games cannot share textures, so each game gets its own tile set.
    """
    from ..assets.art_files import FOLDER, index
    from ..tiles.tile_kit import TileKit

    game = current_game()
    kits = {} if game is None else _kits.setdefault(game, {})
    if name not in kits:
        entry = index()["tiles"][name]
        kits[name] = TileKit(name, str(FOLDER / f"{name}.png"), entry)
    return kits[name]


@cache
def _sound(name: str) -> Any:
    from ..audio.sound import Sound  # imported here so that games without sounds do not load it
    from ..audio.sound_set import samples

    sound = Sound.of(samples(name))
    sound.name = f"fw.art.sounds.{name}"
    return sound


def _no(kind: str, name: str, options: Any) -> str:
    end = ""
    if kind == "picture":
        groups = [label for label, group in _GROUPS.items() if name in dir(group)]
        if groups:
            label = _GROUPS[groups[0]]._kind
            article = "an" if label[0] in "aeiou" else "a"
            calls = " or ".join(f"fw.art.{group}.{name}" for group in groups)
            return f"fw.art has no picture {name!r}, but {article} {label}: write {calls}"
        end = "; fw.art.sounds has sounds, fw.art.items has items"
    return (
        f"fw.art has no {kind} {name!r}; did you mean {nearest(name, options)}? It has "
        f"{', '.join(options)}{end}"
    )
