"""Give advice if a call passes an option that only other engines have.

For an unknown option, Python raises `TypeError`. `explain_call` adds the correct option to the
message. This code runs only after an error, so it does not slow down correct calls.
"""

from __future__ import annotations

import dis
import functools
import inspect
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from types import FrameType, FunctionType, ModuleType, TracebackType
from typing import Any, TypeVar

from ..checks import listed, similar_names

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)

# Options of other engines, and our options with the same meaning. The advice is the first of our
# options that the function has.
_MEANINGS = (
    ("colour color rgb rgba fill fill_color modulate tint albedo", "color base_color tint"),
    (
        "albedo_color diffuse background_color bg bg_color clear_color",
        "color base_color background",
    ),
    ("texture albedo_texture diffuse_texture map", "base_texture"),
    ("texture sprite img filename file surface images frames sheet textures", "image path source"),
    ("emission emission_color emissive_color glow", "emissive"),
    ("smoothness shininess", "roughness"),
    ("fontsize text_size size height font_height letter_size", "font_size"),
    ("string label caption content msg message", "text title"),
    ("pos center xy location coords at x y z left top center_x center_y", "position"),
    ("rotation rot heading angle_degrees degrees", "angle rotation"),
    ("angle euler rotation_euler quaternion", "rotation"),
    ("opacity transparency", "alpha"),
    ("scaling zoom size scale_x scale_y", "scale zoom"),
    ("z z_index z_order depth render_order", "layer"),
    ("hidden shown is_visible show", "visible"),
    ("flip_x flip_h flipped flipped_horizontally mirror", "flip"),
    ("anchor_x anchor_y origin pivot align", "anchor"),
    ("restitution bounce bounciness", "elasticity"),
    ("trigger is_trigger is_sensor monitoring", "sensor"),
    ("collider collision_shape hitbox", "shape"),
    ("body_type type kinematic static is_kinematic dynamic", "kind"),
    ("collision_type collision_layer mask", "layer"),
    ("weight", "mass"),
    ("drag linear_damping angular_drag", "damping"),
    ("moment inertia lock_rotation freeze_rotation", "fixed_rotation"),
    (
        "duration time secs length dur span life lifespan ttl",
        "duration seconds lifetime ticks fade",
    ),
    ("seconds lifetime fade_time", "duration seconds"),
    ("fade_in fade_out fadeout fade_ms fade_time", "fade duration"),
    ("interval every period seconds", "interval rate"),
    ("wait after", "delay"),
    ("easing ease_type curve tween_type", "ease"),
    ("intensity magnitude amplitude power amount", "strength"),
    ("energy brightness strength", "intensity"),
    ("light_range radius distance attenuation size", "range"),
    ("range light_range distance r size", "radius"),
    ("spot_angle cone_angle", "cone angle"),
    ("amount n number num quantity", "count"),
    ("frequency emission_rate per_second fps frame_rate frames_per_second", "rate tick_rate"),
    ("speed playback_speed pitch_scale rate", "speed rate smoothing"),
    ("lerp smooth lag smoothness smooth_time damping", "smoothing"),
    ("limits limit limit_left limit_top clamp constraint", "bounds"),
    ("deadzone drag_margin margins", "dead_zone"),
    ("vol gain loudness", "volume"),
    ("loops looping repeat repeats autoloop", "loop"),
    ("loop loops looping", "repeat"),
    ("balance panning", "pan"),
    ("channel category group audio_bus", "bus"),
    ("width height dimensions dims window_size screen_size", "size"),
    ("thickness line_width border border_width", "stroke_width width"),
    ("outline border_color line_color outline_color", "stroke_color outline"),
    ("corner_radius rounding border_radius", "corner radius"),
    ("vertices verts point_list path", "points"),
    ("sides num_segments subdivisions", "segments sides pieces"),
    ("cols n_columns hframes", "columns"),
    ("n_rows vframes", "rows"),
    ("frame_size tile_size cell_size frame_width tile_width tilewidth size", "tile size"),
    ("frame_height tile_height tileheight", "tile size"),
    ("parallax_factor scroll_speed scroll motion_scale speed", "parallax"),
    ("repeat_x repeat_y tiled tile", "repeat"),
    ("viewport rect region rectangle", "area bounds"),
    ("on_click onclick command callback", "on_press callback"),
    ("items buttons options choices", "entries"),
    ("margin separation", "gap spacing"),
    ("out output save_to", "screenshot"),
    ("caption window_title name", "title"),
    ("full_screen is_fullscreen", "fullscreen"),
    ("center focus look_at", "target"),
    ("fov_y field_of_view", "fov"),
    ("mesh model", "mesh model"),
    ("ambient_color ambient_light", "ambient"),
)


@functools.cache
def _meanings() -> dict[str, list[str]]:
    meanings: dict[str, list[str]] = {}
    for names, options in _MEANINGS:
        for name in names.split():
            meanings.setdefault(name, []).extend(options.split())
    return meanings


def other_options(**advice: str) -> Callable[[F], F]:
    """Return a decorator that declares advice about options that the function does not have.

    ``advice`` is a dict. Each key is an option of another engine, and each value is the correct
    option of the function, or a sentence. The decorator returns the function itself, so calls are
    not slower. Options with the same meaning in many functions, such as ``colour``, are listed in
    `_MEANINGS` and do not need a decorator.
    """

    def declare(function: F) -> F:
        inspect.unwrap(function).__dict__["_other_options"] = advice
        return function

    return declare


def made_by(advice: str) -> Callable[[C], C]:
    """Return a decorator for a class that only the framework may instantiate. If a game calls the
    class with wrong arguments, the error message contains ``advice``.
    """

    def declare(kind: C) -> C:
        kind._made_by = advice  # type: ignore[attr-defined]
        return kind

    return declare


def meaning_of(name: str, options: Collection[str]) -> str | None:
    """Return the option in ``options`` that means the same as ``name`` in another engine, or is
    spelled similarly. If several options match, they are joined with "or" in the returned text.
    Return None if no option matches.
    """
    meant = next((option for option in _meanings().get(name, ()) if option in options), None)
    if meant is not None:
        return meant
    return " or ".join(similar_names(name, sorted(options))) or None


def option_hint(
    name: str, options: Collection[str], advice: Mapping[str, str] | None = None
) -> str:
    """Return advice about an unknown option ``name``, for the end of an error message. ``options``
    contains the options of the function.

    ``advice`` contains the advice that `other_options` has declared.
    """
    declared = (advice or {}).get(name)
    if declared is not None and not declared.isidentifier():
        return declared
    meant = declared or meaning_of(name, options)
    if meant is not None:
        return f"did you mean {meant}?"
    return f"the options are {listed(options)}" if options else "it has no options"


def meant_option(
    function: str, name: str, options: Collection[str], advice: Mapping[str, str] | None = None
) -> str | None:
    """Return the error message for an unknown option ``name`` of a function with ``**options``.
    Return None if no option has a similar meaning or spelling. See `option_hint`.
    """
    if name not in (advice or {}) and meaning_of(name, options) is None:
        return None
    return f"{function}: unknown option {name!r}; {option_hint(name, options, advice)}"


# -- errors of calls -------------------------------------------------------------------------------

_UNEXPECTED = re.compile(
    r"(?P<function>[\w.<>]+)\(\) got an unexpected keyword argument '(?P<option>\w+)'.*"
)
_COUNT = re.compile(
    r"(?P<function>[\w.]+)\(\) (missing \d+ required|takes (no|from|exactly|\d+) ?.*argument).*"
)


_HOOKS = {
    "update": "update(self, dt)",
    "draw": "draw(self, alpha)",
    "setup": "setup(self)",
    "on_key_press": "on_key_press(self, symbol, modifiers)",
    "on_key_release": "on_key_release(self, symbol, modifiers)",
    "on_mouse_press": "on_mouse_press(self, x, y, button, modifiers)",
    "on_mouse_release": "on_mouse_release(self, x, y, button, modifiers)",
    "on_mouse_motion": "on_mouse_motion(self, x, y, dx, dy)",
    "on_mouse_drag": "on_mouse_drag(self, x, y, dx, dy, buttons, modifiers)",
    "on_mouse_scroll": "on_mouse_scroll(self, x, y, scroll_x, scroll_y)",
    "on_resize": "on_resize(self, width, height)",
    "on_text": "on_text(self, text)",
}
"""The methods that the framework calls in a game, with their arguments."""


def _is_framework(frame: FrameType) -> bool:
    name: str = frame.f_globals.get("__name__", "")
    return name.startswith("framework.")


def explain_call(error: TypeError) -> bool:
    """If the called function belongs to the framework, replace Python's error message about wrong
    arguments with a more helpful message. Return whether the message was replaced.
    """
    message = str(error)
    unexpected = _UNEXPECTED.fullmatch(message)
    match = unexpected or _COUNT.fullmatch(message)
    traceback = error.__traceback__
    if match is None or traceback is None:
        return False
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    frame = traceback.tb_frame
    if unexpected is not None and _explain_constructor(error, match["function"], frame):
        return True
    hook = _HOOKS.get(match["function"].rpartition(".")[2])
    if hook is not None and unexpected is None and _is_framework(frame) and hook not in message:
        error.args = (f"{message}; write def {hook}",)
        return True
    function = _function(match["function"], frame)
    if function is None:
        return False
    kind = _class_called_in(traceback, function)
    advice = getattr(kind, "_made_by", None)
    if advice is not None and kind is not None:
        name = kind.__name__
        error.args = (f"{name}: the framework makes each {name}; {advice}",)
        return True
    if unexpected is not None:
        options = _options(function)
        hint = option_hint(unexpected["option"], options, vars(function).get("_other_options"))
        error.args = (
            f"{_shown(match['function'])}: unknown option {unexpected['option']!r}; {hint}",
        )
        return True
    usage = vars(function).get("_other_options", {}).get("_")
    if usage is None or usage in message:
        return False
    error.args = (f"{message}; {usage}",)
    return True


def _class_called_in(traceback: TracebackType, function: FunctionType) -> type | None:
    """Return the class whose constructor ``function`` the program called in the frame of
    ``traceback``, or None. The function `moved_names` may stand between the program and the
    constructor.
    """
    caller = traceback.tb_frame
    instruction = traceback.tb_lasti
    if caller.f_globals.get("__name__") == "framework.moved_names" and caller.f_back is not None:
        caller = caller.f_back
        instruction = caller.f_lasti
    return None if _is_framework(caller) else _class_called(caller, instruction, function)


def _explain_constructor(error: TypeError, function: str, frame: FrameType) -> bool:
    """Replace the error message if the ``__init__`` of a game's class does not accept the options
    of `Game`. Return whether the message was replaced.
    """
    kind = frame.f_locals.get("game_class")
    if (
        frame.f_globals.get("__name__") != "framework.game.game"
        or not isinstance(kind, type)
        or f"{kind.__qualname__}.__init__" != function
    ):
        return False
    error.args = (
        f"{kind.__name__}.__init__ must accept the options of the game: "
        "def __init__(self, **options). Or put your code into setup(self), and the size and title "
        f'into fw.run({kind.__name__}, size=(800, 600), title="My game")',
    )
    return True


def explain_construction(error: TypeError | AttributeError | ValueError) -> bool:
    """Replace the message of an error in a constructor that only the framework may call, such as
    ``fw.Sprite("ship.png", 0.5)``. The message is replaced only if the game's code called the
    constructor. Return whether the message was replaced.
    """
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        called = traceback.tb_next.tb_frame
        if not _is_framework(traceback.tb_frame) and _is_framework(called):
            kind = type(called.f_locals.get("self"))
            advice = getattr(kind, "_made_by", None)
            if advice is None or called.f_code.co_name != "__init__":
                return False
            error.args = (f"{kind.__name__}: the framework makes each {kind.__name__}; {advice}",)
            if isinstance(error, AttributeError):
                error.name = None  # Python would append a hint of its own
            return True
        traceback = traceback.tb_next
    return False


def _shown(function: str) -> str:
    """Return the name of a function for error messages. For a constructor, return the name of the
    class. For a method of an internal class, return only the name of the method.
    """
    owner, _, method = function.removesuffix(".__init__").rpartition(".")
    is_public = not owner or hasattr(sys.modules["framework"], owner.partition(".")[0])
    return f"{owner}.{method}" if owner and is_public else method


def _options(function: FunctionType) -> list[str]:
    parameters = [*inspect.signature(function).parameters.values()]
    if parameters and parameters[0].name in ("self", "cls"):
        parameters = parameters[1:]
    kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    return [
        parameter.name
        for parameter in parameters
        if parameter.kind in kinds and parameter.name[0] != "_"
    ]


def _function(qualified: str, frame: FrameType) -> FunctionType | None:
    """Return the framework function that was called with wrong arguments, or None if the game
    itself defines the function.

    Python's error contains only the qualified name of the function, such as "Scene.add".
    """
    wrapped = frame.f_locals.get("call")
    if frame.f_globals.get("__name__") == "framework.moved_names" and callable(wrapped):
        wrapped = inspect.unwrap(wrapped)
        return wrapped if isinstance(wrapped, FunctionType) else None
    if qualified in {function.__qualname__ for function in _own_functions(qualified, frame)}:
        return None  # the game has a class with the same name
    return next(_functions(qualified), None)


def _own_functions(qualified: str, frame: FrameType) -> Iterator[FunctionType]:
    """Yield the game's functions with this qualified name that the code in ``frame`` can call."""
    name = qualified.partition(".")[0]
    for namespace in (frame.f_locals, frame.f_globals):
        value = namespace.get(name)
        if not getattr(value, "__module__", "framework").startswith("framework"):
            yield from _resolved(value, qualified)


def _functions(qualified: str) -> Iterator[FunctionType]:
    """Yield the framework functions with this qualified name. Functions of the package itself, such
    as ``fw.run``, come first.
    """
    public = vars(sys.modules["framework"]).get(qualified)
    if isinstance(public, FunctionType):
        yield inspect.unwrap(public)
    for module_name, module in sorted(sys.modules.items()):
        if module_name.startswith("framework.") and isinstance(module, ModuleType):
            value = vars(module).get(qualified.partition(".")[0])
            if getattr(value, "__module__", None) == module_name:
                yield from _resolved(value, qualified)


def _resolved(value: Any, qualified: str) -> Iterator[FunctionType]:
    for name in qualified.split(".")[1:]:
        if not isinstance(value, type):
            return
        value = vars(value).get(name)
    value = getattr(value, "__func__", value)
    if callable(value):
        value = inspect.unwrap(value)
    if isinstance(value, FunctionType) and value.__qualname__ == qualified:
        yield value


def _class_called(frame: FrameType, instruction: int, function: FunctionType) -> type | None:
    """Return the framework class that the code of ``frame`` called before the bytecode position
    ``instruction``. The constructor of the class must be ``function``.
    """
    if function.__name__ != "__init__":
        return None
    package = sys.modules["framework"]
    names = [
        step.argval
        for step in dis.get_instructions(frame.f_code)
        if step.offset < instruction and isinstance(step.argval, str)
    ]
    for name in reversed(names):
        value = vars(package).get(name)
        if isinstance(value, type):
            constructor: Any = getattr(value, "__init__", None)
            if inspect.unwrap(constructor) is function:
                return value
    return None
