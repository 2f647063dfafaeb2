"""Check the names of saved games, and reject paths."""

from __future__ import annotations

import os
import re

from .. import checks

# Most systems allow 255 bytes for a file name; temporary files have longer names than saves.
_MAX_BYTES = 200
_BACKUP = ".bak"
_FORBIDDEN = re.compile(r'[\x00-\x1f<>:"/\\|?*]')
# Windows reserves these names for devices, with or without a file extension: "con", "nul.save".
_DEVICE = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\..*)?", re.IGNORECASE
)


def slot(name: str, value: object) -> str:
    """Check the name of a save, and return the name. The name of a save must be a valid file name
    on all operating systems.

    Raises `TypeError` for a path object. Raises `ValueError` for a path, or for a name that Windows
    does not allow as a file name. ``name`` is the name of the parameter, for error messages.
    """
    if isinstance(value, os.PathLike):
        raise checks.wrong_type(name, "a name such as 'slot 1'; for a file, pass path=", value)
    text = checks.instance(name, value, str, what="a name such as 'slot 1'")
    problem = why_no_slot(text)
    if problem:
        raise checks.wrong_value(name, f"a name such as 'slot 1'; {problem}", text)
    return text


def why_no_slot(text: str) -> str:
    """Return the reason why a string is not a valid name for a save, or "" for a valid name."""
    if not text.strip(". "):
        return "a name has letters or digits"
    forbidden = _FORBIDDEN.search(text)
    if forbidden is not None and forbidden[0] in "/\\":
        return "a name has no folder: for a file, pass path="
    if forbidden is not None:
        return f"Windows allows no {forbidden[0]!r} in names"
    if text[-1] in ". ":
        return f"Windows allows no {text[-1]!r} at the end of names"
    device = _DEVICE.fullmatch(text)
    if device is not None:
        return f"Windows uses {device[1]!r} as the name of a device"
    try:
        length = len(text.removesuffix(_BACKUP).encode())
    except UnicodeEncodeError:
        return "a name has no surrogates"
    return f"a name has at most {_MAX_BYTES} bytes" if length > _MAX_BYTES else ""


def file_path(slot_name: object, path: object, method: str) -> str:
    """Return the name of a slot, or the path of a file including its folder.

    Pass either ``slot_name`` or ``path``, and None for the other argument. ``method`` is the name
    of the method that was called, for error messages.
    """
    if (slot_name is None) == (path is None):
        got = "neither" if path is None else "both"
        raise TypeError(
            f"{method}: expected a slot, as in {method}('slot 1'), or a file, as in "
            f"{method}(path='a.save'), got {got}"
        )
    if path is None:
        return slot("slot", slot_name)
    where = checks.path("path", path)
    if os.path.basename(where) in ("", ".", ".."):
        raise checks.wrong_value("path", "the name of a file", path)
    return where if os.path.dirname(where) else os.path.join(os.curdir, where)
