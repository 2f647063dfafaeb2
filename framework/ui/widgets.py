"""All widget classes, for writing widgets of your own as subclasses.

For example, you can write your own button as a subclass of ``fw.widgets.Button``.

`fw.Widget` is the base class of all widget classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = [
    "Bound",
    "Button",
    "Choice",
    "Dropdown",
    "Group",
    "Image",
    "ProgressBar",
    "Root",
    "Scroll",
    "Slider",
    "TextField",
    "TextLabel",
    "Toggle",
    "Window",
]

from ..moved_names import renamed_functions
from .basic_widgets import Bound, Button, Choice, Image, TextLabel, Toggle
from .containers import Group, Root, Scroll, Window
from .dropdown import Dropdown
from .sliders import ProgressBar, Slider
from .text_field import TextField

if not TYPE_CHECKING:
    __getattr__ = renamed_functions("widgets", Bar="ProgressBar")
