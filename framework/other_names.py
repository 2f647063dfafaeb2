"""Names of other engines: errors and warnings that contain the name in this framework.

`other_names` declares names that users of other engines type first, such as ``game.time_scale``.
Each name is a descriptor of a class. Therefore the declarations do not slow down any other
attribute. Names that this framework itself had earlier are in `moved_names`.
"""

from __future__ import annotations

import dis
import inspect
import os
import re
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

from .checks import unknown_attribute
from .moved_names import Absent, current_names

C = TypeVar("C", bound=type)

_SILENCE = "If the name is your own, declare it in the class: own_names = ({name!r},)"


_PLAIN = (str, bytes, int, float, tuple, list)  # a bool is an int


class OtherName(Absent):
    """A descriptor for a name that only other engines use. Reading the attribute raises
    `AttributeError` with advice.
    """

    def __init__(self, owner: str, name: str, advice: str) -> None:
        self.name = name
        self.advice = advice
        self.message = f"{owner}.{name}: there is no such attribute; {advice}"


class OtherSetting(OtherName):
    """An `OtherName` that programs also set. Setting the attribute of an object of the framework
    raises the same error.

    Objects of a game's own class may use the name for an attribute of their own.
    """

    def __set__(self, instance: object, value: object) -> None:
        kind = type(instance)
        if _is_framework(kind.__module__) or not hasattr(instance, "__dict__"):
            raise AttributeError(self.message)
        vars(instance)[self.name] = value
        declare_own(kind, [self.name])


class SealedByClass:
    """A base class of objects of the framework that have a ``__dict__``. Setting an attribute that
    the class does not declare raises `AttributeError` with the nearest name.

    The class declares properties, and the names in ``_public_attributes``. Names with a leading
    underscore are free. Subclasses in games accept any attribute.
    """

    _public_attributes: ClassVar[tuple[str, ...]] = ()

    if not TYPE_CHECKING:  # type checkers would accept every name

        def __setattr__(self, name: str, value: object) -> None:
            kind = type(self)
            if type(kind.__dict__.get(name)) is property:  # the usual case
                object.__setattr__(self, name, value)
                return
            if name[0] != "_" and name not in kind._public_attributes:
                declared = _static(kind, name)
                if isinstance(declared, OtherName) and not hasattr(type(declared), "__set__"):
                    if _is_framework(kind.__module__):
                        raise AttributeError(declared.message, name=None, obj=None)
                elif declared is None and _is_framework(kind.__module__):
                    raise AttributeError(unknown_attribute(kind, name), name=None, obj=None)
            object.__setattr__(self, name, value)


class FreeName(OtherName):
    """An `OtherName` that a class of the game may use for an attribute of its own.

    Setting the attribute stores the value in the object. If the game's code never reads the
    attribute, the first assignment warns. After the first assignment, the attribute is an ordinary
    attribute of the class, and takes no additional time.
    """

    def __get__(self, instance: object, owner: type) -> Any:
        if instance is not None and self.name in vars(instance):
            return vars(instance)[self.name]
        return super().__get__(instance, owner)

    def __set__(self, instance: object, value: object) -> None:
        kind = type(instance)
        vars(instance)[self.name] = value
        declare_own(kind, [self.name])
        # An object, such as a label in self.title, is only kept: no engine takes one here.
        if isinstance(value, _PLAIN) and not is_read(self.name, kind, sys._getframe(1)):
            warnings.warn(
                f"{kind.__name__}.{self.name}: it was set, but nothing reads it; {self.advice}. "
                f"{silenced_by(self.name)}",
                RuntimeWarning,
                stacklevel=2,
            )


def other_names(
    owner: str,
    names: Mapping[str, str],
    settings: Mapping[str, str] | None = None,
    free: Mapping[str, str] | None = None,
) -> Callable[[C], C]:
    """Return a class decorator that declares names of other engines, each with advice.

    ``owner`` is the word that messages use for an object of the class. ``settings`` are names that
    programs also set. Objects of games may use the names in ``free`` for attributes of their own.
    """

    def decorate(kind: C) -> C:
        declarations = ((OtherName, names), (OtherSetting, settings or {}), (FreeName, free or {}))
        for descriptor, mapping in declarations:
            for name, advice in mapping.items():
                if not isinstance(vars(kind).get(name), Absent | None):
                    raise TypeError(f"{kind.__name__} has {name!r}, which cannot have advice")
                setattr(kind, name, descriptor(owner, name, advice))
        if vars(kind).get("__dir__", getattr(kind, "__dir__", None)) == object.__dir__:
            setattr(kind, "__dir__", _current_dir)  # noqa: B010  (mypy refuses the assignment)
        return kind

    return decorate


def _current_dir(instance: object) -> list[str]:
    """Return the names for `dir` of an object, without names of other engines."""
    return current_names(type(instance), object.__dir__(instance))


def words(names: str, advice: str) -> dict[str, str]:
    """Return a dict with the same advice for each of ``names``, which are separated by spaces."""
    return dict.fromkeys(names.split(), advice)


_DRAWN = "nothing is drawn in each frame: write shapes = self.add(fw.Shapes()) in setup, and "
_PHYSICS = "write physics = fw.Physics2D(self, gravity=(0, -900)) and bodies = physics.add(batch)"
_SCENES = "write class Level(fw.Scene), and game.push(Level()) or game.show(Level())"
_IMAGES = "an image is a path: write self.sprites.add('ship.png', position=(x, y))"

PACKAGE = {
    **words(
        "PointLight SpotLight OmniLight3D", "write self.world.lights.add((0, 3, 0), intensity=5)"
    ),
    **words("PointLight2D Light2DSource LightLayer", "write fw.Lights2D"),
    **words("Lights3D", "write self.world.lights"),
    **words(
        "DirectionalLight AmbientLight DirectionalLight3D",
        "write self.world.sun_direction = (1, 2, 1), sun_color and the other attributes of a World",
    ),
    **words("Sky Skybox WorldEnvironment Environment", "write self.world.sky = True"),
    **words("Fog", "write self.world.fog = 0.02"),
    **words("Text Label3D Label2D TextMesh Text3D", "write self.labels.add('Score 0', (16, 16))"),
    **words(
        "Button Slider Checkbox UIManager CheckBox TextInput InputField Panel Control Canvas GUI UI "
        "UIFlatButton ProgressBar",
        "write menu = self.ui.column() and menu.button('Go', self.go)",
    ),
    **words("Menu PauseMenu Settings", "write fw.scenes.Menu, or menu = self.ui.column()"),
    **words(
        "Entity GameObject Actor Node2D AnimatedSprite Sprite2D SpriteSolidColor Prefab",
        "write batch = self.add(fw.SpriteBatch(image)) and batch.add(position=(x, y))",
    ),
    **words("Node3D Sprite3D", "write fw.MeshBatch, fw.Billboards or fw.Nodes3D"),
    **words("SpriteList Group SpriteGroup Batch", "write self.add(fw.SpriteBatch(image))"),
    **words("instantiate spawn create add", "write batch.add(position=(x, y))"),
    **words("destroy kill", "write sprite.remove()"),
    **words(
        "Window App Application open_window create_window init EventLoop set_mode display",
        "write class MyGame(fw.Game), and fw.run(MyGame, size=(1280, 720))",
    ),
    **words("Camera OrthographicCamera", "write self.camera, or self.world.camera in 3D"),
    **words("PerspectiveCamera", "write self.world.camera"),
    **words(
        "OrbitCamera EditorCamera ArcballCamera", "write fw.Orbit(self.world.camera, distance=10)"
    ),
    **words("FirstPersonController FlyCamera FreeCamera", "write fw.Fly(self.world.camera)"),
    **words("FollowCamera SmoothFollow", "write fw.Follow(self.camera, sprite, smoothing=0.8)"),
    **words(
        "Vec2 Vec3 Vector2 Vector3 vec2 vec3 Vector",
        "positions are tuples and NumPy arrays: (x, y)",
    ),
    **words("Quaternion Quat", "write from framework import quaternions"),
    **words(
        "Timer Clock time clock",
        "write self.schedule.once(function, 1.0); dt is in update(self, dt)",
    ),
    **words("AudioSource AudioPlayer AudioStreamPlayer", "write fw.Sound('jump.wav').play()"),
    **words("load_sound play_sound sound", "write fw.Sound('jump.wav').play()"),
    **words(
        "Music music mixer load_music play_music",
        "write fw.Sound('jump.wav').play(), or self.audio.music.play('theme.ogg')",
    ),
    **words(
        "Color color colors Rect", "colors and rectangles are tuples: color='red' or (1, 0, 0)"
    ),
    **words("RED GREEN BLUE WHITE BLACK YELLOW", "write color='red'"),
    **words("load load_image load_texture Image Texture2D Surface image", _IMAGES),
    **words("load_tilemap load_tiled Tilemap TileMapLayer Tiled", "write fw.TileMap('level.tmx')"),
    **words("Tileset", "write fw.TileSet"),
    **words("load_model load_mesh", "write fw.Model('duck.glb')"),
    **words("Font load_font", "write self.add(fw.TextBatch('title.ttf', 24))"),
    **words("draw_text", "write self.labels.add('Score 0', (16, 16)) once in setup"),
    **words(
        "draw_circle draw_circle_filled Circle circle", _DRAWN + "shapes.add_circle((x, y), 20)"
    ),
    **words(
        "draw_rectangle draw_rect draw_rectangle_filled draw_rect_filled draw_lrbt_rectangle_filled "
        "Rectangle rect",
        _DRAWN + "shapes.add_box((x, y), (40, 20))",
    ),
    **words("draw_line Line line", _DRAWN + "shapes.add_line((0, 0), (9, 9))"),
    **words("draw_texture draw_sprite draw_texture_rect", _IMAGES),
    **words("Box Cube Cuboid", "write fw.MeshBatch(fw.Mesh.box())"),
    **words("Sphere Ball", "write fw.MeshBatch(fw.Mesh.sphere())"),
    **words("Quad Plane", "write fw.MeshBatch(fw.Mesh.plane((20, 20)))"),
    **words("Cylinder", "write fw.MeshBatch(fw.Mesh.cylinder())"),
    **words("random randint", "write self.random.integers(1, 7), which a replay repeats"),
    **words("math", "write import math"),
    **words("clamp", "write min(max(value, low), high), or np.clip(values, low, high)"),
    **words("lerp", "write a + (b - a) * t, or self.tween(sprite, x=400, duration=1)"),
    **words("distance", "write math.dist(sprite.position, other.position)"),
    **words("keys Input Keyboard keyboard held_keys is_key_pressed", "write self.keys['space']"),
    **words("Joystick Controller Gamepad0 joystick", "write self.pads[0]"),
    **words(
        "check_for_collision check_for_collision_with_list", "write collide.overlaps(batch, others)"
    ),
    **words("AnimationPlayer AnimatedTexture", "write fw.Clips and batch.play('walk')"),
    **words("Area2D Area3D Trigger", "write physics.add(batch, sensor=True)"),
    **words(
        "RigidBody2D StaticBody2D CollisionShape2D Physics Rigidbody2D PymunkPhysicsEngine Space",
        _PHYSICS,
    ),
    **words("RigidBody RigidBody3D Rigidbody StaticBody3D", "write fw.Physics3D(self)"),
    **words(
        "CharacterBody2D KinematicBody2D PhysicsEngine PhysicsEnginePlatformer PhysicsEngineSimple",
        "write collide.move(position, size, displacement, level['ground'])",
    ),
    **words("CharacterBody3D", "write physics.character(body)"),
    **words("Particles2D ParticleSystem ParticleEmitter GPUParticles2D", "write fw.Particles"),
    **words("SceneManager SceneTree Screen Level", _SCENES),
    **words("Signal signal", "write game.subscribe('hit', function) and game.emit('hit')"),
    **words("move_and_slide", "write collide.move(position, size, velocity * dt, level['ground'])"),
    **words("window", "write game.display, such as game.display.title = 'My game'"),
    **words("font", "write self.labels.add('Score 0', (16, 16), font_size=24)"),
    **words("draw", _DRAWN + "shapes.add_circle((x, y), 20)"),
    **words("event", "write on_key_press(self, symbol, modifiers) in your class of fw.Game"),
    **words(
        "draw_cube draw_sphere draw_model draw_mesh", "write self.add(fw.MeshBatch(fw.Mesh.box()))"
    ),
    **words("is_key_down is_key_held get_key", "write self.keys['space']"),
    **words("init_window begin_drawing end_drawing clear_background flip", "write fw.run(MyGame)"),
    **words("tween Tween2 animate", "write self.tween(sprite, x=400, duration=1)"),
    **words("exit quit close", "write game.exit()"),
    **words("sprite", "write self.sprites.add('ship.png', position=(x, y))"),
    **words("update", "write update(self, dt) in your class of fw.Game"),
}
"""Advice about names that other engines have in their package, such as ``Button``."""


def advice_on(name: str) -> str | None:
    """Return advice about a name that the package does not have, or None."""
    if name[:2] == "K_" or name[:4] == "KEY_":
        return f"write fw.key.{name.partition('_')[2].upper()}, or self.keys['space']"
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()  # LoadTexture
    return PACKAGE.get(name) or PACKAGE.get(snake)


class Hinted:
    """A base class of objects of the framework. Reading an unknown attribute raises
    `AttributeError`: the message contains the nearest name, or advice about a name of another
    engine.

    Only classes whose attributes are rarely read derive from `Hinted`. Before Python 3.12, each
    read of an attribute takes about 20 ns more in a class with ``__getattr__``.
    """

    __slots__ = ()

    _advice: ClassVar[Mapping[str, str]] = {}
    """Advice about names of other engines, by name."""

    if not TYPE_CHECKING:  # type checkers would accept every name

        def __getattr__(self, name: str) -> NoReturn:
            kind = type(self)
            if any(name in vars(base) for base in kind.__mro__):
                object.__getattribute__(self, name)  # a property that raises an error of its own
            advice = self._advice_on(name)
            if advice is None:
                advice = unknown_attribute(kind, name).partition("; ")[2]
            raise AttributeError(
                f"{kind.__name__} has no attribute {name!r}; {advice}", name=None, obj=None
            )

    def _advice_on(self, name: str) -> str | None:
        return self._advice.get(name)


def declare_own(kind: type, names: Iterable[str]) -> None:
    """Turn names of other engines into ordinary attributes of the class ``kind`` of a game.
    ``names`` are the names that the class uses for its own attributes.
    """
    if _is_framework(kind.__module__):
        return
    for name in names:
        descriptor = _static(kind, name)
        if isinstance(descriptor, FreeName | OtherSetting):
            # No data descriptor, so objects read the value from their own dict. Reading a value
            # that was never set still raises the error with advice.
            own = OtherName("", name, descriptor.advice)
            own.message = descriptor.message
            setattr(kind, name, own)
    for base in kind.__mro__:
        if base is not object and not _is_framework(base.__module__):
            for name, value in list(vars(base).items()):
                # a mixin behind the framework's class
                if name[0] != "_" and isinstance(_static(kind, name), OtherName):
                    setattr(kind, name, value)


def _static(kind: type, name: str) -> Any:
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)


def silenced_by(name: str) -> str:
    """Return a sentence for a warning about ``name``. The sentence says how to silence the warning."""
    return _SILENCE.format(name=name)


Explained = TypeError | AttributeError | OverflowError | ValueError
"""The errors of a game's code to which `explain` adds advice."""

_TUPLE_ERRORS = (
    "can't multiply sequence by non-int of type 'float'",
    "unsupported operand type(s) for -: 'tuple' and 'tuple'",
    "unsupported operand type(s) for /: 'tuple'",
)


def explain(error: Explained) -> None:
    """Add advice to the message of an error in a game's code. There is advice for calculations with
    tuples, such as ``speed * actions["move"]``, and for unknown attributes of the framework's
    objects, such as ``actions.jump``.
    """
    message = str(error)
    if isinstance(error, AttributeError):
        _explain_attribute(error)
    elif message == "'frozenset' object is not callable":
        error.args = (f"{message}; down is the set of held keys: write keys['left']",)
    elif isinstance(error, ValueError):
        if message.endswith(" is read-only"):
            hint = "write camera.position = camera.position + (0, 1, 0), not +="
            rows = "rows that a batch receives, as with fw.Beside(), can only be read"
            error.args = (f"{message}: the array cannot be changed in place; {hint}; {rows}",)
    elif isinstance(error, OverflowError):
        if "out of bounds for uint" in message:
            error.args = (f"{message}; numbers of tiles are at least 0, and 0 is no tile",)
    elif hasattr(error, "__notes__"):
        return
    elif str(error).startswith(_TUPLE_ERRORS):
        error.add_note(
            "Positions, sizes and sticks are tuples of two numbers. Calculate with the numbers "
            "(x, y = self.actions['move']; self.ship.x += 260 * x * dt), or with an array: "
            "np.array(self.actions['move']) * 260 * dt"
        )


def is_called(error: BaseException, name: str) -> bool:
    """Return whether the code that raised an `AttributeError` calls the attribute ``name``, as in
    ``sprite.bounce()``.
    """
    traceback = error.__traceback__
    if traceback is None:
        return False
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    return is_call_in(traceback.tb_frame.f_code, traceback.tb_lasti, name)


def is_call_in(code: CodeType, offset: int, name: str) -> bool:
    """Return whether the instruction at ``offset`` reads the attribute ``name`` to call it, as in
    ``sprite.bounce()``.
    """
    for instruction in dis.get_instructions(code):
        if instruction.offset == offset:
            # since Python 3.12, LOAD_ATTR loads methods too
            loads_method = instruction.opname == "LOAD_METHOD" or "NULL" in instruction.argrepr
            return loads_method and instruction.argval == name
    return False


_READ_ONLY = re.compile(r"property '(?P<name>\w+)' of '(?P<kind>\w+)' object has no setter")
_COMPUTED = {
    ("Label", "size"): "the size follows from the text: write label.font_size, or label.scale",
    ("Sprite", "width"): "the width follows from image and scale: write sprite.scale = (2, 1)",
    ("Sprite", "height"): "the height follows from image and scale: write sprite.scale = (1, 2)",
}
"""Advice about read-only properties that programs for other engines set."""
_RANDOM = {
    **dict.fromkeys(("randint", "randrange"), "write self.random.integers(0, 800)"),
    "sample": "write self.random.choice(items, 3, replace=False)",
    "gauss": "write self.random.normal(0, 1)",
    "choices": "write self.random.choice(items, 3)",
}
"""Advice about methods of Python's module random that NumPy's generator does not have."""
_COORDINATES = ("x", "y", "z")
_MISSING = re.compile(r"'(\w+)' object has no attribute '\w+'(?: and no __dict__.*)?")


def _explain_attribute(error: AttributeError) -> None:
    """Add advice to Python's message about an unknown attribute of an object of the framework."""
    kind, name = type(error.obj), error.name
    match = _READ_ONLY.fullmatch(str(error))
    if match is not None:
        advice = _COMPUTED.get((match["kind"], match["name"]))
        if advice is not None:
            error.args = (f"{error}; {advice}",)
        return
    if name in _COORDINATES and kind.__name__ in ("ndarray", "tuple"):
        index = _COORDINATES.index(name)
        hint = f"velocity[:, {index}]" if kind.__name__ == "ndarray" else f"position[{index}]"
        if getattr(error.obj, "ndim", 2) == 1:
            hint = f"position[{index}]"
        error.args = (f"{error}; positions and velocities are tuples and arrays: write {hint}",)
        error.name = None  # Python would append a hint of its own
        return
    outside = _hint_outside(kind, name)
    if outside is not None:
        error.args = (f"{error}; {outside}",)
        error.name = None  # Python would append a hint of its own
        return
    if not name or name[0] == "_" or not _is_framework(kind.__module__):
        return
    if not _MISSING.fullmatch(str(error)):
        return
    find = getattr(kind, "_advice_on", None)
    advice = None if find is None else find(error.obj, name)
    if advice is None:
        error.args = (unknown_attribute(kind, name),)
    else:
        error.args = (f"{kind.__name__} has no attribute {name!r}; {advice}",)
    error.name = None  # Python would append a hint of its own


def _hint_outside(kind: type, name: str | None) -> str | None:
    """Return advice about an attribute ``name`` that objects of NumPy and scenes of a game do not
    have, or None.
    """
    if not name:
        return None
    if kind.__name__ == "Generator":
        return _RANDOM.get(name)
    if kind.__module__ == "numpy" and kind.__name__.startswith(("int", "uint")):
        return f"a row is a number: write batch[row].{name}"
    game_class = _game_class(kind)
    if game_class is not None and isinstance(_static(game_class, name), property):
        return f"the game has it: write self.game.{name}"
    return None


def _game_class(kind: type) -> type | None:
    """Return the class `Game` if ``kind`` is a class of scenes, and not of games."""
    names = [base.__name__ for base in kind.__mro__ if _is_framework(base.__module__)]
    if "Scene" not in names or "Game" in names:
        return None
    game_class: type = sys.modules["framework"].Game
    return game_class


# -- misspelled names -----------------------------------------------------------------------------


def misspelling_of(name: str, names: Collection[str]) -> str | None:
    """Return the name in ``names`` that was probably meant by the misspelled ``name``, or None."""
    if name in names:
        return None
    lower = name.lower()
    digits = [letter for letter in name if letter.isdigit()]  # "music2" is no misspelling
    if any(letter not in "".join(names) for letter in digits):
        return None
    return next((candidate for candidate in names if _is_close(lower, candidate)), None)


def _is_close(name: str, candidate: str) -> bool:
    """Return whether two names differ only by one changed letter, by the order of the letters, or,
    for a long name, by two changed letters.
    """
    if abs(len(name) - len(candidate)) > 2 or len({*name} ^ {*candidate}) > 4:
        return False  # a quick test for most names
    if len(name) >= 4 and sorted(name) == sorted(candidate):
        return True
    return _edits(name, candidate) <= (2 if len(candidate) >= 9 else 1)


def _edits(first: str, second: str) -> int:
    """Return how many letters must be inserted, removed or replaced (Levenshtein distance)."""
    row = list(range(len(second) + 1))
    for index, letter in enumerate(first, 1):
        diagonal, row[0] = row[0], index
        for column, candidate in enumerate(second, 1):
            diagonal, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, diagonal + (letter != candidate)),
            )
    return row[-1]


# -- the code of a game ----------------------------------------------------------------------------


def is_read(name: str, kind: type, frame: FrameType | None = None) -> bool:
    """Return whether the game's code reads an attribute ``name``, or contains ``name`` as a string.

    The function searches the modules that define ``kind`` and its base classes, the other modules
    in their folders, and the code of ``frame``. The search is slow, and only runs for a name that
    is probably a mistake.
    """
    codes = list(_codes_of(kind))
    if frame is not None:
        codes.append(frame.f_code)
        codes += _codes_in(frame.f_globals)
    visited: set[CodeType] = set()
    return any(_reads(code, name, visited) for code in codes)


def _codes_of(kind: type) -> Iterator[CodeType]:
    """Yield the code of the game's classes, of their modules, and of all other modules in the same
    folders.
    """
    folders: set[str] = set()
    for base in kind.__mro__:
        if base is object or _is_framework(base.__module__):
            continue
        yield from _codes_in(vars(base))
        module = sys.modules.get(base.__module__)
        if module is not None:
            yield from _codes_in(vars(module))
            folders.add(os.path.dirname(getattr(module, "__file__", None) or ""))
    for module in list(sys.modules.values()):
        if (
            isinstance(module, ModuleType)
            and not _is_framework(module.__name__)
            and os.path.dirname(getattr(module, "__file__", None) or "") in folders - {""}
        ):
            yield from _codes_in(vars(module))


def _codes_in(namespace: Mapping[str, Any]) -> Iterator[CodeType]:
    """Yield the code of the functions and classes in the namespace of a module or a class."""
    module = namespace.get("__name__", namespace.get("__module__"))
    for value in list(namespace.values()):
        yield from functions_in(value)
        if isinstance(value, type) and value.__module__ == module:
            for member in list(vars(value).values()):
                yield from functions_in(member)


def functions_in(value: Any) -> Iterator[CodeType]:
    """Yield the code of a function, a property, or a class or static method.

    ``value`` may be any object of a game. Therefore its attributes are read without its
    ``__getattr__``, which could raise any error.
    """
    if isinstance(value, property):
        parts: tuple[Any, ...] = (value.fget, value.fset)
    elif isinstance(value, classmethod | staticmethod | MethodType):
        parts = (value.__func__,)
    else:
        parts = (value,)
    for function in parts:
        wrapped = inspect.getattr_static(function, "__wrapped__", None)
        function = function if wrapped is None else wrapped
        if isinstance(function, FunctionType):
            yield function.__code__


def _reads(code: CodeType, name: str, visited: set[CodeType]) -> bool:
    if code in visited:
        return False
    visited.add(code)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if _reads(constant, name, visited):
                return True
        elif constant == name or (isinstance(constant, tuple) and name in constant):
            return True  # as in getattr(self, "paused"), or a tween's keyword
    return name in code.co_names and any(
        instruction.argval == name and instruction.opname.startswith(_LOADS)
        for instruction in dis.get_instructions(code)
    )


_LOADS = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER", "LOAD_NAME")


def stores(code: CodeType, names: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield each of ``names`` that the code sets on ``self``, or on an attribute ``game`` of any
    object, with the line number.
    """
    stored = {*names} & {*code.co_names}
    if not stored or not code.co_argcount:
        return
    targets = code.co_varnames[0], "game"
    before: Any = None
    for instruction in dis.get_instructions(code):
        if (
            instruction.opname == "STORE_ATTR"
            and instruction.argval in stored
            # since Python 3.13, one instruction may load two variables
            and (before[-1] if isinstance(before, tuple) else before) in targets
        ):
            yield (
                instruction.argval,
                getattr(instruction.positions, "lineno", None) or code.co_firstlineno,
            )
        before = instruction.argval


def _is_framework(module: str) -> bool:
    return module == "framework" or module.startswith("framework.")
