"""Widget classes, as base classes for your own: ``fw.widgets.Button``.

`fw.Widget` is the base class of all of them.
"""

from __future__ import annotations

__all__ = [
    "Bar",
    "Bound",
    "Button",
    "Choice",
    "Dropdown",
    "Group",
    "Image",
    "Root",
    "Scroll",
    "Slider",
    "TextField",
    "TextLabel",
    "Toggle",
    "Window",
]

from .dropdown import Dropdown
from .editing import TextField
from .gadgets import Bound, Button, Choice, Image, TextLabel, Toggle
from .gauges import Bar, Slider
from .panes import Group, Root, Scroll, Window
