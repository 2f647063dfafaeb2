"""The widgets: what groups make, and what widgets of your own derive from: ``fw.widgets.Button``.

`fw.Widget` is the base of all of them.
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
