"""Warn if a game defines a name that is almost equal to a name in the framework.

A scene may have its own methods and attributes. Therefore, the warning appears only if the name is
similar to a hook (such as ``on_enter``), an event or a setting, and the game itself never reads the
name.
"""

from __future__ import annotations

import dis
import warnings
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from types import CodeType
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from ..input.tick_input import EVENTS
from ..other_engines.game_code import functions_in, is_read, stores
from ..other_engines.misspellings import misspelling_of
from ..other_engines.other_names import silenced_by
from .reserved_names import Refusal, method_message, replaces_method

if TYPE_CHECKING:
    from ..ui.interface import Interface

_METHODS = (
    *("setup", "update", "draw", "on_enter", "on_exit", "default_listener"),
    *("after_load", "after_restore"),
    *(name for name in EVENTS if name != "on_loaded"),
)
_DECLARATIONS = (
    *(
        "pauses_below",
        "opaque",
        "saved",
        "saved_classes",
        "saved_routines",
        "saved_version",
        "saves_folder",
    ),
    *("migrations", "not_state", "own_names"),
)

_KEY_HANDLERS = ("on_key_press", "on_key_release")

# Methods that other engines call, and this framework's methods for the same purpose.
_OTHER_METHODS = {
    "on_update": "update(self, dt)",
    "on_draw": "draw(self, alpha), which draws with OpenGL after the sprites",
    "on_render": "draw(self, alpha), which draws with OpenGL after the sprites",
    "on_setup": "setup(self)",
    "on_init": "setup(self)",
    "on_start": "setup(self)",
    "on_create": "setup(self)",
    "on_fixed_update": "update(self, dt), which runs at a fixed rate",
    "fixed_update": "update(self, dt), which runs at a fixed rate",
    "_ready": "setup(self)",
    "_process": "update(self, dt)",
    "_physics_process": "update(self, dt)",
    "_input": "on_key_press(self, symbol, modifiers)",
    "Start": "setup(self)",
    "Update": "update(self, dt)",
    "FixedUpdate": "update(self, dt)",
    "on_show_view": "on_enter(self)",
    "on_hide_view": "on_exit(self)",
    "on_key_down": "on_key_press(self, symbol, modifiers)",
    "on_key_up": "on_key_release(self, symbol, modifiers)",
    "on_keydown": "on_key_press(self, symbol, modifiers)",
    "on_keyup": "on_key_release(self, symbol, modifiers)",
    "on_mouse_down": "on_mouse_press(self, x, y, button, modifiers)",
    "on_mouse_up": "on_mouse_release(self, x, y, button, modifiers)",
    "on_mouse_move": "on_mouse_motion(self, x, y, dx, dy)",
    "on_click": "on_mouse_press(self, x, y, button, modifiers)",
    "on_mouse_click": "on_mouse_press(self, x, y, button, modifiers)",
    **dict.fromkeys(
        (
            *("on_mouse_double_click", "on_double_click", "on_mouse_doubleclick", "on_dblclick"),
            *("on_doubleclick", "on_mouse_double_press"),
        ),
        "fw.Actions(open=['double:mouse:left']) in setup, and actions.just_pressed('open') in update",
    ),
    **dict.fromkeys(
        ("on_right_click", "on_mouse_right_click", "on_left_click"),
        "on_mouse_press(self, x, y, button, modifiers), where button is fw.mouse.RIGHT",
    ),
    **dict.fromkeys(
        ("on_drag", "on_mouse_dragged", "on_drag_start"),
        "on_mouse_drag(self, x, y, dx, dy, buttons, modifiers)",
    ),
    **dict.fromkeys(
        ("on_hover", "on_mouse_over", "on_mouse_hover"), "on_mouse_motion(self, x, y, dx, dy)"
    ),
    **dict.fromkeys(
        ("on_drop", "on_drop_file", "on_files_dropped", "on_file_dropped"),
        "on_file_drop(self, x, y, paths)",
    ),
    **dict.fromkeys(
        ("on_window_resize", "on_window_resized", "on_resized", "on_size_changed"),
        "on_resize(self, width, height)",
    ),
    **dict.fromkeys(("on_finger_down", "on_touch_down", "on_touch"), "on_mouse_press"),
    "on_quit": "on_close(self)",
    **dict.fromkeys(
        ("ready", "Awake", "awake", "start_game", "on_ready", "on_load"), "setup(self)"
    ),
    **dict.fromkeys(
        (
            *("late_update", "LateUpdate", "pre_update", "early_update", "post_update"),
            *("on_tick", "tick_update", "game_update", "physics_update"),
        ),
        "update(self, dt)",
    ),
    **dict.fromkeys(
        ("render", "paint", "redraw"),
        "draw(self, alpha), which draws with OpenGL after the sprites",
    ),
    **dict.fromkeys(
        (
            *("on_collision", "on_collision_enter", "on_collision_start", "on_trigger_enter"),
            *("on_sensor_enter", "on_contact", "on_body_entered", "_on_body_entered"),
            *(
                "on_area_entered",
                "_on_area_entered",
                "collision_begin",
                "begin_contact",
                "on_collide",
            ),
            *("OnCollisionEnter", "OnCollisionEnter2D", "OnTriggerEnter", "OnTriggerEnter2D"),
            *("beginContact", "BeginContact"),
        ),
        "for a, b in physics.entered('ball', 'wall') in update",
    ),
    **dict.fromkeys(
        (
            *("on_collision_exit", "on_trigger_exit", "on_sensor_exit", "on_body_exited"),
            *("_on_body_exited", "on_area_exited", "end_contact", "collision_separate"),
            *("OnCollisionExit", "OnCollisionExit2D", "OnTriggerExit", "OnTriggerExit2D"),
        ),
        "for a, b in physics.exited('ball', 'wall') in update",
    ),
    **dict.fromkeys(
        ("post_solve", "pre_solve", "PostSolve", "PreSolve", "on_collision_stay"),
        "for hit in physics.contacts('ball', 'wall') in update",
    ),
    **dict.fromkeys(
        ("on_mouse_wheel", "on_scroll", "on_wheel", "on_mousewheel"),
        "on_mouse_scroll(self, x, y, scroll_x, scroll_y)",
    ),
    **dict.fromkeys(
        (
            "on_event",
            "handle_event",
            "handle_events",
            "process_events",
            "process_event",
            "on_input",
        ),
        "on_key_press(self, symbol, modifiers), and one method for each other event",
    ),
    **dict.fromkeys(
        ("key_pressed", "keyPressed", "keypressed", "on_key", "key_press", "on_keypress"),
        "on_key_press(self, symbol, modifiers)",
    ),
    **dict.fromkeys(
        ("key_released", "keyReleased", "keyreleased", "key_release"),
        "on_key_release(self, symbol, modifiers)",
    ),
    **dict.fromkeys(
        ("mouse_pressed", "mousePressed", "mousepressed", "mouse_clicked", "OnMouseDown"),
        "on_mouse_press(self, x, y, button, modifiers)",
    ),
    **dict.fromkeys(
        (
            *("on_joystick_press", "on_joybutton_press", "on_controller_press"),
            *("on_gamepad_press", "on_joy_button_down", "on_button_press", "on_joybuttondown"),
        ),
        "on_pad_press(self, pad, button)",
    ),
    **dict.fromkeys(("on_pause", "on_blur", "on_focus_lost"), "on_deactivate(self)"),
    **dict.fromkeys(("on_focus", "on_focus_gained"), "on_activate(self)"),
    **dict.fromkeys(("on_window_close", "on_exit_tree", "on_destroy"), "on_close(self)"),
    **dict.fromkeys(("on_resume", "on_scene_enter"), "on_enter(self)"),
    **dict.fromkeys(("on_scene_exit", "on_leave"), "on_exit(self)"),
}

# The names in each class that have already been checked. Each name is reported once per class.
_checked: WeakKeyDictionary[type, set[str]] = WeakKeyDictionary()


def remark(scene: object, interface: Interface | None) -> None:
    """Warn about misspelled names in a scene, in its class and in its widgets. A game calls this
    function after the ``setup`` of each scene, and at the end of a run. The function checks each
    class and each attribute of a class only once.
    """
    kind = type(scene)
    checked = _checked.get(kind)
    if checked is None:
        checked = _checked[kind] = set()
        _check_class(kind)
    new = vars(scene).keys() - checked
    if new:
        checked |= new
        _check_attributes(kind, new)
        for name in sorted(new):
            if replaces_method(kind, name, vars(scene)[name]):
                warnings.warn(method_message(kind, name), RuntimeWarning, stacklevel=3)
    if interface is not None:
        _check_widgets(kind, interface, checked)


def _check_widgets(kind: type, interface: Interface, checked: set[str]) -> None:
    """Warn about misspelled attributes of widgets, such as ``button.enabeld``. The names are
    checked here and not at each assignment, so that assignments stay fast.
    """
    for widget_class, name, meant in interface.misspelled_attributes():
        key = f"{widget_class}.{name}"
        if key not in checked:
            checked.add(key)
            if not is_read(name, kind):
                warnings.warn(
                    f"{key}: it was set, but nothing reads it; did you mean {meant}?",
                    RuntimeWarning,
                    stacklevel=4,
                )


def _check_class(kind: type) -> None:
    bases = [base for base in kind.__mro__ if _is_own(base)]
    declared = own_names(kind)
    defined = {name for base in bases for name in vars(base)}
    attributes = _settings(kind)
    for base in bases:
        for name, value in vars(base).items():
            if name in declared:
                continue
            code = next(functions_in(value), None)
            if code is not None:
                _check_method(kind, name, code, defined)
                _check_code(kind, code, declared, attributes)
            elif name[0] != "_":
                meant = misspelling_of(name, _DECLARATIONS)
                if meant and meant not in defined and not is_read(name, kind):
                    _warn(kind, name, "it was defined, but nothing reads it", meant, None)


def _check_method(kind: type, name: str, code: CodeType, defined: set[str]) -> None:
    """Warn if a method has a misspelled name, or if it compares keys wrongly. ``defined``
    contains all names that the class and its own base classes define.
    """
    if name in _KEY_HANDLERS:
        _check_key_handler(kind, name, code)
    meant = _OTHER_METHODS.get(name)
    if meant is None and name[0] != "_":
        meant = misspelling_of(name, _METHODS)
    if meant and meant.partition("(")[0] not in defined and not is_read(name, kind):
        _warn(kind, name, "nothing calls this method", meant, (code, code.co_firstlineno))


def _check_code(
    kind: type, code: CodeType, declared: Collection[str], attributes: Collection[str]
) -> None:
    """Warn about misspelled attributes that a method sets on the scene or the game."""
    similar = {
        name: meant
        for name in code.co_names
        if name not in declared and (meant := misspelling_of(name, attributes))
    }
    for name, line in stores(code, similar) if similar else ():
        checked = _checked[kind]
        if name not in checked:
            checked.add(name)
            if not is_read(name, kind):
                _warn(kind, name, "it is set, but nothing reads it", similar[name], (code, line))


def _check_key_handler(kind: type, name: str, code: CodeType) -> None:
    """Warn if a handler of key events compares ``symbol`` with a string. ``symbol`` is a number, so
    a condition such as ``symbol == "escape"`` is never true.
    """
    if code.co_argcount < 2:
        return
    symbol = code.co_varnames[1]
    for constant, line in _compared_constants(code, symbol):
        names = constant if isinstance(constant, tuple | frozenset) else (constant,)
        key = next((text for text in names if isinstance(text, str)), None)
        if key is not None:
            warnings.warn_explicit(
                f"{kind.__name__}.{name}: {symbol} is a number and never equals {key!r}; write "
                f"{symbol} == fw.key.{key.upper()}, or self.keys.just_pressed({key!r}) in update",
                RuntimeWarning,
                code.co_filename,
                line,
            )


def _compared_constants(code: CodeType, variable: str) -> Iterator[tuple[object, int]]:
    """Yield the constants with which a function compares the variable ``variable``, each with its
    line number.
    """
    before: list[tuple[str, object]] = [("", None), ("", None)]  # the last two instructions
    for instruction in dis.get_instructions(code):
        operands = [value for _, value in before]
        if instruction.opname in ("COMPARE_OP", "CONTAINS_OP") and variable in operands:
            operation, operand = before[1 - operands.index(variable)]
            if operation.startswith("LOAD_CONST"):
                line = getattr(instruction.positions, "lineno", None) or code.co_firstlineno
                yield operand, line
        if instruction.opname not in ("CACHE", "EXTENDED_ARG"):
            before = [before[1], (instruction.opname, instruction.argval)]


def _check_attributes(kind: type, names: Collection[str]) -> None:
    declared = own_names(kind)
    settings = _settings(kind)
    for name in sorted(names):
        meant = misspelling_of(name, settings) if name[0] != "_" and name not in declared else None
        if meant and not hasattr(kind, name) and not is_read(name, kind):
            _warn(kind, name, "it was set, but nothing reads it", meant, None)


def _warn(kind: type, name: str, fact: str, meant: str, at: tuple[CodeType, int] | None) -> None:
    message = f"{kind.__name__}.{name}: {fact}; did you mean {meant}? {silenced_by(name)}"
    if at is None:
        codes = (code for value in vars(kind).values() for code in functions_in(value))
        code = next(codes, None)
        at = None if code is None else (code, code.co_firstlineno)
    if at is None:
        warnings.warn(message, RuntimeWarning, stacklevel=4)
    else:
        warnings.warn_explicit(message, RuntimeWarning, at[0].co_filename, at[1])


def _settings(kind: type) -> list[str]:
    """Return the names of all settings of the framework in a game or scene class, such as
    ``background``.
    """
    return [
        name
        for base in kind.__mro__
        if not _is_own(base)
        for name, value in vars(base).items()
        if isinstance(value, property)
        and value.fset is not None
        and not isinstance(value.fset, Refusal)
        and name[0] != "_"
    ]


def own_names(kind: type) -> set[str]:
    """Return the names that a game class declares as its own: in ``own_names``, ``saved``,
    ``not_state`` or annotations.
    """
    names: set[str] = set()
    for base in filter(_is_own, kind.__mro__):
        for key in ("own_names", "saved", "not_state"):
            value = vars(base).get(key)
            if isinstance(value, Iterable) and not isinstance(value, str):
                names.update(value)
        with suppress(Exception):  # since Python 3.14, annotations are computed when they are read
            names.update(base.__annotations__)
    return names


def _is_own(base: type) -> bool:
    """Return whether a class is part of the game's code, and not of the framework or of Python."""
    return base is not object and not base.__module__.startswith("framework.")
