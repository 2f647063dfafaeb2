"""Every public setting, option and argument must refuse the bad values of one table.

A bad value must raise a TypeError or a ValueError with the argument's name, in one line of at most
300 characters, and must not change the object. A name that is in no row of the table, and is not
excluded, fails a test.
"""

from __future__ import annotations

import inspect
import math
import re
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import effect_kinds
import numpy as np
import pytest
from glbs import moving
from pictures import solid
from PIL import Image

import framework as fw
from framework.audio.buses import Buses
from framework.game import (
    diagnostics,
    display,
    network,
    picture,
    recordings,
    rules,
    saving,
    scene_views,
    testing,
)
from framework.game.reserved_names import Refusal
from framework.motion.clip_playback import BatchClips
from framework.moved_names import Absent
from framework.plane.batch_images import BatchImages
from framework.ui.widget import SizeMethod

NAN = math.nan
INF = math.inf
IDENTITY = fw.Identity(1, "0.1", "Duel", 2, "60", "0", (64.0, 48.0), False)


class Bad(list[Any]):
    """Values that must all be refused."""

    def __or__(self, values: list[Any]) -> Bad:
        return Bad([*self, *values])

    def __xor__(self, good_value: object) -> Bad:
        return Bad([value for value in self if value != good_value])

    def without(self, *good_value: Any) -> Bad:
        return Bad(
            [value for value in self if not any(value is excluded for excluded in good_value)]
        )


# -- kinds of arguments ----------------------------------------------------------------------------

NUMBER = Bad(["x", None, [1, 2], NAN, INF, -INF])
AT_LEAST_0 = NUMBER | [-1]
ABOVE_0 = AT_LEAST_0 | [0]
SHARE = AT_LEAST_0 | [1.5]
WALLS = Bad(["x", True, NAN, -0.1, 1.5, [0.5], lambda: 0, object(), fw.Sound])
WHOLE = Bad(["x", None, 1.5, NAN, [1, 2], -1])
COUNT = WHOLE | [0]
REAL = Bad(
    ["x", None, object, [[1, 2], [3]], [1j], np.zeros(2, np.float16)]
)  # any number, and arrays of numbers, are accepted
FOR_EACH = Bad([bad for bad in AT_LEAST_0 if not isinstance(bad, list)]) | [
    ["x", "x"]
]  # or one value for each row
SIGNED_FOR_EACH = Bad([bad for bad in NUMBER if not isinstance(bad, list)]) | [["x", "x"]]
FLAG = Bad(["yes", None, NAN, 2, [True]])
PAIR = Bad(["xy", None, 3, (1,), (1, 2, 3), (NAN, 0), (0, INF), (None, 1)])
SIZE = PAIR | [(0, 9), (9, -1), (1.5, 2)]
VECTOR = Bad(["xyz", None, 3, (1, 2), (1, 2, 3, 4), (NAN, 0, 0), (0, 0, INF), ("1", "2", "3")])
DIRECTION = VECTOR | [(0, 0, 0)]
LIGHT = VECTOR | [(-1, 0, 0)]
QUATERNION = Bad(["xyzw", None, 3, (1, 2, 3), (0, 0, 0, 0), (NAN, 0, 0, 1)])
COLOR = Bad(["rde", None, 3, (1, 2), (1, 2, 3, 4, 5), (NAN, 0, 0), (0, 0, INF), ("1", "2", "3")])
CHOICE = Bad(["?", None, 3, ["x"]])
THING = Bad(["x", None, 3, object])
FUNCTION = Bad(["x", None, 3])
PATH = Bad([None, 3, b"x", ["x"]])
IMAGE = Bad([None, 3, b"x", object])
TEXT = Bad([None, 3, b"x", ["x"]])
ROWS = Bad(["x", None, 1.5, 99, [0, 99], -99, np.ones(99, bool)])
PLACES = Bad(["x", None, 3, np.zeros((2, 3)), np.zeros((2, 2, 2)), [[1, 2], [1]]])
_TILES = fw.collide.TileGrid([[False]])
POINTS = Bad(["x", None, 3, np.zeros((2, 2)), np.zeros((2, 3, 3)), [[1, 2, 3], [1, 2]]])
POINT_OR_POINTS = POINTS.without(3) | [3, np.zeros((2, 2))]
OWN_COLUMNS = Bad(
    [
        {"hp": None},
        {"hp": "x"},
        {"hp": [1]},
        {"hp": ("f4", 0)},
        {"hp": ("f4", 2, 2)},
        {3: 1},
        {"": 1},
        {"_hp": 1},
        {"a b": 1},
        {"class": 1},
        {"position": 1},
        {"ids": 1},
        {"row": 1},
        {"remove": 1},
        {"hp": 1 << 63},
        {f"a{number}": 1 for number in range(65)},
    ]
)
TURNS = Bad(["x", 3, np.zeros((2, 3)), np.zeros((2, 2, 4))])
THREES = Bad(
    ["x", None, 3, (1, 2), np.zeros((2, 2))]
)  # arrays of any shape, and any numbers, are accepted
COLUMN = Bad(
    ["x", None, object, np.zeros((7, 9)), [[1, 2], [3]]]
)  # NaN is accepted: such rows are not drawn
FIELD = Bad(["x", None, object, (1, 2, 3, 4, 5, 6, 7)])  # the same for one row
HEARD = Bad(["x", 3, np.array(3.0), object, (1,), (1, 2, 3, 4), (NAN, 0), ("1", "2")])
CELLS = Bad(
    ["x", None, 1.5, [[0.5]], [[-1]], [[1, 2, 3], [4]], np.zeros((2, 2, 2), int), [[1 << 32]]]
)
SPAN = Bad(
    ["x", None, NAN, INF, -INF, (2, 1), (1, 2, 3), (NAN, 1)]
)  # a number, or a pair of numbers that a value is between
AREA = Bad(["x", None, 3, (0, 0, 1), (0, 0, 0, 1), (-1, 0, 1, 1), (0, 0, NAN, 1), (0.5, 0, 0.6, 1)])
FOLLOWED = Bad(["x", None, 3, [], ["x"], [object]])
LAYERS = Bad(["x", 3, object, [1.5], [None]])
ANY: Bad = Bad([])  # every value is accepted: the game gives it a meaning


def or_none(kind: Bad) -> Bad:
    """Return the bad values of ``kind`` without None."""
    return Bad([value for value in kind if value is not None])


# -- the table: a good value and the kind, by name, or by "Callable(argument)" if that is more exact

_CORNERS = [(0, 0), (4, 0), (0, 4)]
_OUTLINE = Bad(
    ["x", None, 3, [(1, 2, 3)], [(0, 0)], [(0, 0), (0, NAN), (4, 0)], np.zeros((900, 2))]
)
_MAKERS = {
    "add_circle": {"position": PAIR, "radius": ABOVE_0},
    "add_ellipse": {"position": PAIR, "size": PAIR | [(0, 9), (9, -1)]},
    "add_arc": {
        "position": PAIR,
        "radius": ABOVE_0,
        "start": NUMBER,
        "sweep": NUMBER,
        "width": ABOVE_0,
        "cap": CHOICE,
    },
    "add_sector": {"position": PAIR, "radius": ABOVE_0, "start": NUMBER, "sweep": NUMBER},
    "add_box": {"position": PAIR, "size": PAIR | [(0, 9), (9, -1)], "corner": AT_LEAST_0},
    "add_line": {"start": PAIR, "end": PAIR, "width": ABOVE_0, "cap": CHOICE},
    "add_path": {
        "points": _OUTLINE,
        "width": ABOVE_0,
        "closed": FLAG,
        "join": CHOICE,
        "cap": CHOICE,
        "position": or_none(PAIR),
    },
    "add_polygon": {
        "points": _OUTLINE | [[(0, 0), (4, 4), (4, 0), (0, 4)]],
        "join": CHOICE,
        "position": or_none(PAIR),
    },
    "add_star": {
        "position": PAIR,
        "radius": ABOVE_0,
        "points": COUNT | [2],
        "inner": ABOVE_0 | [1.5],
    },
    "add_ngon": {"position": PAIR, "radius": ABOVE_0, "sides": COUNT | [2]},
    "extend": {"kind": CHOICE},
}
_DOES = {
    "position": (0, 0),
    "size": (4, 4),
    "start": 0.0,
    "sweep": 1.0,
    "width": 1.0,
    "cap": "butt",
    "join": "round",
    "corner": 1.0,
    "closed": False,
    "radius": 3.0,
    "inner": 0.5,
    "sides": 5,
    "kind": "box",
    "points": _CORNERS,
}
SHAPES: dict[str, tuple[Any, Bad]] = {
    f"Shapes.{maker}({name})": (_DOES.get(name), bad)
    for maker, given in _MAKERS.items()
    for name, bad in given.items()
}
SHAPES |= {
    "Shapes(blend)": ("alpha", CHOICE),
    "Shapes.add_line(start)": ((0, 0), PAIR),
    "Shapes.add_line(end)": ((3, 3), PAIR),
    "Shapes.add_star(points)": (5, COUNT | [2]),
    "Shape.connect(start)": ((0, 0), PAIR),
    "Shape.connect(end)": ((3, 3), PAIR),
    **{
        f"Shapes.{name}": (None, COLUMN)
        for name in ("stroke_color", "gradient_to", "form", "stroke")
    },
    **{f"Shape.{name}": ((1, 1, 1), COLOR) for name in ("stroke_color", "gradient_to")},
    **{
        f"Shape.{name}": (1.0, NUMBER)
        for name in ("alpha", "dash_shift", "gradient_angle", "start", "sweep")
    },
    **{f"Shape.{name}": (1.0, AT_LEAST_0) for name in ("corner", "stroke_width")},
    "Shape.radius": (1.0, ABOVE_0),
}

_TWO_COLORS = Bad(["#fff", None, 3, ("#fff",), ("#fff", "rde"), ((1, 2), (3, 4)), ("#fff", None)])
_WAY = Bad(["x", None, 3, np.zeros((2, 2, 2)), [[1, 2, 3], [1, 2]], [(1, NAN)]])
_TWO_WIDTHS = PAIR | [(1, -1)]
_WIDTHS = Bad(["x", None, object, np.zeros((7, 9)), [[1, 2], [3]]])
STRIPS: dict[str, tuple[Any, Bad]] = {
    f"{kind}({name})": found
    for kind in ("Ribbon", "Trail")
    for name, found in {
        "image": (None, Bad([3, b"x", object])),
        "repeat": (None, or_none(ABOVE_0)),
        "filter": ("nearest", CHOICE),
        "blend": ("add", CHOICE),
    }.items()
}
STRIPS |= {
    "Ribbon(points)": (_CORNERS, _WAY),
    "Ribbon.points": (_CORNERS, _WAY),
    "Ribbon(width)": (2.0, _WIDTHS),
    "Ribbon(color)": ("#fff", COLUMN),
    "Ribbon.scroll": (0.5, NUMBER),
    "Ribbon.width": (None, COLUMN),
    **{f"Trail{way.format('duration')}": (0.5, NUMBER | [0, -1, 1e9]) for way in (".{}", "({})")},
    **{f"Trail{way.format('width')}": ((2, 1), _TWO_WIDTHS) for way in (".{}", "({})")},
    **{f"Trail{way.format('color')}": (("#fff", "#0000"), _TWO_COLORS) for way in (".{}", "({})")},
    **{f"Trail{way.format('target')}": (None, Bad(["x", 3, object])) for way in (".{}", "({})")},
}
STRIPS |= {
    "Polygons(image)": (None, Bad([3, b"x", object])),
    "Polygons(filter)": ("nearest", CHOICE),
    "Polygons(wrap)": ("mirror", CHOICE | [("clamp",), ("clamp", "x")]),
    "Polygons(blend)": ("add", CHOICE),
    "Polygons(smooth_edges)": (True, or_none(FLAG)),
    **{f"Polygons.{name}": (None, COLUMN) for name in ("layer", "scroll", "skew")},
    **{f"Polygon.{name}": (None, FIELD) for name in ("layer", "scroll", "skew")},
    **{f"Polygons.{name}(pivot)": ((0, 0), PAIR) for name in ("add_box", "add_nine_slice")},
    **{
        f"Polygons.{name}(size)": ((4, 4), PAIR | [(0, -1)])
        for name in ("add_box", "add_nine_slice")
    },
    **{
        f"Polygons.{name}(tile)": (4, Bad(["x", object, (0, 1), -1, NAN]))
        for name in ("add_box", "add_polygon")
    },
    **{
        f"Polygons.add_{kind}(position)": ((0, 0), PAIR)
        for kind in ("box", "nine_slice", "polygon")
    },
    **{
        f"{kind}.load_images(sources)": ([], Bad(["x", None, 3, [3], [None]]))
        for kind in ("Game", "Scene")
    },
    "Polygons.add_nine_slice(slices)": (2, Bad(["x", None, -1, (1, 2), (1, 2, 3, NAN)])),
    "Polygons.add_polygon(points)": (_CORNERS, _OUTLINE),
    "Polygons.add_polygon(uvs)": (None, Bad(["x", 3, [(0, 0)]])),
    "Polygons.add_polygon(triangles)": (
        None,
        Bad(["x", 3, [(0, 1)], [(0, 1, 9)], [(0, 1, -1)], [(0.5, 1, 2)]]),
    ),
    "Polygons.add_polygon(colors)": (None, Bad(["x", 3, [(1, 1, 1)], np.full((3, 4), NAN)])),
}

BY_NAME: dict[str, tuple[Any, Bad]] = {
    "alpha": (0.5, NUMBER),
    "columns": (None, Bad(["x", 3, ["x"], {"velocity": 1}]) | OWN_COLUMNS),
    "ids": (0, Bad(["x", None, 1.5, [1.5], True, [[1], [2, 3]]])),
    "anchor": (None, or_none(PAIR)),
    "angle": (0.5, NUMBER),
    "axis": ((0, 1, 0), DIRECTION),
    "boost": (2.0, AT_LEAST_0),
    "callback": (print, FUNCTION),
    "camera": (None, THING),
    "capacity": (8, WHOLE),
    "cell": (
        1.0,
        ABOVE_0.without(*[bad for bad in ABOVE_0 if isinstance(bad, list)]) | [(1, 2, 3), (1, 0)],
    ),
    "center": ([(0, 0, 0)], POINTS),
    "color": ((1, 1, 1), COLOR),
    "count": (1, WHOLE),
    "cull": (False, FLAG),
    "delay": (1.0, AT_LEAST_0),
    "direction": ((0, 0, -1), DIRECTION),
    "distance": (5.0, ABOVE_0),
    "drawable": (None, THING),
    "dt": (0.5, AT_LEAST_0),
    "end": ((1, 1, 1), VECTOR),
    "fade": (0.2, AT_LEAST_0),
    "farthest": (9.0, ABOVE_0.without(INF)),
    "frames": (None, or_none(WHOLE)),
    "function": (print, FUNCTION),
    "group": (None, or_none(THING)),
    "half": ([(1, 1, 1)], POINTS),
    "height": (1.0, ABOVE_0),
    "high": ([(1, 1, 1)], POINTS),
    "index": (0, ROWS),
    "intensity": (1.0, AT_LEAST_0),
    "interval": (1.0, ABOVE_0),
    "keys": (fw.Keys(), THING),
    "key": (1, Bad([None, 1.5, (1,), "no such key"])),
    "loop": (True, FLAG),
    "low": ([(0, 0, 0)], POINTS),
    "max_frame_time": (0.25, or_none(ABOVE_0)),
    "max_ticks": (8, or_none(COUNT)),
    "mesh": (fw.Mesh.cube(), THING),
    "middle": ([(0, 0, 0)], POINTS),
    "mouse": (fw.Mouse(), THING),
    "motion": ("interpolate", CHOICE),
    "n": (1, WHOLE),
    "node": (0, Bad(["x", None, 1.5, 99])),
    "now": (0, WHOLE.without(-1)),
    "out": (None, Bad(["x", 3, np.zeros((2, 4, 4)), np.zeros((2, 4, 3), np.float32)])),
    "order": (0, NUMBER.without(INF)),
    "origin": ((0, 0, 5), VECTOR),
    "path": (None, PATH),
    "phase": ("ai", CHOICE),
    "pitch": (0.1, NUMBER),
    "point": ((0, 0), PAIR),
    "points": ([(0, 0, 0)], POINTS),
    "position": ((0, 0, 0), VECTOR),
    "q": ([(0, 0, 0, 1)], TURNS | [None]),
    "radius": (0.5, ABOVE_0),
    "range": (5.0, ABOVE_0),
    "rate": (60, or_none(ABOVE_0)),
    "rotation": (None, TURNS),
    "row": (0, ROWS.without(-99) | [-99]),
    "on": (True, FLAG),
    "rows": ([0], ROWS),
    "scale": (1.0, NUMBER),
    "scene": (None, THING),
    "segments": (12, COUNT),
    "shader": (None, or_none(TEXT)),
    "size": ((4, 4), SIZE),
    "smoothing": (0.1, AT_LEAST_0),
    "softness": (0.1, SHARE),
    "source": (solid(2, 2), IMAGE),
    "speed": (1.0, NUMBER),
    "start": (0.0, NUMBER),
    "target": ((0, 0, 0), VECTOR),
    "text": ("hello", ANY),
    "symbol": (1, Bad([None, 1.5, (1,), "no such key"])),
    "tick_rate": (60, ABOVE_0 | [1e-12, 1e12]),
    "time_scale": (1.0, AT_LEAST_0),
    "turns": ([(0, 0, 1)], POINTS),
    "uniforms": ({}, Bad(["x", 3, [1]])),
    "up": ((0, 1, 0), VECTOR),
    "velocity": ((0, 0), COLUMN),
    "visible": (True, FLAG),
    "width": (1.0, ABOVE_0),
    "y_sort": (False, FLAG),
    "x": (1.0, NUMBER),
    "y": (1.0, NUMBER),
    "z": (1.0, NUMBER),
    "yaw": (0.1, NUMBER),
}


def _hum(first: int, count: int) -> Any:
    return np.zeros(count)


# Effects of buses: good values and bad values. The options have the same names as the settings.
_FILTER = {"frequency": (500, ABOVE_0 | [10]), "resonance": (1, ABOVE_0 | [21])}
_WET = {"wet": (0.5, AT_LEAST_0 | [1.1]), "dry": (0.5, AT_LEAST_0 | [1.1])}
_TIMES = {
    "threshold": (-20, NUMBER | [1, -81]),
    "attack": (0.1, ABOVE_0 | [11]),
    "release": (0.1, ABOVE_0 | [11]),
}
BUS_EFFECTS: dict[str, dict[str, tuple[float, Bad]]] = {
    "BitCrusher": {"bits": (6, ABOVE_0 | [17]), "sample_rate": (8000, ABOVE_0 | [48_001])},
    "LowPass": _FILTER,
    "HighPass": _FILTER,
    "Echo": {"delay": (0.2, ABOVE_0 | [3]), "feedback": (0.5, AT_LEAST_0 | [1]), **_WET},
    "Reverb": {"duration": (1, ABOVE_0 | [31]), "damping": (0.5, AT_LEAST_0 | [1.1]), **_WET},
    "Compressor": {"ratio": (2, ABOVE_0 | [101]), "gain": (3, NUMBER | [41]), **_TIMES},
    "Ducking": {"reduction": (9, AT_LEAST_0 | [81]), **_TIMES},
}

# Settings, and bad values for them.
SETTINGS: dict[str, dict[str, Bad]] = {
    **{
        kind: {"enabled": FLAG, **{name: bad for name, (_, bad) in settings.items()}}
        for kind, settings in BUS_EFFECTS.items()
    },
    "FollowAll": {
        "bounds": Bad(["x", 3, (0, 0, 1), (0, 0, NAN, 1), (1, 1, 0, 2)]),
        "max_zoom": ABOVE_0,
        "min_zoom": ABOVE_0,
        "margin": AT_LEAST_0,
        "smoothing": SHARE | [1],
        "targets": FOLLOWED,
    },
    "Follow": {
        "bounds": or_none(VECTOR) | [(1, 1, 1, 0, 0, 0)],
        "dead_zone": AT_LEAST_0,
        "look": VECTOR,
        "look_ahead": AT_LEAST_0,
        "look_ahead_smoothing": SHARE | [1],
        "offset": VECTOR,
        "rolling": FLAG,
        "turning": FLAG,
    },
    "Fly": {"look_button": or_none(CHOICE), "turn_per_unit": NUMBER, "position": VECTOR},
    "Orbit": {"look_button": or_none(CHOICE), "turn_per_unit": NUMBER, "zoom_per_step": ABOVE_0},
    "Lines": {"keep": FLAG, "on_top": FLAG},
    "TileLayer": {
        "position": PAIR,
        "color": COLOR,
        "visible": FLAG,
        "parallax": PAIR,
        "parallax_origin": or_none(PAIR),
        "tiles": CELLS,
    },
    "Backdrop": {
        "position": PAIR,
        "color": COLOR,
        "visible": FLAG,
        "repeat": FLAG | [(True,), ("x", "y")],
        "parallax": PAIR,
        "parallax_origin": or_none(PAIR),
        "scale": ABOVE_0 ^ [1, 2],
    },
    "Audio": {
        "volume": AT_LEAST_0 | [17],
        "latency": ABOVE_0 | [1],
        "max_voices": COUNT,
        "reach": or_none(ABOVE_0),
        "occlusion": WALLS,
        "sound_speed": or_none(ABOVE_0),
        "enabled": FLAG,
        "listener": Bad(["x", 3, object]),
    },
    "Voice": {
        "volume": AT_LEAST_0 | [17],
        "pitch": ABOVE_0 | [17],
        "pan": NUMBER | [2],
        "position": HEARD,
        "paused": FLAG,
    },
    "View": {
        "area": AREA | [(0, 0, 900, 900)],
        "background": or_none(COLOR),
        "layers": LAYERS,
        "mouse_handler": or_none(THING),
    },
    "Camera2D": {
        "angle": NUMBER,
        "controller": Bad(["x", 3, object]),
        "position": PAIR,
        "zoom": ABOVE_0,
    },
    "Camera3D": {
        "controller": Bad(["x", 3, object]),
        "far": ABOVE_0,
        "fov": ABOVE_0 | [4],
        "near": ABOVE_0,
        "ortho_height": or_none(ABOVE_0),
        "position": VECTOR,
        "rotation": QUATERNION,
    },
    "Light3D": {
        "angle": NUMBER | [0, 4],
        "color": LIGHT,
        "direction": or_none(DIRECTION),
        "position": VECTOR,
    },
    "MeshBatch": {"casts_shadow": or_none(FLAG), "material": THING},
    "NodeMeshes": {"casts_shadow": or_none(FLAG), "material": THING},
    "Nodes2D": {"parent": COLUMN | [[99, 99]]},
    "Nodes3D": {"parent": COLUMN | [[99, 99]]},
    "Node": {"parent": Bad(["x", 1.5, 99]), "rotation": FIELD},
    "Quality": {"level": WHOLE | [9]},
    "World": {
        "exposure": AT_LEAST_0,
        "fog": AT_LEAST_0,
        "fog_color": LIGHT | [],
        "ground_color": LIGHT,
        "shadows": Bad(["x", 3, object]),
        "sky": Bad(["x", 3, (1, 2), (NAN, 0, 0), (-1, 0, 0)]),
        "sky_color": LIGHT,
        "sun_color": LIGHT,
        "sun_direction": DIRECTION,
    },
    "Game": {"background": COLOR},
    "Display": {
        "session_status": FLAG,
        "mouse_captured": FLAG,
        "mouse_visible": FLAG,
        "mouse_cursor": CHOICE,
        "pause_when_hidden": FLAG,
        "fullscreen": FLAG,
        "pacing": FLAG,
    },
    "Picture": {
        "error_fade": SHARE,
        "palette": Bad([3, "x", ["#000"]]),
        "letterbox_color": COLOR,
        "quality": Bad(["x", 3, object]),
        "render_scale": ABOVE_0,
        "samples": WHOLE | [3],
    },
    "Diagnostics": {"overlay": FLAG},
    "Label": {
        "text": ANY,
        "position": PAIR,
        "x": NUMBER,
        "y": NUMBER,
        "color": COLOR,
        "angle": NUMBER | [1e300],
        "scale": NUMBER | [1e300],
        "alpha": AT_LEAST_0 | [2],
        "width": or_none(ABOVE_0),
        "visible_characters": or_none(AT_LEAST_0),
        "align": CHOICE,
        "anchor": Bad([None, 3, "x", ("up", "left")]),
        "font_size": ABOVE_0,
        "line_spacing": AT_LEAST_0,
        "markup": FLAG,
        "outline": or_none(COLOR),
        "outline_width": AT_LEAST_0,
        "shadow": or_none(COLOR),
        "shadow_offset": PAIR,
    },
    "ModelInstance": {"time": NUMBER},
    "FrameStats": {"on": FLAG},
    "Sprite": {
        "alpha": Bad(["x", None, [1, 2]]),
        "image": Bad([None, 99, b"x"]),
        "layer": Bad(["x", None, [1, 2]]),
        "x": Bad(["x", None, [1, 2]]),
        "y": Bad(["x", None, [1, 2]]),
    },
}

ONE: dict[str, tuple[Any, Bad]] = {
    **{
        f"{kind}.{name}": (None, bad)
        for kind, settings in SETTINGS.items()
        for name, bad in settings.items()
    },
    "Animation(name)": ("walk", TEXT),
    "debug.inspect(shown)": (False, FLAG),
    "debug.watch(name)": (
        "speed",
        ANY,
    ),  # used only while the inspector is open: see tests/test_inspector.py
    "debug.watch(value)": (1.0, ANY),
    **{
        f"TileSet({name})": (good_value, bad)
        for name, (good_value, bad) in {
            "image": (solid(4, 4), IMAGE | [[]]),
            "tile": ((4, 4), SIZE),
            "margin": (0, WHOLE),
            "spacing": (0, WHOLE),
            "solid": ((), Bad(["x", None, 3, [0], [1.5]])),
            "one_way": ((), Bad(["x", None, 3, [0], [1.5]])),
            "animations": (None, Bad(["x", 3, {0: [(1, 1)]}, {1: []}, {1: [3]}, {1: [(1, 0)]}])),
            "filter": ("nearest", CHOICE),
        }.items()
    },
    **{
        f"TileLayer({name})": (good_value, bad)
        for name, (good_value, bad) in {
            "tileset": (fw.TileSet(solid(4, 4), (4, 4)), THING | [solid(4, 4), "tiles.png"]),
            "tiles": ([[1]], CELLS),
            "position": ((0, 0), PAIR),
            "orientation": ("orthogonal", CHOICE),
            "stagger_axis": ("y", CHOICE),
            "stagger_index": ("odd", CHOICE),
            "hex_side": (0, WHOLE),
            "skew": ((0, 0), PAIR),
            "parallax": ((1, 1), PAIR),
            "parallax_origin": ((0, 0), or_none(PAIR)),
        }.items()
    },
    "TileLayer.world_to_cell(point)": ((0, 0), PAIR),
    "TileLayer.cell_center(cell)": ((0, 0), Bad(["x", None, 3, (1,), (1, 2, 3), (0.5, 1)])),
    **{
        f"Backdrop({name})": (good_value, bad)
        for name, (good_value, bad) in {
            "image": (solid(4, 4), IMAGE),
            "position": ((0, 0), PAIR),
            "repeat": (False, FLAG | [(True,), ("x", "y")]),
            "parallax": ((1, 1), PAIR),
            "parallax_origin": ((0, 0), or_none(PAIR)),
            "filter": ("nearest", CHOICE),
            "scale": (1.0, ABOVE_0 ^ [1, 2]),
            "color": ((1, 1, 1), COLOR),
        }.items()
    },
    "TileMap(path)": (None, PATH),
    "TileMap(level)": (None, Bad([1.5, (1,), b"x"])),
    "TileMap(position)": ((0, 0), PAIR),
    "TileMap(layers)": (None, Bad(["x", 3, {3: 4}, {"ground": 0.5}, {"ground": "x"}])),
    "TileMap(filter)": ("nearest", CHOICE),
    "TileMap(expect_solid)": (True, FLAG),
    "TileMap(warn_differences)": (True, FLAG),
    "TileMap.autotile(mask)": ([[True]], Bad(["x", None, 3, [1], [[9]], [[-1]], [[0.5]]])),
    "TileMap.autotile(name)": ("earth", TEXT),
    "TileMap.tile_properties(number)": (1, WHOLE),
    **{
        f"{kind}({name})": row
        for kind, settings in BUS_EFFECTS.items()
        for name, row in settings.items()
    },
    "Ducking(listen)": (Buses(print)["effects"], THING),
    "Audio.capture(path)": ("mix.wav", PATH),
    "Audio.stop(fade)": (0.0, AT_LEAST_0),
    "Sound.of(rate)": (48_000, ABOVE_0),
    "Sound.of(samples)": ([0.0, 0.5], Bad(["x", None, 3, [], [[1, 2, 3]], [NAN], [99.0]])),
    "Sound.play(fade)": (0.0, AT_LEAST_0),
    "Sound.play(bus)": ("effects", TEXT),
    "Sound.play(loop)": (False, Bad(["x", None, 3, (1, 2, 3), (0.1, 0.1), (0, 99), (NAN, 1)])),
    "Sound.play(key)": (None, ANY),
    "Sound.play(pan)": (0.0, NUMBER | [2]),
    "Sound.play(pitch)": (1.0, ABOVE_0 | [17]),
    "Sound.play(position)": (None, HEARD),
    "Sound.play(priority)": (0, NUMBER),
    "Sound.play(reach)": (None, or_none(ABOVE_0)),
    "Sound.play(occlusion)": (None, WALLS),
    "SoundStream.play(occlusion)": (None, WALLS),
    "SoundStream.play(loop)": (False, Bad(["x", None, 3, True, (0, 1)])),
    "Voice.occlusion": (None, WALLS),
    "Sound.play(start)": (0.0, AT_LEAST_0 | [9]),
    "Sound.play(at)": (None, or_none(NUMBER) | [-1, 9e9]),
    "SoundStream.play(at)": (None, or_none(NUMBER) | [-1, 9e9]),
    "Audio.pan_law": ("power", CHOICE),
    "Audio.capture(dither)": (True, FLAG),
    "BeatClock(bpm)": (120, ABOVE_0 | [1001]),
    "BeatClock(start)": (0.0, NUMBER),
    "BeatClock(beats_per_bar)": (4, WHOLE | [0, 65]),
    "BeatClock.beat_at(time)": (1.0, NUMBER),
    "BeatClock.bar_at(time)": (1.0, NUMBER),
    "BeatClock.time_of(beat)": (1.0, NUMBER),
    "BeatClock.shifted(seconds)": (1.0, NUMBER),
    "BeatClock.between(begin)": (0.0, NUMBER),
    "BeatClock.between(end)": (1.0, NUMBER),
    "BeatClock.between(beats)": (1.0, ABOVE_0),
    "BeatClock.between(offset)": (0.0, NUMBER),
    "Sound.play(volume)": (1.0, AT_LEAST_0 | [17]),
    "Sound.sfx(kind)": (None, or_none(CHOICE)),
    "Sound.sfx(seed)": (0, WHOLE),
    "Sound.tone(frequency)": (440, ABOVE_0 | [24_000]),
    "Sound.tone(duration)": (0.1, ABOVE_0 | [1000]),
    "Sound.tone(wave)": ("sine", CHOICE),
    "Voice.bus": (None, or_none(THING)),
    "Voice.priority": (0.0, NUMBER),
    "Voice.reach": (None, or_none(ABOVE_0)),
    "SoundStream.play(fade)": (0.0, AT_LEAST_0),
    "SoundStream.play(bus)": ("effects", TEXT),
    "SoundStream.play(key)": (None, ANY),
    "SoundStream.play(pan)": (0.0, NUMBER | [2]),
    "SoundStream.play(pitch)": (1.0, ABOVE_0 | [17]),
    "SoundStream.play(position)": (None, HEARD),
    "SoundStream.play(priority)": (0, NUMBER),
    "SoundStream.play(reach)": (None, or_none(ABOVE_0)),
    "SoundStream.play(start)": (0.0, AT_LEAST_0),
    "SoundStream.play(volume)": (1.0, AT_LEAST_0 | [17]),
    "SoundStream(function)": (_hum, FUNCTION),
    "SoundStream(channels)": (1, Bad(["x", None, 0, 3, 1.5, NAN])),
    "SoundStream(ahead)": (0.0, AT_LEAST_0 | [2]),
    "MusicLayers.fade(name)": ("a", Bad(["x", None, 3])),
    "MusicLayers.fade(seconds)": (1.0, AT_LEAST_0 | [3601]),
    "MusicLayers.fade(volume)": (1.0, AT_LEAST_0 | [17]),
    "MusicLayers.seek(seconds)": (0.0, AT_LEAST_0),
    "MusicLayers.stop(fade)": (0.0, AT_LEAST_0),
    "Voice.seek(seconds)": (0.0, AT_LEAST_0 | [9]),
    "Voice.stop(fade)": (0.0, AT_LEAST_0),
    "Animation(channels)": (
        [],
        Bad(["x", None, 3, [1], [fw.Channel(0, "up", "LINEAR", [0], [[0, 0, 0]])]]),
    ),  # type: ignore[arg-type]
    "Clip(frames)": ([0], Bad(["x", None, 3, [], [0.5], [-1], ["a"]])),
    "Clip(markers)": (None, Bad(["x", 3, [1]])),
    "Clip(ping_pong)": (False, FLAG),
    "Clip(rate)": (12, ABOVE_0 | [1e9]),
    "Clip(seconds)": (None, Bad(["x", 3, [], [0.1, 0.2], [0], [NAN], [-1], ["a"]])),
    "Clips(images)": (solid(2, 2), IMAGE | [[3]]),
    "BatchClips.group": (None, or_none(THING)),
    "BatchImages.add(source)": (solid(2, 2), IMAGE),
    "BatchImages.pieces(tolerance)": (1.0, AT_LEAST_0),
    **{
        f"{kind}.column(name)": ("position", TEXT | ["tint"])
        for kind in ("Nodes2D", "Nodes3D", "Transforms2D", "Transforms3D")
    },
    **{
        f"{kind}.receive({name})": (good_value, Bad(bad))
        for kind in ("Nodes2D", "Nodes3D", "Transforms2D", "Transforms3D")
        for name, good_value, bad in (
            ("current", {}, ["x", None, 3, {}, {"tint": np.zeros(1)}, {"position": [1, 2]}]),
            ("previous", None, ["x", 3, {"tint": np.zeros(1)}, {"position": [1, 2]}]),
            ("at", None, ["x", [1], -1, NAN, INF]),
            ("ids", None, ["x", 3, [0.5], np.array([0.5]), np.array([1, 1])]),
        )
    },
    "Beside(processes)": (2, Bad(["x", None, 0, 3, 1.5])),
    "Beside(waits)": (None, or_none(FLAG)),
    "Beside.processes": (2, Bad(["x", None, 0, 3, 1.5])),
    "Clips.from_aseprite(folders)": ((), Bad(["x", None, 3, [3]])),
    **{
        f"{kind}.{name}": found
        for kind in ("SpriteBatch", "NodeSprites", "Sprite")
        for name, found in {
            "clip_speed": (None, AT_LEAST_0 | [1001]),
            "ended(name)": (None, or_none(TEXT) | ["wlak"]),
            "marked(name)": ("step", TEXT | ["stp"]),
            "set_clip_speed(rows)": (None, or_none(ROWS)),
            "set_clip_speed(speed)": (1.0, FOR_EACH | [1001]),
            "play(name)": ("walk", TEXT | ["wlak"]),
            "play(restart)": (False, FLAG),
            "play(rows)": (None, or_none(ROWS)),
            "play(skip)": (0.0, FOR_EACH),
            "play(speed)": (1.0, FOR_EACH | [1001]),
            "play(then)": (None, or_none(TEXT) | ["wlak"]),
            "playing(name)": ("walk", TEXT | ["wlak"]),
            "stop(rows)": (None, or_none(ROWS)),
        }.items()
        if name
        in ("clip_speed", "play(name)", "play(restart)", "play(skip)", "play(speed)", "play(then)")
        or kind != "Sprite"
        if kind == "Sprite" or name != "clip_speed"
    },
    "StateMachine.add_transition(after)": (0.5, AT_LEAST_0),
    "StateMachine.add_transition(source)": ("a", Bad(["x", 3, [3], ["x"]])),
    "StateMachine.add_transition(target)": ("b", TEXT | ["x"]),
    "StateMachine.add_transition(when)": (None, or_none(FUNCTION)),
    "StateMachine.on(name)": ("a", TEXT | ["x"]),
    **{
        f"StateMachine.on({name})": (None, or_none(FUNCTION))
        for name in ("enter", "update", "exit")
    },
    "StateMachine.change_to(name)": ("a", TEXT | ["x"]),
    "StateColumns(batch)": (None, THING),
    "StateColumns(column)": ("mood", TEXT),
    "StateColumns.change(after)": (0.5, AT_LEAST_0),
    "StateColumns.change(source)": ("a", TEXT | ["x"]),
    "StateColumns.change(target)": ("b", TEXT | ["x"]),
    "StateColumns.change(when)": (None, Bad(["x", 3, [1, 0], [True]])),
    **{f"StateColumns.{call}(name)": ("a", TEXT | ["x"]) for call in ("entered", "exited", "put")},
    "StateColumns.select(default)": (0, ANY),
    "Billboards(blend)": ("alpha", CHOICE),
    "Billboards(capacity)": (0, WHOLE),
    "Billboards(image)": (None, or_none(IMAGE) | [[], [3]]),
    "Billboards(lit)": (False, FLAG),
    "Billboards(soft)": (0.5, AT_LEAST_0),
    "Camera2D(size)": ((64, 48), SIZE.without((1.5, 2))),
    "Camera2D.follow(offset)": ((0, 0), PAIR),
    "Camera2D.follow(target)": (None, Bad(["x", 3, object])),
    "Camera3D(far)": (100.0, ABOVE_0),
    "Camera3D(fov)": (1.0, ABOVE_0 | [4]),
    "Camera3D(ortho_height)": (None, or_none(ABOVE_0)),
    "Camera3D(near)": (0.1, ABOVE_0),
    "Camera3D.look_at(target)": ((0, 0, -1), VECTOR),
    "Camera3D.screen_ray(point)": ((1, 1), PAIR),
    "Camera3D.world_to_screen(point)": ((0, 0, -5), VECTOR),
    "Extrapolation(blend_duration)": (0.1, ABOVE_0),
    "Extrapolation(limit)": (0.25, AT_LEAST_0),
    "FixedTimestep(overflow)": ("drop", CHOICE),
    "Fly(look_button)": ("right", or_none(CHOICE)),
    "Orbit(look_button)": ("left", or_none(CHOICE)),
    "Fly(position)": (None, or_none(VECTOR)),
    "Fly(yaw)": (None, or_none(NUMBER)),
    "Fly(pitch)": (None, or_none(NUMBER)),
    **{f"Bezier({name})": (0.5, NUMBER) for name in ("x1", "y1", "x2", "y2")},
    "Spring(stiffness)": (120.0, ABOVE_0),
    "Spring(damping)": (14.0, ABOVE_0),
    "Spring.at(time)": (0.5, Bad(["x", None, NAN])),
    "ease(name)": ("linear", CHOICE),
    "ease(t)": (0.5, Bad(["x", None, NAN])),
    **{
        f"{kind}.tween({name})": found
        for kind in ("Game", "Scene")
        for name, found in {
            "target": (SimpleNamespace(x=0.0), ANY),
            "duration": (1.0, or_none(AT_LEAST_0)),
            "ease": ("linear", CHOICE),
            "repeat": (1, COUNT),
            "ping_pong": (True, FLAG),
            "relative": (True, FLAG),
            "shortest": (True, FLAG),
        }.items()
    },
    "Fly.move(forward)": (1.0, NUMBER),
    "Fly.move(right)": (1.0, NUMBER),
    "Fly.move(up)": (1.0, NUMBER),
    "NinePatch(image)": ("a.png", IMAGE),
    "NinePatch(border)": (3, Bad(["x", None, 1.5, (1, 2), (1, 2, 3, -1), -1])),
    "NinePatch(scale)": (1.0, ABOVE_0),
    "Theme(font)": (None, Bad([3, b"x", [3], []])),
    **{
        f"Theme({name})": ("#fff", COLOR)
        for name in (
            "text",
            "disabled",
            "accent",
            "panel",
            "edge",
            "control",
            "hover",
            "pressed",
            "focus",
            "track",
            "overlay",
        )
    },
    **{
        f"Theme({name})": (4.0, AT_LEAST_0)
        for name in ("font_size", "radius", "edge_width", "padding", "gap", "ease")
    },
    **{f"Theme({name})": (None, or_none(THING)) for name in ("focus_sound", "press_sound")},
    **{
        f"Theme({name}_skin)": ("a.png", or_none(IMAGE))
        for name in ("panel", "control", "hover", "pressed", "track", "fill", "thumb", "on", "off")
    },
    "Theme.word(word)": ("Space", TEXT),
    "Theme(words)": ({"Space": "Leer"}, Bad(["x", 3, {"Spcae": "x"}, {"Space": 3}])),
    "Widget(action)": (None, Bad(["?", 3, ["x", "?"], np.zeros(2)])),
    "Widget(tooltip)": (None, or_none(TEXT)),
    "Widget(enabled)": (True, FLAG),
    **{f"Widget{way}": (None, Bad(["lihgt", 3, ["light"]])) for way in ("(theme)", ".theme")},
    "Display.to_clipboard(words)": ("a", TEXT),
    "Display.fullscreen": (False, FLAG),
    "Display.vsync": (True, FLAG),
    "Display.max_fps": (60, or_none(ABOVE_0)),
    "Display.title": ("a", TEXT),
    "Display.min_size": (None, or_none(SIZE)),
    "Display.icon": (None, or_none(IMAGE) | [[]]),
    "Display.screen": (0, WHOLE),
    **{
        f"{call}(slot)": ("slot 1", TEXT | ["../x", "con", ""])
        for call in ("Saves.exists", "Game.save", "Game.load")
    },
    "Saves.unpack(data)": (b"", Bad([None, 3, "x", bytearray(3), ["x"]])),
    "Saves.path(slot)": (None, or_none(TEXT | ["../x", "con", ""])),
    "Saves.export_json(path)": ("a.json", PATH | ["", "a/"]),
    "Widget.action": (None, Bad(["?", 3, ["x", "?"], np.zeros(2)])),
    "Widget.tooltip": (None, or_none(TEXT)),
    "Widget.enabled": (True, FLAG),
    "Widget.add(child)": (None, THING),
    "Widget.add(index)": (None, or_none(WHOLE)),
    **{
        f"Widget.{call}": (None, ANY)
        for call in (  # methods that the user's widgets override
            "changed(sized)",
            "paint(brush)",
            "on_drag(x)",
            "on_drag(y)",
            "on_drag(begins)",
            "size(available)",
            "on_direction(direction)",
            *(
                f"on_mouse_{event}({argument})"
                for event in ("press", "release")
                for argument in ("x", "y", "button", "modifiers")
            ),
            "type(text)",
            "on_wheel(steps)",
        )
    },
    "FollowAll(targets)": (None, FOLLOWED),
    "FollowAll(margin)": (0.0, AT_LEAST_0),
    "FollowAll(max_zoom)": (1.0, ABOVE_0),
    "FollowAll(min_zoom)": (0.1, ABOVE_0),
    "FollowAll(smoothing)": (0.0, SHARE | [1]),
    "FollowAll(bounds)": (None, Bad(["x", 3, (0, 0, 1), (0, 0, NAN, 1), (1, 1, 0, 2)])),
    "Follow(look)": ((0, 0, 0), or_none(VECTOR)),
    "Follow(offset)": ((0, 3, 8), or_none(VECTOR)),
    "Follow(bounds)": (None, or_none(VECTOR) | [(1, 1, 1, 0, 0, 0)]),
    "Follow(dead_zone)": (0.0, NUMBER | [-1, [[1, 2], [3]]]),
    "Follow(glide)": (False, FLAG),
    "Follow(look_ahead)": (0.0, AT_LEAST_0),
    "Follow(look_ahead_smoothing)": (0.9, SHARE | [1]),
    "Camera2D.shake(strength)": (1.0, AT_LEAST_0),
    "Camera2D.shake(ticks)": (30, COUNT),
    "Camera2D.shake(seed)": (0, WHOLE.without(-1)),
    "Camera3D.shake(strength)": (1.0, AT_LEAST_0),
    "Camera3D.shake(ticks)": (30, COUNT),
    "Camera3D.shake(seed)": (0, WHOLE.without(-1)),
    "FrameStats.spans(name)": ("frame", TEXT),
    "FrameStats.span(name)": ("paths", TEXT),
    "FrameStats.span(start)": (0, WHOLE),
    "FrameStats.span(end)": (1, WHOLE),
    "FrameStats.spans(last)": (None, or_none(WHOLE)),
    "FrameStats.frames(last)": (None, or_none(WHOLE)),
    "TextBatch.remove(label)": (None, THING | [np.zeros(2)]),
    "Follow(rolling)": (False, FLAG),
    "Follow(target)": (None, Bad(["x", 3, object])),
    "Follow(turning)": (True, FLAG),
    "Game(size)": ((64, 48), SIZE),
    "Game(title)": ("test", or_none(TEXT)),
    "Game(timestep)": (None, or_none(THING)),
    "Game(seed)": (0, WHOLE),
    "Game(drawing)": (True, FLAG),
    "Game(exact)": (True, FLAG),
    "Game(headless)": (True, or_none(FLAG)),
    "Game(vsync)": (True, FLAG),
    "Game(pacing)": (True, FLAG),
    "Game(resizable)": (True, FLAG),
    "Game(fullscreen)": (False, FLAG),
    "Game(borderless)": (False, FLAG),
    "Game(physical_keys)": (False, FLAG),
    "Game(max_fps)": (None, or_none(ABOVE_0)),
    "Game(min_size)": (None, or_none(SIZE)),
    "Game(screen)": (None, or_none(WHOLE)),
    "Game(icon)": (None, or_none(IMAGE) | [[]]),
    "Game(samples)": (0, WHOLE | [3]),
    "Game(resolution)": (None, or_none(SIZE)),
    "Game(scaling)": ("letterbox", CHOICE),
    "Game(pixel_art)": (False, FLAG),
    "Palette(colors)": (["#000"], Bad([3, None, object, ["no colour"], [3], []])),
    "Palette(dither)": (0.5, SHARE),
    "RenderTexture(depth)": (True, FLAG),
    **{f"{call}(area)": ((0, 0, 1, 1), AREA) for call in ("View", "SceneViews.add")},
    "SceneViews.add(camera)": (fw.Camera2D((64, 48)), Bad(["x", 3, object])),
    "SceneViews.remove(view)": (None, THING | [np.zeros(2)]),
    "View(layers)": (None, LAYERS),
    "View(background)": (None, or_none(COLOR)),
    "View(texture)": (None, or_none(THING)),
    "View(mouse_handler)": (None, or_none(THING)),
    "Game(background)": ((0, 0, 0), COLOR),
    "Game(letterbox_color)": ((0, 0, 0), COLOR),
    "Game(frame_rate)": (60, ABOVE_0 | [5e-324, 1e12]),
    "Game(pixel_ratio)": (1.0, ABOVE_0 | [1e300]),
    "Game(escape_closes)": (True, FLAG),
    "Game(frame_stats)": (True, FLAG),
    "Game(pause_when_hidden)": (False, FLAG),
    "Game(render_scale)": (1.0, ABOVE_0),
    "Game(manage_gc)": (True, FLAG),
    "Game(players)": (1, COUNT | [99]),
    "Game(immediate_events)": (False, FLAG),
    "Testing.click(x)": (3.0, Bad([None, 3 + 0j, NAN, INF, "Play"])),
    "Testing.click(y)": (3.0, NUMBER),
    "Testing.click(button)": ("left", CHOICE),
    "Testing.feed(events)": (
        [],
        Bad(["x", None, 3, [1], [("no_such",)], [("on_key_press", -1, 0)], [()]]),
    ),
    "RecordingControl.start(hash_every)": (60, WHOLE),
    "RecordingControl.rewind": (None, Bad(["x", 3, fw.Rewind])),
    "Game.emit(effect)": (print, Bad([None, 3])),
    "Game.emit(key)": (None, ANY),
    "Game.emit(when)": ("confirmed", CHOICE),
    "Game.emit(withdrawn)": (None, or_none(FUNCTION)),
    "Game.subscribe(withdrawn)": (None, or_none(FUNCTION)),
    "RecordingControl.confirm(tick)": (0, or_none(WHOLE)),
    **{f"Game.{call}(name)": ("hit", TEXT) for call in ("subscribe", "unsubscribe")},
    "Rewind(duration)": (10, ABOVE_0 | [10_000]),
    "Rewind(memory)": (1 << 26, COUNT | [1000]),
    "Rewind.seek(tick)": (0, WHOLE | [10_000]),
    **{
        f"Testing.{call}(player)": (0, WHOLE | [1])
        for call in ("press", "release", "click", "type")
    },
    **{
        f"Testing.{call}(player)": (0, WHOLE | [1])
        for call in ("connect", "pull_trigger", "move_stick")
    },
    "Testing.connect(name)": ("Gamepad", TEXT),
    "Testing.connect(kind)": ("xbox", CHOICE),
    "Testing.connect(pad)": (None, or_none(WHOLE) | [8]),
    "Testing.disconnect(pad)": (0, WHOLE | [8]),
    "Testing.pull_trigger(trigger)": ("lefttrigger", CHOICE),
    "Testing.pull_trigger(value)": (0.5, SHARE),
    "Testing.move_stick(stick)": ("leftstick", CHOICE),
    "Testing.move_stick(x)": (0.5, NUMBER | [2]),
    "Testing.move_stick(y)": (0.5, NUMBER | [-2]),
    "Actions.context(name)": ("menu", TEXT),
    "Actions.is_enabled(name)": ("menu", TEXT | ["x"]),
    "Actions.context(enabled)": (True, FLAG),
    **{
        f"Actions.{call}(name)": ("jump", TEXT | ["x"])
        for call in ("held", "just_pressed", "just_released", "presses", "releases")
    },
    "Actions.hold_seconds": (0.5, AT_LEAST_0),
    "Actions.double_tap_seconds": (0.3, AT_LEAST_0),
    "Actions.load(bindings)": ({}, Bad(["x", None, 3, ["jump"]])),
    "Actions.player(number)": (0, WHOLE | [1]),
    "Actions.player(keyboard)": (None, or_none(WHOLE)),
    "Actions.prompts(action)": ("jump", TEXT | ["x"]),
    "Actions.rebind(action)": ("jump", TEXT | ["x", "move", "move.top"]),
    "Actions.rebind(source)": ("space", Bad(["x y", None, 1.5, b"x", "pad:", "mouse:a"])),
    "Actions.rebind(instead)": (None, Bad(["x y", 1.5, b"x", "enter"])),
    **{f"{kind}(deadzone)": (0.2, SHARE | [1]) for kind in ("Axis", "Stick")},
    "Gamepad.axis(negative)": ("a", Bad([None, 1.5, "no such key"])),
    "Gamepad.axis(positive)": ("b", Bad([None, 1.5, "no such key"])),
    **{f"Gamepad.{call}(control)": ("a", TEXT | ["x y"]) for call in ("glyph", "value")},
    "Gamepad.rumble(strength)": (1.0, SHARE),
    "Gamepad.rumble(duration)": (0.5, AT_LEAST_0 | [61]),
    "Gamepad.rumble(weak)": (None, or_none(SHARE)),
    "Gamepad.stick(name)": ("leftstick", CHOICE),
    "Gamepad.stick(deadzone)": (0.2, SHARE | [1]),
    "Player.pad": (None, or_none(THING)),
    "Game.add(camera)": (None, Bad(["x", 3, object])),
    "Scene.add(camera)": (None, Bad(["x", 3, object])),
    "Game.add(layer)": (None, Bad(["x", 1.5, NAN, [1, 2], 2**31])),
    "Scene.add(layer)": (None, Bad(["x", 1.5, NAN, [1, 2], 2**31])),
    "Game.advance(frame_time)": (0.0, AT_LEAST_0),
    "run(game_class)": (fw.Game, FUNCTION | [int, fw.Scene, print]),
    "run(screenshot)": (None, or_none(PATH)),
    "run(session)": (None, or_none(THING)),
    "Game(session)": (None, or_none(THING)),
    "Game.input": (None, or_none(THING)),
    "Heightfield(heights)": (
        np.eye(3),
        Bad(["x", None, 3, np.zeros(3), np.zeros((1, 3)), np.full((3, 3), NAN)]),
    ),
    "Heightfield(origin)": (None, or_none(VECTOR)),
    "Heightfield.ray(origin)": ([(0, 5, 0)], POINT_OR_POINTS),
    "Heightfield.ray(direction)": ([(0, -1, 0)], POINT_OR_POINTS),
    "Heightfield.ray(farthest)": (9.0, AT_LEAST_0.without(INF) | [np.zeros(2)]),
    "Keys(names)": (None, Bad(["x", 3, {3: 4}, {"a": "x"}, np.zeros(2)])),
    "Mouse(names)": ({}, Bad(["x", 3, {3: 4}, {"a": "x"}, np.zeros(2)])),
    "Keys.axis(negative)": (1, Bad([None, 1.5, "no such key"])),
    "Keys.axis(positive)": (2, Bad([None, 1.5, "no such key"])),
    "Mouse.axis(negative)": (1, Bad([None, 1.5, "no such key"])),
    "Mouse.axis(positive)": (2, Bad([None, 1.5, "no such key"])),
    "Mouse.move(dx)": (1.0, NUMBER.without(None)),
    "Mouse.move(dy)": (1.0, NUMBER.without(None)),
    "Mouse.scroll(dx)": (1.0, NUMBER),
    "Mouse.scroll(dy)": (1.0, NUMBER),
    "Lights.add(angle)": (0.5, NUMBER | [0, 4]),
    "Lights.add(direction)": ((0, -1, 0), or_none(DIRECTION)),
    "Lines(keep)": (False, FLAG),
    "Lines(on_top)": (False, FLAG),
    "Lines.add(start)": ((0, 0, 0), POINT_OR_POINTS),
    "Lines.add(end)": ((0, 0, 1), POINT_OR_POINTS),
    "Lines.axes(rotation)": ((0, 0, 0, 1), QUATERNION),
    "Lines.axes(size)": (1.0, ABOVE_0),
    "Lines.box(low)": ((0, 0, 0), VECTOR),
    "Lines.box(high)": ((1, 1, 1), VECTOR),
    "Lines.grid(size)": (4.0, ABOVE_0 | [1e9]),
    "Lines.grid(step)": (1.0, ABOVE_0),
    "Lines.path(points)": ([(0, 0, 0), (1, 1, 1)], POINTS),
    "Lines.sphere(center)": ((0, 0, 0), VECTOR),
    "Lines.rotated_box(half)": ((1, 1, 1), VECTOR),
    "Lines.rotated_box(center)": ((0, 0, 0), VECTOR),
    "Lines.rotated_box(rotation)": ((0, 0, 0, 1), or_none(QUATERNION)),
    "Material(base_color)": ((1, 1, 1), COLOR | [(-1, 0, 0)]),
    "Material(metallic)": (0.0, SHARE),
    "Material(roughness)": (0.7, SHARE),
    "Material(emissive)": ((0, 0, 0), LIGHT),
    "Material(base_texture)": (None, or_none(IMAGE)),
    "Material(metallic_roughness_texture)": (None, or_none(IMAGE)),
    "Material(normal_texture)": (None, or_none(IMAGE)),
    "Material(normal_scale)": (1.0, NUMBER),
    "Material(occlusion_texture)": (None, or_none(IMAGE)),
    "Material(occlusion_strength)": (1.0, SHARE),
    "Material(emissive_texture)": (None, or_none(IMAGE)),
    "Material(alpha_mode)": ("opaque", CHOICE),
    "Material(alpha_cutoff)": (0.5, SHARE),
    "Material(double_sided)": (False, FLAG),
    "Material(unlit)": (False, FLAG),
    "Material(wireframe)": (False, FLAG),
    "Mesh(positions)": (np.zeros((3, 3)), POINTS | [np.zeros((0, 3)), [(NAN, 0, 0)] * 3]),
    "Mesh(indices)": (None, Bad(["x", [0.5], [0, 1], [0, 1, 9], [0, 1, -1], [[0, 1, 2]], []])),
    "Mesh(normals)": (None, or_none(POINTS) | [np.zeros((2, 3))]),
    "Mesh(uvs)": (None, Bad(["x", 3, np.zeros((3, 3)), np.full((3, 2), NAN)])),
    "Mesh(colors)": (None, Bad(["x", 3, np.zeros((3, 2)), np.full((3, 4), INF)])),
    "Mesh(second_uvs)": (None, Bad(["x", 3, np.zeros((3, 3)), np.full((3, 2), NAN)])),
    "Mesh(tangents)": (None, Bad(["x", 3, np.zeros((3, 3)), np.full((3, 4), INF)])),
    "Mesh.box(size)": ((1, 1, 1), VECTOR | [(1, 1, 0)]),
    "Mesh.cube(size)": (1.0, ABOVE_0),
    "Mesh.plane(size)": ((1, 1), SIZE.without((1.5, 2))),
    "Mesh.plane(pieces)": (1, COUNT),
    "Mesh.cone(top)": (0.0, AT_LEAST_0),
    "Mesh.torus(tube)": (0.1, ABOVE_0),
    "Mesh.capsule(height)": (2.0, ABOVE_0 | [0.1]),
    "Mesh.transformed_by(matrix)": (
        np.eye(4),
        Bad(["x", None, np.eye(3), np.zeros((4, 4)), np.full((4, 4), NAN)]),
    ),
    "Mesh.transformed(rotation)": ((0, 0, 0, 1), QUATERNION),
    "Mesh.transformed(scale)": (1.0, NUMBER | [0, (1, 2), (1, 0, 1)]),
    "MeshBatch(capacity)": (0, WHOLE),
    "MeshBatch(casts_shadow)": (None, or_none(FLAG)),
    "MeshBatch(large_world)": (False, FLAG),
    "ModelBatch(large_world)": (False, FLAG),
    "Nodes3D(large_world)": (False, FLAG),
    "MeshBatch(material)": (None, or_none(THING)),
    "Model(path)": (None, PATH),
    "Model(folders)": ((), Bad(["x", None, 3, [3]])),
    "Model.animation(name)": ("Wave", TEXT | ["x"]),
    "Model.node_index(name)": ("root", TEXT | ["x"]),
    "Model.of(parts)": ([], Bad([None, 3, [1], "x"])),
    "Crowd(casts_shadow)": (None, or_none(FLAG)),
    "Crowd(large_world)": (False, FLAG),
    "Crowd(model)": (None, THING),
    "Crowd.casts_shadow": (None, or_none(FLAG)),
    "Crowd.play(fade)": (0.2, FOR_EACH),
    "Crowd.play(name)": ("Wave", Bad([3, "x", b"x"])),
    "Crowd.play(speed)": (-1.0, SIGNED_FOR_EACH),
    "Crowd.play(start)": (0.0, SIGNED_FOR_EACH),
    "Crowd.playing(name)": ("Wave", Bad([3, "x", b"x"])),
    "CrowdInstance.play(name)": ("Wave", Bad([3, "x", b"x"])),
    "ModelBatch(model)": (None, THING),
    "ModelBatch.play(name)": ("Wave", Bad([3, "x", b"x"])),
    "ModelInstance.set_weight(name)": (0, Bad(["x", None, 1.5, 99, -1])),
    "ModelInstance.set_weight(value)": (0.5, NUMBER),
    "ModelInstance.weight(name)": (0, Bad(["x", None, 1.5, 99, -1])),
    "ModelInstance.weights": (0.0, Bad(["x", None, NAN, (1,), (1, 2, 3), (NAN, 0)])),
    "MorphTargets(names)": (None, Bad([3, "xy", ["x"], ["x", 3]])),
    "MorphTargets(normals)": (None, Bad(["x", 3, np.zeros((2, 3)), np.full((2, 3, 3), NAN)])),
    "MorphTargets(positions)": (
        np.zeros((2, 3, 3)),
        Bad(["x", None, 3, np.zeros((0, 3, 3)), np.full((2, 3, 3), NAN)]),
    ),
    "MorphTargets(tangents)": (None, Bad(["x", 3, np.zeros((2, 3)), np.full((2, 3, 3), NAN)])),
    "MorphTargets(weights)": (None, Bad(["x", 3, [1], [1, NAN]])),
    "ModelInstance.play(name)": ("Wave", Bad([3, "x", b"x"])),
    "ModelInstance.node(name)": ("root", Bad([None, 1.5, "x", 99, -1])),
    "FrameStats(frames)": (240, COUNT),
    "FrameStats(on)": (True, FLAG),
    "FrameStats(clock)": (lambda: 0, FUNCTION),
    "FrameStats.series(name)": ("frame", TEXT | ["no such series"]),
    "FrameStats.series(last)": (None, or_none(WHOLE)),
    "FrameStats.statistics(name)": ("frame", TEXT | ["no such series"]),
    "NodeMeshes(nodes)": (None, THING),
    "NodeMeshes(rows)": ((), Bad(["x", [99], [1.5]])),
    "NodeMeshes(material)": (None, or_none(THING)),
    "NodeMeshes(skin)": (None, or_none(THING)),
    "NodeMeshes.show(node)": (0, Bad(["x", None, 1.5, 99])),
    "NodeSprites(image)": (solid(2, 2), or_none(IMAGE)),
    "NodeSprites(nodes)": (None, THING),
    "NodeSprites.show(node)": (0, Bad(["x", None, 1.5, 99])),
    "NodeSprites.show(image)": (None, or_none(IMAGE).without(3) | [99]),
    "Nodes2D.add(parent)": (None, Bad(["x", 1.5, 99])),
    "Nodes2D.attach(parent)": (None, Bad(["x", 1.5, 99])),
    "Nodes3D.attach(parent)": (None, Bad(["x", 1.5, 99])),
    "Nodes3D.add(parent)": (None, Bad(["x", 1.5, 99])),
    "Nodes3D.world_matrices(eye)": (None, or_none(VECTOR)),
    "Orbit(distance)": (5.0, ABOVE_0),
    "Orbit(min_distance)": (0.1, ABOVE_0),
    "Orbit(max_distance)": (9.0, ABOVE_0.without(INF)),
    "Orbit.pan(x)": (1.0, NUMBER),
    "Orbit.zoom(factor)": (2.0, ABOVE_0),
    "Part(material)": (fw.Material(), THING),
    "Part(nodes)": ([0], Bad(["x", None, 3, [0.5], [-1]])),
    "Part(skin)": (None, or_none(THING)),
    "Part(targets)": (None, or_none(THING) | [fw.MorphTargets(np.zeros((1, 2, 3)))]),
    "Quality(levels)": (
        [{"render_scale": 1.0}, {"render_scale": 0.5}],
        Bad(["x", None, 3, [], [1]]),
    ),
    "Quality(level)": (None, or_none(WHOLE) | [9]),
    "Quality(target)": (None, or_none(ABOVE_0)),
    "Quality(on_change)": (None, or_none(FUNCTION)),
    "RefreshClock.shown(stamp)": (0, WHOLE.without(-1)),
    "RefreshClock.passed(stamp)": (0, WHOLE.without(-1)),
    "Replay.playing(game_class)": (fw.Game, FUNCTION | [int, fw.Scene, print]),
    "Replay.playing(headless)": (True, or_none(FLAG)),
    "Replay.playing(saves)": (None, or_none(PATH)),
    "Replay.verify(game_class)": (fw.Game, FUNCTION | [int, fw.Scene, print]),
    "Replay.verify(progress)": (None, or_none(FUNCTION)),
    "Replay.verify(saves)": (None, or_none(PATH)),
    "RefreshClock(rate)": (60, or_none(AT_LEAST_0)),
    "RefreshClock.restart(rate)": (60, or_none(AT_LEAST_0)),
    "Region(box)": (None, Bad(["abcd", 3, (1, 2, 3), (0, 0, 0, 1), (0, 0, 1.5, 1)])),
    "Shadows(cascades)": (3, COUNT | [99]),
    "Shadows(distance)": (60.0, ABOVE_0),
    "Shadows(resolution)": (1024, COUNT),
    "Skin(inverse)": (None, Bad(["x", 3, np.eye(4), np.full((1, 4, 4), NAN)])),
    "Skin(joints)": (
        [[0, 0, 0, 0]],
        Bad(["x", None, 3, [[0, 0, 0]], [[0, 0, 0, 9]], [[0.5, 0, 0, 0]]]),
    ),
    "Skin(nodes)": ([0], Bad(["x", None, 3, [], [0.5], [-1]])),
    "Skin(weights)": (
        [[1, 0, 0, 0]],
        Bad(["x", None, 3, [[1, 0, 0]], [[NAN, 0, 0, 0]], [[-1, 0, 0, 0]]]),
    ),
    "Texture(filter)": ("linear", CHOICE),
    "Texture(image)": (solid(2, 2), IMAGE),
    "Texture(minify)": ("linear", CHOICE),
    "Texture(offset)": ((0, 0), PAIR | [(1e30, 0)]),
    "Texture(angle)": (0.0, NUMBER),
    "Texture(scale)": ((1, 1), PAIR),
    "Texture(uv_set)": (0, WHOLE | [2]),
    "Texture(wrap)": ("repeat", CHOICE | [("repeat",), ("repeat", "x"), ("clamp", 3)]),
    "SpriteSegments(width)": (1.0, ABOVE_0),
    "SpriteSegments.draw_lines(lines)": (
        [[(0, 0), (1, 1)]],
        Bad(["x", None, 3, [(0, 0)], [[(0, NAN), (1, 1)]]]),
    ),
    "SpriteSegments.draw_lines(colors)": (
        (1, 1, 1, 1),
        Bad(["x", None, 3, (1, 1, 1), [(1, 1, 1, NAN)]]),
    ),
    **SHAPES,
    **STRIPS,
    "SpriteBatch(blend)": ("alpha", CHOICE),
    "SpriteBatch(capacity)": (0, WHOLE),
    "SpriteBatch(filter)": ("linear", CHOICE),
    "SpriteBatch(image)": (solid(2, 2), or_none(IMAGE) | [[3]]),
    "SpriteBatch.add(image)": (None, or_none(IMAGE) | [99, True]),
    **{f"{kind}.add(alpha)": (None, or_none(NUMBER)) for kind in ("SpriteBatch", "NodeSprites")},
    "SpriteBatch.extend(image)": (None, or_none(IMAGE) | [99, True]),
    "NodeSprites.add(image)": (None, or_none(IMAGE) | [99, True]),
    "NodeSprites.extend(image)": (None, or_none(IMAGE) | [99, True]),
    "SpriteBatch(smooth_edges)": (None, or_none(FLAG)),
    "SpriteBatch(uniforms)": (None, Bad(["x", 3, [1]])),
    "VertexSprites(image)": (solid(2, 2), or_none(IMAGE) | [[3]]),
    "VertexSprites(vertex)": ("void vertex(vec2 p, vec2 c, inout vec2 s, inout vec4 t) { }", TEXT),
    "VertexSprites(attributes)": (
        None,
        Bad(["x", 3, [1], np.zeros(2), {"a": 5}, {"a": "x"}, {"position": 1}, {"A": 1}]),
    ),
    "SpriteBatch(columns)": ((), Bad(["x", None, 3, ["x"]]) | OWN_COLUMNS),
    "Column(dtype)": ("f4", Bad(["x", None, 3, "U4", "c16", "f16", [("a", "f4")]])),
    "Column(shape)": ((), Bad(["x", None, 0, -1, 1.5, (2, 0), (1, 1, 1, 1), 99999, (99, 99)])),
    "Column(default)": (None, Bad(["x", [1, 2], object])),
    "Column(interpolated)": (False, FLAG),
    "SpriteBatch(tags)": ((), Bad(["x", None, 3, ["a", "a"], [3]])),
    **{
        f"{kind}.add(tags)": ((), Bad(["x", None, 3, ["x"], [3]]))
        for kind in ("SpriteBatch", "NodeSprites")
    },
    "TickInput.held(before)": (None, or_none(THING)),
    "TickInput.merge(inputs)": ([], Bad(["x", None, 3, [0], ["x"]])),
    "TickInput.of(player)": (0, WHOLE | [64]),
    "HeldInput.since(before)": (fw.HeldInput(), THING),
    **{
        f"{kind}Timestep.pace": (1.0, AT_LEAST_0 | [0.04, 2.5])
        for kind in ("Fixed", "Rounded", "SemiFixed", "Variable")
    },
    "FixedTimestep.due(tick)": (1, WHOLE),
    "RoundedTimestep.due(tick)": (1, WHOLE),
    "TickInput.decode(data)": (b"\0", Bad(["x", None, 3, [0]])),
    "TextBatch(font)": (None, Bad([3, b"x", [3], []])),
    "Label.index_at(point)": ((0, 0), PAIR),
    "TextBatch.may_grow": (True, FLAG),
    "SpriteBatch.may_grow": (True, FLAG),
    "Shapes.may_grow": (True, FLAG),
    "Polygons.may_grow": (True, FLAG),
    "NodeSprites.may_grow": (True, FLAG),
    "TextBatch(zoom)": (1, ABOVE_0 | [17]),
    "TextBatch(font_size)": (20, ABOVE_0 | [9999]),
    "TextBatch.add(anchor)": (("left", "bottom"), Bad([None, 3, "x", ("left",), ("up", "left")])),
    "TextBatch.add(position)": ((0, 0), PAIR),
    "Transforms3D(large_world)": (False, FLAG),
    "World(camera)": (None, Bad(["x", 3, object])),
    "World.add(solid)": (None, THING),
    "World.remove(solid)": (None, THING),
    "collide.spheres(radius)": (1.0, Bad(["x", None, [1, 2, 3, 4], [[1]]])),
    "collide.spheres(center)": ([(0, 0, 0)] * 3, POINTS),
    "collide.spheres(other_center)": ([(0, 0, 0)] * 3, POINTS),
    "collide.spheres(other_radius)": (1.0, Bad(["x", None, [1, 2, 3, 4], [[1]]])),
    "collide.sphere_box(radius)": (1.0, Bad(["x", None, [[1]]])),
    "collide.boxes(other_half)": ((1, 1, 1), POINTS),
    "collide.boxes(other_middle)": ((1, 1, 1), POINTS),
    "collide.boxes(other_rotation)": (None, TURNS),
    **{
        f"paths.{name}(tiles)": (_TILES, Bad(["x", None, 3]))
        for name in ("raycast", "line_of_sight", "find")
    },
    **{f"paths.raycast({name})": ([(0, 0)], PLACES) for name in ("origin", "displacement")},
    **{f"paths.line_of_sight({name})": ([(0, 0)], PLACES) for name in ("start", "end")},
    **{f"paths.find({name})": ((0, 0), PAIR) for name in ("start", "goal")},
    "paths.find(diagonal)": (True, FLAG),
    "paths.find(cost)": (None, Bad(["x", [[0.5]], [[1, 1]], 3])),
    "Heightfield.spheres(radius)": (1.0, Bad(["x", None, [[1]]])),
    **{
        f"exact.{name}({x})": (1.5, REAL)
        for name in ("sin", "cos", "sincos", "exp", "log")
        for x in "x"
    },
    **{f"exact.{name}({x})": (1.5, REAL) for name in ("arctan2", "power", "hypot") for x in "xy"},
    **{
        f"exact.{name}({x})": (np.eye(3), REAL | [3, np.eye(4)])
        for name in ("dot", "matmul")
        for x in "ab"
    },
    "exact.norm(vectors)": (np.eye(3), REAL | [3]),
    **{
        f"quaternions.from_euler({angle})": (0.1, Bad(["x", None, [[1, 2]], NAN, INF, -INF]))
        for angle in ("yaw", "pitch", "roll")
    },
    "quaternions.multiply(a)": (np.zeros((2, 4)), TURNS | [None, np.zeros(3)]),
    "quaternions.multiply(b)": (np.zeros((2, 4)), TURNS | [None, np.zeros(3), np.zeros((3, 4))]),
    "quaternions.rotate(vectors)": ([(0, 0, 1)], POINTS),
    "quaternions.slerp(previous)": ([(0, 0, 0, 1)], TURNS | [None]),
    "quaternions.slerp(current)": ([(0, 0, 0, 1)], TURNS | [None]),
    "quaternions.slerp_one(previous)": ((0, 0, 0, 1), Bad(["x", None, 3, (1, 2, 3)])),
    "quaternions.slerp_one(current)": ((0, 0, 0, 1), Bad(["x", None, 3, (1, 2, 3)])),
    "quaternions.matrix_one(q)": ((0, 0, 0, 1), Bad(["x", None, 3, (1, 2, 3)])),
    "quaternions.from_matrix(matrix)": (
        np.eye(3),
        Bad(["x", None, np.eye(4), np.zeros((3, 3)), np.full((3, 3), NAN)]),
    ),
    # rays of NaN, or without a direction, hit nothing
    "rays.ray_spheres(origin)": ((0, 0, 5), THREES),
    "rays.ray_spheres(direction)": ((0, 0, -1), THREES),
    "rays.ray_spheres(centers)": ([(0, 0, 0)], THREES),
    "rays.ray_boxes(origin)": ((0, 0, 5), THREES),
    "rays.ray_boxes(direction)": ((0, 0, -1), THREES),
    "rays.ray_boxes(low)": ([(0, 0, 0)], THREES),
    "rays.ray_boxes(high)": ([(0, 0, 0)], THREES),
    "rays.ray_triangles(origin)": ((0, 0, 5), THREES),
    "rays.ray_triangles(direction)": ((0, 0, -1), THREES),
    "rays.ray_triangles(corners)": (np.eye(3), THREES | [(1, 2, 3)]),
    "rays.ray_spheres(radii)": ([1], Bad(["x", None, ["x"]])),
    "sheet(anchor)": (None, or_none(PAIR)),
    "sheet(columns)": (1, COUNT),
    "sheet(count)": (None, or_none(COUNT) | [9]),
    "sheet(margin)": (0, WHOLE),
    "sheet(rows)": (1, COUNT),
    "sheet(spacing)": (0, WHOLE),
    "VariableTimestep(max_frame_time)": (0.1, or_none(ABOVE_0)),
    # settings
    "Game.add_subsystem(subsystem)": (None, THING),
    "Game.restore(snapshot)": (None, THING),
    "Game.run_ticks(ticks)": (1, WHOLE),
    "RandomPlayer(keys)": (("a",), Bad(["ab", 3, [3]])),
    "RandomPlayer(mouse)": (True, FLAG),
    "RandomPlayer(sticks)": (("leftstick",), Bad(["leftstick", 3, [3], ["dpad"]])),
    "RandomPlayer(seed)": (0, WHOLE.without(-1)),
    "first_difference(first)": ({}, Bad(["x", None, 3])),
    "first_difference(second)": ({}, Bad(["x", None, 3])),
    "identity(game)": (None, THING),
    "Identity.difference(arithmetic)": (True, FLAG),
    "Identity.difference(other)": (IDENTITY, THING),
    "Identity.from_bytes(data)": (IDENTITY.to_bytes(), Bad(["x", None, 3, b"", b"x" * 50_000])),
    "serve(game_class)": (fw.Game, THING),
    "serve(rate)": ("max", CHOICE),
    "serve(save)": (None, or_none(PATH)),
    "serve(ticks)": (1, or_none(WHOLE)),
    "key.modifiers_string(modifiers)": (1, WHOLE.without(-1)),
    "key.motion_string(motion)": (1, WHOLE.without(-1)),
    "key.symbol_string(symbol)": (32, WHOLE.without(-1)),
    "mouse.buttons_string(buttons)": (1, WHOLE.without(-1)),
    "run_many(check)": (0.01, SHARE),
    "run_many(executor)": (None, or_none(THING)),
    "run_many(game_class)": (fw.Game, THING),
    "run_many(player)": (None, or_none(FUNCTION)),
    "run_many(result)": (None, or_none(FUNCTION)),
    "run_many(saves)": (None, or_none(PATH)),
    "run_many(seeds)": ([], Bad(["x", None, 3, np.array(1)])),
    "run_many(ticks)": (9, WHOLE),
    "run_many(workers)": (None, or_none(COUNT)),
    "sync_test(check_distance)": (8, COUNT),
    "sync_test(game_class)": (fw.Game, THING),
    "sync_test(player)": (None, or_none(FUNCTION)),
    "sync_test(progress)": (None, or_none(FUNCTION)),
    "sync_test(saves)": (None, or_none(PATH)),
    "sync_test(seed)": (0, WHOLE),
    "sync_test(stride)": (None, or_none(COUNT)),
    "sync_test(ticks)": (9, COUNT),
}

# The physics engines that are installed.
PHYSICS = [
    name
    for name, package in (("Physics2D", "rapier3d"), ("Physics3D", "rapier3d"))
    if find_spec(package)
]
FOLLOWED = Bad(["x", None, 3, [], ["x"], [object]])
LAYERS = Bad(["ab", 3, [3], ["no such layer"]])
_PLACE = {"Physics2D": PAIR, "Physics3D": VECTOR}
_ZERO = {"Physics2D": (0, 0), "Physics3D": (0, 0, 0)}
BY_PHYSICS: dict[str, tuple[Any, Bad]] = {
    "add(batch)": (None, THING),
    "add(density)": (None, or_none(ABOVE_0)),
    "add(fast)": (False, or_none(FLAG)),
    "add(fixed_rotation)": (False, FLAG),
    "add(kind)": ("dynamic", or_none(CHOICE)),
    "add(mass)": (None, or_none(ABOVE_0)),
    "add(mesh)": (None, or_none(THING)),
    "add(radius)": (None, or_none(ABOVE_0)),
    "add(rows)": (None, or_none(ROWS)),
    "add(points)": (None, Bad(["x", 3, [(0, 0)]])),
    "add(sensor)": (False, FLAG),
    "add(shape)": ("box", CHOICE),
    "add(tolerance)": (1.0, AT_LEAST_0),
    "advance(dt)": (0.0, AT_LEAST_0),
    "debug_lines(contact_length)": (0.0, AT_LEAST_0),
    "filter_contacts(function)": (None, or_none(FUNCTION)),
    "query_point(radius)": (0.0, AT_LEAST_0),
    "raycast(radius)": (0.0, AT_LEAST_0),
    **{
        f"{name}({argument})": row
        for name in ("query_shape", "shapecast")
        for argument, row in (
            ("shape", ("box", CHOICE)),
            ("radius", (None, or_none(ABOVE_0))),
            ("points", (None, Bad(["x", 3, [(0, 0)]]))),
            ("mesh", (None, or_none(THING))),
            ("angle", (0.0, NUMBER)),
            ("rotation", ((0, 0, 0, 1), QUATERNION)),
        )
    },
    "gear(ratio)": (1.0, NUMBER | [0]),
    "hinge(limits)": (None, or_none(PAIR)),
    "slider(limits)": (None, or_none(PAIR)),
    "add_line(closed)": (False, FLAG),
    "add_line(points)": ([(0, 0), (1, 1)], PLACES),
    "add_line(radius)": (1.0, AT_LEAST_0),
    "add_static(tiles)": (_TILES, THING),
    "add_static(ground)": (fw.Mesh.cube(), THING),
    "motor(speed)": (1.0, NUMBER),
    "remove(bodies)": (None, THING),
    "rope(max_length)": (9.0, ABOVE_0.without(0)),
    "rope(min_length)": (0.0, AT_LEAST_0),
    "turn_limit(min_angle)": (-1.0, NUMBER),
    "turn_limit(max_angle)": (1.0, NUMBER),
    "add_floor(height)": (0.0, NUMBER),
    "character(gap)": (0.01, ABOVE_0),
    "character(slope)": (0.8, AT_LEAST_0 | [2]),
    "character(snap)": (0.2, AT_LEAST_0),
    "character(step)": (0.3, AT_LEAST_0),
    "character(body)": (None, THING),
    "character(mass)": (None, or_none(ABOVE_0)),
    "character(keep_velocity)": (True, FLAG),
    "drop_through(body)": (None, THING),
    "vehicle(body)": (None, THING),
    "vehicle(wheels)": ([(0, 0, 0)], POINTS | [[]]),
    "touching_rows(bodies)": (None, THING),
    "touching_rows(other)": (None, THING),
    "(engine)": ("rapier", CHOICE),
    "(iterations)": (10, or_none(COUNT)),
    "(length_unit)": (None, or_none(ABOVE_0)),
    "(sleep_after)": (0.5, or_none(ABOVE_0)),
    "(scene)": (None, or_none(THING)),
    "(snapshots)": (None, or_none(CHOICE)),
    "(substeps)": (2, or_none(COUNT)),
    "spring(length)": (1.0, AT_LEAST_0),
}
BY_PHYSICS_NAME: dict[str, tuple[Any, Bad]] = {
    "bump": (True, FLAG),
    "strength": (None, or_none(ABOVE_0)),
    "parts": (None, Bad([3, "x", False, [], ["x"]])),
    "angular_damping": (0.5, AT_LEAST_0),
    "gravity_scale": (0.5, NUMBER),
    "can_sleep": (True, FLAG),
    "locked": ("x ry", Bad(["w", 3, [3], None])),
    "break_force": (None, or_none(ABOVE_0)),
    "break_torque": (None, or_none(ABOVE_0)),
    "first": (None, or_none(THING)),
    "second": (None, or_none(THING)),
    "stiffness": (1.0, AT_LEAST_0),
    "damping": (1.0, AT_LEAST_0),
    "layer": ("a", TEXT),
    "other": ("a", TEXT),
    "hits": (None, Bad(["ab", 3, [3]])),
    "layers": (None, LAYERS),
    "exclude": ((), Bad(["ab", 3, None, [3], [None]])),
    "sensors": (False, FLAG),
    "friction": (0.5, AT_LEAST_0),
    "elasticity": (0.5, AT_LEAST_0),
}


def physics_row(kind: str, rest: str, argument: str) -> tuple[Any, Bad] | None:
    """Return the row of an argument of physics, by the text after the class name."""
    known = BY_PHYSICS.get(rest) or BY_PHYSICS_NAME.get(argument)
    if known is not None:
        return known
    if rest == "add(size)":
        return None, or_none(_PLACE[kind]) | [tuple(0 for _ in _ZERO[kind])]
    if rest in ("query_shape(size)", "shapecast(size)"):
        zero = _ZERO[kind]
        return tuple(2 for _ in zero), _PLACE[kind] | [zero, tuple(1e13 for _ in zero)]
    if argument in ("start", "displacement") and rest.startswith(("raycast(", "shapecast(")):
        return _ZERO[kind], Bad(["x", None, (1, 2, 3, 4), (NAN, 0, 0)])
    if argument in (
        "point",
        "anchor",
        "second_anchor",
        "low",
        "high",
        "start",
        "end",
        "position",
        "gravity",
    ):
        return {"end": (5, 5), "high": tuple(1 for _ in _ZERO[kind])}.get(
            argument, _ZERO[kind]
        ), _PLACE[kind]
    return None


# Columns: arrays with one value per row. NaN is accepted, because such rows are not drawn.
PARTICLES: dict[str, tuple[Any, Bad]] = {
    "image": (None, or_none(IMAGE) | [[], [3]]),
    "capacity": (8, COUNT | [1 << 23]),
    "lifetime": (1.0, SPAN | [0, -1, 1001]),
    "speed": (1.0, SPAN | [-1]),
    "scale": (1.0, SPAN | [-1]),
    "angle": (0.0, SPAN),
    "angular_velocity": (0.0, SPAN),
    "spread": (None, or_none(AT_LEAST_0) | [4]),
    "damping": (0.0, AT_LEAST_0),
    "tumble": (0.0, AT_LEAST_0),
    "noise": (0.0, Bad(["x", None, NAN, INF, (1, 2, 3), (NAN, 1), (1, -1)])),
    "seed": (0, WHOLE),
    "size": (
        4.0,
        Bad(["x", None, NAN, INF, -1, [1, 2], fw.Curve("#fff", "#000"), fw.Curve(-1, 1)]),
    ),
    "color": ("#fff", COLOR | [fw.Curve(1, 2)]),
    "tint": (None, or_none(COLOR) | [[], ["#fff", "x"], [3]]),
    "align": (False, FLAG),
    "blend": ("alpha", CHOICE),
    "filter": ("linear", CHOICE),
    "lit": (False, FLAG),
    "soft": (0.0, AT_LEAST_0),
}
for _kind, _vector, _place, _signature in (
    ("Particles", PAIR, (0, 0), inspect.signature(fw.Particles)),
    ("Particles3D", VECTOR, (0, 0, 0), inspect.signature(fw.Particles3D)),
):
    ONE |= {
        f"{_kind}({name})": given
        for name, given in PARTICLES.items()
        if name in _signature.parameters
    }
    ONE |= {f"{_kind}({name})": (None, or_none(_vector)) for name in ("velocity", "gravity")}
    ONE[f"{_kind}(emission_size)"] = None, or_none(_vector) | [tuple(-1 for _ in _place)]
    ONE[f"{_kind}(direction)"] = None, or_none(NUMBER if _vector is PAIR else DIRECTION)
    ONE |= {
        f"{_kind}.{preset}(unit)": (None, or_none(ABOVE_0))
        for preset in ("fire", "smoke", "sparks", "confetti", "rain", "snow")
    }
    ONE[f"{_kind}.emit(position)"] = (
        None,
        or_none(_vector) | [np.zeros((3, len(_place))), np.zeros((1, 1, 2))],
    )
    ONE |= {
        f"{_kind}.emitter({name})": given
        for name, given in {
            "target": (_place, _vector | [object]),
            "rate": (5.0, AT_LEAST_0 | [2e9]),
            "offset": (None, or_none(_vector)),
            "inherit": (0.0, NUMBER),
            "emitting": (True, FLAG),
            "prewarm": (0.0, AT_LEAST_0 | [1001]),
        }.items()
    }
_LAMP: dict[str, tuple[Any, Bad]] = {
    "position": ((0, 0), PAIR | [(1e30, 0)]),
    "color": ((1, 1, 1), VECTOR | ["rde", (-1, 0, 0)]),
    "radius": (5, AT_LEAST_0),
    "intensity": (1, AT_LEAST_0),
    "angle": (0, NUMBER),
    "cone": (1, ABOVE_0 | [7]),
    "softness": (0, AT_LEAST_0),
    "flicker": (0, SHARE),
    "flicker_rate": (8, AT_LEAST_0 | [1001]),
    "height": (9, AT_LEAST_0),
    "seed": (3, Bad(["x", 1.5, NAN, [1, 2], 1 << 31])),
    "visible": (True, FLAG),
    "shadows": (True, FLAG),
}
_WALLS = Bad(["x", None, 3, object, [1, 2, 3], np.zeros((2, 5)), [(NAN, 0, 1, 1)], [[1e30] * 4]])
for _name, (_good, _bad) in _LAMP.items():
    ONE |= {f"Light2D.{_name}": (_good, _bad), f"Lights2D.add({_name})": (_good, _bad)}
    ONE[f"Lights2D.{_name}"] = (
        _good,
        Bad(["yes", None, NAN]) if _bad is FLAG else _bad.without(3) ^ (1,),
    )  # one value for all rows
ONE |= {
    "Lights2D(ambient)": ((0, 0, 0), _LAMP["color"][1]),
    "Lights2D.ambient": ((0, 0, 0), _LAMP["color"][1]),
    "Lights2D(resolution)": (1, ABOVE_0 | [2]),
    "Lights2D.resolution": (1, ABOVE_0 | [2]),
    "Lights2D(capacity)": (4, WHOLE | [4097]),
    "Lights2D.walls": ([], _WALLS),
    "Lights2D.add_walls(walls)": ([0, 0, 1, 1], _WALLS),
    "Lights2D.add_walls(depth)": (0, AT_LEAST_0),
    "Lights2D.add_walls(size)": (None, or_none(PAIR) | [(0, 1)]),
    "Lights2D.at(points)": ((0, 0), Bad(["x", None, 3, (1, 2, 3), (NAN, 0), np.zeros((2, 2, 2))])),
    "Lights2D.at(alpha)": (1.0, NUMBER),
    "Lights2D.add_normals(batch)": (None, THING),
    "Lights2D.add_normals(normals)": (None, IMAGE),
}
ONE |= {
    "Curve(at)": (None, Bad(["x", 3, [0.0], [0.5, 1], [0, 0.5], [0, NAN], [[0, 1]]])),
    "Curve(ease)": ("linear", CHOICE),
    "Emitter.emitting": (True, FLAG),
    "Emitter.rate": (5.0, AT_LEAST_0 | [2e9]),
    "Emitter.position": ((0, 0), PAIR),
    "Emitter.target": ((0, 0), PAIR | [object]),
}

# Values of effects and transitions, which are arguments and also settings.
_COLOR_OR_NAME = Bad([bad for bad in COLOR if not (isinstance(bad, tuple) and len(bad) == 2)]) | [
    (1, 2)
]
STRICT: dict[str, dict[str, Bad]] = {
    "Bloom": {"strength": AT_LEAST_0, "threshold": AT_LEAST_0, "radius": SHARE},
    "Blur": {"radius": AT_LEAST_0},
    "CRT": {"curvature": SHARE, "scanlines": SHARE, "mask": SHARE, "lines": ABOVE_0},
    "ChromaticAberration": {"offset": NUMBER},
    "HeatHaze": {"strength": AT_LEAST_0, "wavelength": ABOVE_0, "speed": NUMBER},
    "LUT": {"strength": SHARE},
    "Outline": {
        "width": AT_LEAST_0,
        "threshold": AT_LEAST_0,
        "strength": SHARE,
        "tint": _COLOR_OR_NAME,
    },
    "PaletteEffect": {"dither": SHARE, "dither_cell": ABOVE_0},
    "Pixelate": {"cell": ABOVE_0},
    "Afterimage": {"strength": SHARE},
    "Vignette": {"strength": SHARE, "radius": SHARE, "softness": SHARE, "tint": _COLOR_OR_NAME},
    "Iris": {"center": PAIR, "softness": SHARE, "tint": _COLOR_OR_NAME},
    "Wipe": {"angle": NUMBER, "softness": SHARE},
}


def _of_kind(default: Any) -> Bad:
    """Return the bad values for an argument with this default."""
    if isinstance(default, tuple):
        return PAIR if len(default) == 2 else _COLOR_OR_NAME
    return FLAG if isinstance(default, bool) else NUMBER


# Effects without a row above have bad values that depend on their defaults.
EFFECT_VALUES = {
    kind: {
        **{name: _of_kind(default) for name, default in effect_kinds.defaults(kind).items()},
        **STRICT.get(kind, {}),
    }
    for kind in (*effect_kinds.EFFECTS, *effect_kinds.TRANSITIONS)
}
_TRANSITION = Bad(["x", 3, object])
_EASE = Bad(["x", None, 3, object])
ONE |= {
    f"{kind}{way}": (None, bad)
    for kind, values in EFFECT_VALUES.items()
    for name, bad in values.items()
    for way in (f".{name}", f"({name})")
}
ONE |= {f"{kind}.enabled": (None, FLAG) for kind in (*effect_kinds.EFFECTS, "Effect")}
ONE |= {f"{kind}(duration)": (None, ABOVE_0) for kind in (*effect_kinds.TRANSITIONS, "Transition")}
ONE |= {f"{kind}(ease)": (None, _EASE) for kind in (*effect_kinds.TRANSITIONS, "Transition")}
ONE |= {f"Game.{name}(transition)": (None, _TRANSITION) for name in ("pop", "push", "show")}
ONE |= {
    f"{kind}.effects": (None, Bad([3, ["x"], [object], np.zeros(2)]))
    for kind in ("Game", "Scene", "View")
}
ONE |= {
    "Effect(source)": ("vec4 effect(vec2 p) { return picture(p); }", TEXT),
    "Transition(source)": ("vec4 transition(vec2 p) { return after(p); }", TEXT),
    "FullscreenQuad(source)": ("vec4 fill(vec2 p) { return vec4(0.0); }", TEXT),
    "FullscreenQuad(blend)": ("alpha", CHOICE),
    "PingPong(graphics)": (None, THING),
    "PingPong(size)": ((4, 4), SIZE),
    "PingPong(dtype)": ("f4", CHOICE),
    "PingPong(source)": ("vec4 following(vec2 p) { return last(p); }", TEXT),
    "PingPong(start)": (None, Bad(["x", [[1, 2], [3]], np.zeros((3, 3, 4))])),
    "PingPong.step(count)": (1, WHOLE | [1 << 70]),
    "Graphics.program(vertex)": ("void main() { gl_Position = vec4(0.0); }", TEXT),
    **{
        f"Graphics.program({stage})": (None, or_none(TEXT))
        for stage in ("fragment", "geometry", "tess_control", "tess_evaluation")
    },
    "Graphics.program(varyings)": ((), Bad([None, 3, "x", [3]])),
    "Graphics.program(defines)": (None, Bad([3, {"a b": 1}])),
    "LUT(source)": (np.zeros((2, 4, 3), np.uint8), IMAGE),
    "PaletteEffect(colors)": (["red", "blue"], Bad([None, 3, ["red"], ["rde", "blue"], [3, 4]])),
    "PaletteEffect(dither)": (None, or_none(SHARE)),
    "Fade.tint": (None, _COLOR_OR_NAME),
    "Fade(color)": (None, or_none(_COLOR_OR_NAME)),
}

BYTES = Bad(["x", None, 3, bytearray(3)])
_LINK = fw.MemoryNetwork().link("a link")
_RELAY = fw.MemoryRelay()
_CONDITIONS = Bad(["x", 3, object])
_FACTOR = Bad(["x", None, 0, -1, 3, NAN])
ONE |= {
    "ConditionedLink(link)": (_LINK, THING),
    "ConditionedLink(conditions)": (None, _CONDITIONS),
    "ConditionedLink.conditions": (fw.Conditions(), _CONDITIONS | [None]),
    "ConditionedLink.resolve(address)": ("b", TEXT),
    "ConditionedLink.send(peer)": ("b", ANY),
    "ConditionedLink.send(data)": (b"x", BYTES | [bytes(1201)]),
    "Conditions(latency)": (0.1, Bad(["x", None, NAN, INF, -1, 1e9, (0.1, -1), (1, 2, 3)])),
    "Conditions(jitter)": (0.1, AT_LEAST_0 | [1e9]),
    **{f"Conditions({name})": (0.1, SHARE) for name in ("loss", "duplicate", "reorder")},
    "Conditions(burst)": ((0.1, 30), PAIR | [(2, 30), (0.1, 0.5)]),
    "Conditions(bandwidth)": (None, or_none(ABOVE_0)),
    "Conditions(clock)": (1.0, _FACTOR),
    "Conditions(stop)": (None, Bad(["xy", 3, (1,), (NAN, 1), (-1, 1), (1, -1)])),
    "Conditions(seed)": (0, WHOLE.without(-1)),
    "Client(address)": ("a link", ANY),  # with a link: the name of any peer
    "Client(name)": ("Ann", TEXT | ["x" * 33, "a\n"]),
    "Client(link)": (None, or_none(THING)),
    "Client(check_sources)": (False, FLAG),
    **{
        f"Client.{call}": (None, ANY)  # the game calls these
        for call in (
            "before_tick(game)",
            "before_tick(number)",
            "frame(game)",
            "start(game)",
            "tick(number)",
            "tick(local)",
        )
    },
    "Server(game_class)": (fw.Game, THING),
    "Server(port)": (0, WHOLE | [1 << 16]),
    "Server(link)": (None, or_none(THING)),
    "Server(snapshot_rate)": (20, ABOVE_0),
    "Server(bandwidth)": (None, or_none(ABOVE_0) | [100]),
    "Server(max_per_host)": (1, COUNT),
    "Server(check_sources)": (False, FLAG),
    "Server.run(ticks)": (0, or_none(WHOLE)),
    "Server.rewound(tick)": (0, NUMBER),
    "Server.shown_tick(player)": (0, WHOLE | [0]),
    "Network.replicate(batch)": (None, THING | [None]),
    "Network.replicate(position)": (0.1, ABOVE_0 | [1e7]),
    "Network.replicate(angle)": (8, COUNT | [17]),
    "Network.replicate(jump)": (None, or_none(ABOVE_0)),
    "Network.replicate(changes)": ((), Bad(["x", None, 3, [3], ["x"], ["position"]])),
    **{
        f"Network.replicate({name})": (None, or_none(FUNCTION))
        for name in ("visible", "predict", "priority")
    },
    "serve(session)": (None, or_none(THING)),
    "LocalMatch(windows)": (None, or_none(WHOLE | [5])),
    "LocalMatch(bot)": (None, or_none(FUNCTION)),
    "LocalMatch(conditions)": (None, or_none(THING)),
    "LocalMatch(input_delay)": ("auto", WHOLE | [31]),
    "LocalMatch(max_prediction)": (8, WHOLE | [31]),
    "Rollback(player)": (0, WHOLE | [4]),
    "Rollback(port)": (0, WHOLE | [1 << 16]),
    "Rollback(peers)": ([], Bad(["x", None, 3])),
    "Rollback(input_delay)": ("auto", WHOLE | [31]),
    "Rollback(max_prediction)": (8, WHOLE | [31]),
    "Rollback(input_timeout)": (10.0, or_none(NUMBER | [0.5, 601])),
    "Rollback(link)": (None, or_none(THING)),
    "Rollback(spectators)": (0, WHOLE | [17]),
    "Spectator(peer)": ("a:7000", TEXT),
    "Spectator(link)": (None, or_none(THING)),
    "Endpoint(link)": (_LINK, THING),
    "Endpoint(identity)": (b"", BYTES | [bytes(1200)]),
    "Endpoint(compare)": (None, or_none(FUNCTION)),
    "Endpoint(admit)": (None, or_none(FUNCTION)),
    "Endpoint(max_peers)": (1, WHOLE),
    "Endpoint(max_per_host)": (1, COUNT),
    "Endpoint(max_message)": (1, COUNT | [1 << 25]),
    "Endpoint(timeout)": (1.0, ABOVE_0),
    "Endpoint.connect(peer)": ("b", Bad([["b"]])),
    "Endpoint.connect(token)": (b"", BYTES | [bytes(1200)]),
    "Endpoint.close(reason)": ("", TEXT),
    "MemoryNetwork(conditions)": (None, _CONDITIONS),
    "MemoryNetwork.set_conditions(conditions)": (fw.Conditions(), _CONDITIONS | [None]),
    "MemoryNetwork.link(name)": ("new", TEXT | ["a"]),
    "MemoryNetwork.advance(seconds)": (0.0, AT_LEAST_0),
    "MemoryNetwork.advance_to(now_ns)": (0, WHOLE),
    "MemoryNetwork.inject(data)": (b"x", BYTES),
    **{
        f"MemoryNetwork.{method}({name})": ("a", TEXT)
        for method in ("set_conditions", "inject", "dropped")
        for name in ("source", "target")
    },
    "MemoryRelay(relay)": (None, Bad(["x", 3, object])),
    "MemoryRelay.advance(seconds)": (0.0, AT_LEAST_0),
    "Room(relay)": (_RELAY, Bad([None, 3, object])),
    **{f"Room({name})": ("a", TEXT | ["x" * 99]) for name in ("game", "name")},
    "Room.create(size)": (8, WHOLE | [1, 65]),
    "Room.create(public)": (False, FLAG),
    "Room.join(code)": ("BCDFG", TEXT | ["x" * 99]),
    "Room.rejoin(ticket)": ("BCDFG-1-00ff", TEXT | ["", "BCDFG", "BCDFG-0-1", "BCDFG-x-1"]),
    "Room.chat(text)": ("hi", TEXT | ["x" * 301]),
    "Room.set_ready(ready)": (True, FLAG),
    "Room.lock(locked)": (True, FLAG),
    **{f"Room.{method}(member)": (2, COUNT) for method in ("kick", "grant_host")},
    "Room.send(data)": (b"x", BYTES | [bytes(70_000)]),
    "Room.send(to)": ("all", Bad([*COUNT, 70_000])),
    "Room.send(reliable)": (True, FLAG),
    "UdpLink(port)": (0, WHOLE | [70_000]),
    "UdpLink(host)": ("127.0.0.1", TEXT),
    "UdpLink(peers)": ((), Bad(["x", None, 3, [3], ["host"], ["host:x"], ["host:0"]])),
    "UdpLink.resolve(address)": ("127.0.0.1:9", TEXT | ["", "host", ":9", "host:99999"]),
    "UdpLink.resolve(port)": (9, Bad(["x", 1.5, 0, -1, 70_000])),
    "UdpLink.send(peer)": (("127.0.0.1", 9), Bad(["x", None, 3, (1,)])),
    "UdpLink.send(data)": (b"x", BYTES | [bytes(1201)]),
}

COLUMNS = {
    "acceleration",
    "angle",
    "animation_speed",
    "color",
    "damping",
    "flip",
    "image",
    "layer",
    "node",
    "position",
    "rotation",
    "scale",
    "size",
    "angular_velocity",
    "tags",
    "time",
    "velocity",
    "visible",
    "weights",
}
BATCHES = {
    "Billboards",
    "Crowd",
    "MeshBatch",
    "ModelBatch",
    "NodeMeshes",
    "NodeSprites",
    "Nodes2D",
    "Nodes3D",
    "Polygons",
    "Ribbon",
    "Shapes",
    "SpriteBatch",
    "Transforms2D",
    "Transforms3D",
}
HANDLES = {"CrowdInstance", "Instance", "ModelInstance", "Node", "Polygon", "Shape", "Sprite"}

# Plain data, and classes that only the framework creates, with arguments that were checked before.
MADE_BY_US = {
    "Audio",
    "Channel",
    "CrowdInstance",
    "Desync",
    "Difference",
    "EffectList",
    "Emitter",
    "Graphics",
    "Hit",
    "Identity",
    "ImageLoading",
    "Instance",
    "Label",
    "Light2D",
    "Light3D",
    "Match",
    "ModelInstance",
    "MusicLayers",
    "Node",
    "Gamepad",
    "Gamepads",
    "HeldInput",
    "Player",
    "Polygon",
    "Shape",
    "Snapshot",
    "SessionStats",
    "Sprite",
    "SyncReport",
    "Task",
    "Tick",
    "TickInput",
    "Voice",
}

# Methods that the loop calls in a frame, and methods that modules of the framework call.
CALLED_BY_US = {
    "at_rest",
    "attach",
    "begin_tick",
    "skinned",
    "joint_spheres",
    "bounded",
    "chosen",
    "draw",
    "drawn",
    "end_tick",
    "give_back",
    "matrices",
    "nearest",
    "pairwise",
    "pose",
    "render",
    "write",
}
CALLED_BY_US_OF = {
    "Camera2D.view",
    "Camera3D.view",
    "Quality.add",
    "ImageLoading.within",
    "Game.default_listener",
    "Scene.default_listener",
    "NodeMeshes.node",
    "NodeSprites.node",
    "LocalInput.tick",
    *[
        f"{kind}.{name}"
        for kind in ("Rollback", "Spectator")
        for name in ("start", "before_tick", "tick", "frame")
    ],
    *[f"LocalMatch.{name}" for name in ("start", "before_tick", "tick", "frame")],
    *[f"Beside.{name}" for name in ("start", "before_tick", "tick", "frame")],
    "play_match",  # in test_rollback
    "Sprite.flip",
    "Game.run",
    "run(frames)",
    "Game.update",
    "Scene.update",
    *[f"Gamepad.{name}" for name in ("connect", "move_stick", "press", "pull_trigger", "release")],
    # arguments that were checked before, and the fields of errors
    "quaternions.from_matrices",
    "MorphTargets.blended",
    # lists of effects, which are Python's lists: see test_screen_effects
    *[
        f"EffectList.{name}"
        for name in ("append", "count", "extend", "index", "insert", "pop", "remove")
    ],
    # classes that need Gymnasium: see test_gym_env, test_vector_env and test_parallel_env
    "ArrayGame",
    "ArrayGame.act",
    "ArrayGame.begin",
    "ArrayGame.restart",
    "ArrayGame.uniform",
    "GameEnv",
    "GameEnv.reset",
    "GameEnv.step",
    "parallel_env",
    "vector_env",
    # objects that scenes create and call, errors that are raised at an await, and rows, which need
    # a known tween: see test_tweens and test_routines
    "Tween",
    "Tween.then",
    "Routine",
    "TaskGroup",
    "TaskGroup.start",
    *[f"{kind}.{name}" for kind in ("Game", "Scene") for name in ("next", "next_input", "seconds")],
    *[f"{kind}.{name}" for kind in ("Game", "Scene") for name in ("start", "ticks", "until")],
    *("Game.tween(rows)", "Scene.tween(rows)"),
    # sprites of nodes have none of these
    "NodeSprites.acceleration",
    "NodeSprites.damping",
    "NodeSprites.angular_velocity",
    "NodeSprites.tags",
    "NodeSprites.velocity",
}
# Methods with one of these names that games do call.
FOR_GAMES = {
    "Camera2D.pose",
    "Camera3D.pose",
    "FixedTimestep.give_back",
    "Nodes2D.attach",
    "Nodes3D.attach",
    "Nodes2D.pose",
    "Nodes3D.pose",
    "Transforms2D.pose",
    "Transforms3D.pose",
    "quaternions.matrices",
}

# -- what there is ---------------------------------------------------------------------------------


# Classes whose inherited attributes are in the rows of their bases.
OWN_ONLY = ("ArrayGame", "GameEnv", "VertexSprites", "SpriteSegments")


_PARTS = (testing.Testing, saving.Saves, recordings.RecordingControl, display.Display)
_PARTS += (network.Network,)
_PARTS += (picture.Picture, diagnostics.Diagnostics, rules.Systems, scene_views.SceneViews)
_PARTS += (BatchImages, BatchClips)
# The parts of a game and of a batch, by class name.
PARTS: dict[str, type] = {kind.__name__: kind for kind in _PARTS}


def classes() -> Iterator[tuple[str, type]]:
    yield from PARTS.items()
    for name in fw.__all__:
        member = getattr(fw, name)
        if (
            inspect.isclass(member)
            and not issubclass(member, Exception)
            and not getattr(member, "_is_protocol", False)
        ):
            yield name, member


def arguments(key: str, call: Callable[..., Any]) -> Iterator[str]:
    for parameter in inspect.signature(call).parameters.values():
        if parameter.name != "self" and parameter.kind not in (
            parameter.VAR_KEYWORD,
            parameter.VAR_POSITIONAL,
        ):
            yield f"{key}({parameter.name})"


def settings_of(kind: type) -> Iterator[str]:
    """Yield the names of settable properties and other descriptors, without plain attributes."""
    for name in dir(kind):
        descriptor = inspect.getattr_static(kind, name)
        if (
            name[0] == "_"
            or inspect.ismemberdescriptor(descriptor)
            or isinstance(descriptor, Absent | SizeMethod)
            or type(descriptor).__name__ == "_tuplegetter"
        ):
            continue
        is_set = (
            descriptor.fset
            if isinstance(descriptor, property)
            else hasattr(type(descriptor), "__set__")
        )
        if is_set and not isinstance(is_set, Refusal):
            yield name


def all_arguments() -> Iterator[str]:
    for name in fw.__all__:
        public = getattr(fw, name)
        if inspect.ismodule(public) and public.__name__.startswith("framework"):
            for function in [
                f for n, f in vars(public).items() if inspect.isfunction(f) and n[0] != "_"
            ]:
                if function.__module__ == public.__name__ and not (
                    function.__name__ in CALLED_BY_US
                    and f"{name}.{function.__name__}" not in FOR_GAMES
                ):
                    yield from arguments(f"{name}.{function.__name__}", function)
        elif inspect.isfunction(public):
            yield from arguments(name, public)
    for name, kind in classes():
        if name not in MADE_BY_US and name not in PARTS:
            yield from arguments(name, kind.__init__)  # type: ignore[misc]
        for member in vars(kind) if name in OWN_ONLY else dir(kind):
            static = inspect.getattr_static(kind, member)
            called = isinstance(static, classmethod | staticmethod | SizeMethod)
            called = called or inspect.isfunction(static)
            ours = member in CALLED_BY_US and f"{name}.{member}" not in FOR_GAMES
            if member[0] != "_" and called and not ours:
                yield from arguments(f"{name}.{member}", getattr(kind, member))
        yield from [f"{name}.{member}" for member in settings_of(kind) if name not in OWN_ONLY]


ROWS_OF_THE_TABLE = [
    key
    for key in all_arguments()
    if key not in CALLED_BY_US_OF
    and key.partition("(")[0] not in CALLED_BY_US_OF
    and (not key.startswith("Physics") or key[:9] in PHYSICS)
]


def row(key: str) -> tuple[Any, Bad] | None:
    """Return a good value and the bad values of an argument or a setting."""
    call, _, argument = key.rstrip(")").partition("(")
    kind, _, member = call.partition(".")
    if key in ONE:
        return ONE[key]
    if member == "blended" and argument == "name":
        return None, Bad(["x", None, 3, "position"])
    if kind in PHYSICS:
        physics_values = physics_row(kind, key[len(kind) :].lstrip("."), argument or member)
        if physics_values is not None:
            return physics_values
    if not argument:
        if member in COLUMNS and kind in BATCHES:
            return None, COLUMN
        if member in COLUMNS and kind in HANDLES:
            return None, Bad([NAN, *FLAG]) if member == "visible" else FIELD
        argument = member
    elif argument in COLUMNS and kind in BATCHES and member in ("add", "extend", "show"):
        return {"position": (0, 0)}.get(argument), or_none(FIELD)
    elif member == "teleport" and argument == "position":
        return None, or_none(FIELD)
    return BY_NAME.get(argument)


def test_every_setting_option_and_argument_has_a_row_in_the_table() -> None:
    missing = [key for key in ROWS_OF_THE_TABLE if row(key) is None]
    assert not missing, (
        f"{missing} have no bad values. In tests/test_arguments.py, add a row to BUS_EFFECTS or "
        "EFFECT_VALUES (effects), BY_PHYSICS (physics), BY_NAME (an argument that has the same "
        "values everywhere) or ONE (a single argument). If only the framework calls a method, add "
        "its name to CALLED_BY_US."
    )
    known = {*ROWS_OF_THE_TABLE}
    unknown = [key for key in ONE if key not in known]
    assert not unknown, f"remove the rows of ONE for {unknown}, which no longer exist"


def test_every_exclusion_is_needed() -> None:
    members = {member for _, kind in classes() for member in dir(kind)}
    modules = [module for name in fw.__all__ if inspect.ismodule(module := getattr(fw, name))]
    members |= {name for module in modules for name in vars(module)}
    calls = {text for key in all_arguments() for text in (key, key.partition("(")[0])}
    unneeded = {*CALLED_BY_US} - members | {*CALLED_BY_US_OF} - calls
    unneeded |= {call for call in FOR_GAMES if call.rpartition(".")[2] not in CALLED_BY_US}
    assert not unneeded, (
        f"remove {unneeded} from CALLED_BY_US, CALLED_BY_US_OF and FOR_GAMES in "
        "tests/test_arguments.py: no argument has this name"
    )


# -- each row of it --------------------------------------------------------------------------------


_MAP = """<map orientation="orthogonal" width="1" height="1" tilewidth="4" tileheight="4">
<tileset firstgid="1" name="t" tilewidth="4" tileheight="4" tilecount="1" columns="1"><image source="a.png"/><wangsets>
<wangset name="earth" type="corner" tile="-1"><wangcolor name="earth" color="#ff0000" tile="-1" probability="1"/>
<wangtile tileid="0" wangid="0,1,0,1,0,1,0,1"/></wangset></wangsets></tileset>
<layer name="ground" width="1" height="1"><data encoding="csv">0</data></layer></map>"""


class _Objects(dict[str, Any]):
    """Objects by the name of their class. A missing object is created without arguments."""

    def __missing__(self, kind: str) -> Any:
        try:
            self[kind] = getattr(fw, kind)()
        except TypeError as error:
            raise AssertionError(
                f"add an object of {kind} to Samples._made in tests/test_arguments.py: {error}"
            ) from None
        return self[kind]

    def of_call(self, kind: str, member: str) -> Any:
        """Return the object, class or module whose function ``member`` is called."""
        target: Any = PARTS.get(kind) or getattr(fw, kind)
        is_bound = isinstance(inspect.getattr_static(target, member), classmethod | staticmethod)
        if kind in self or not inspect.isclass(target) or is_bound:
            return self.get(kind, target)
        return self[kind]


class Samples:
    """An object of each public class. `recreate` creates new ones after a bad value was accepted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.game = fw.Game(size=(64, 48), headless=True)
        self.game.advance(0)
        self.game.recording.start(folder / "a.replay")
        self.game.recording.stop()
        arm = moving()
        arm.json["meshes"][0]["primitives"][0]["targets"] = [{}, {}]
        self.path = arm.glb(folder / "arm.glb")
        self.map = folder / "a.tmx"
        self.map.write_text(_MAP)
        Image.fromarray(solid(4, 4)).save(folder / "a.png")
        self.by_name = _Objects(self._made())

    def _made(self) -> dict[str, Any]:
        more = (self.game.display, self.game.picture, self.game.debug)
        more += (self.game.systems, self.game.views)
        game = self.game
        image = solid(2, 2)
        cube = fw.Mesh.cube()
        scene = fw.Scene()
        game.push(scene)
        nodes2 = fw.Nodes2D("extrapolate")
        nodes3 = fw.Nodes3D("extrapolate")
        for nodes in (nodes2, nodes3):
            nodes.extend(2)
        two = fw.Transforms2D("extrapolate")
        three = fw.Transforms3D("extrapolate")
        for transforms in (two, three):
            transforms.extend(2)
        clips = fw.Clips([image], walk=fw.Clip([0], rate=12, markers={"step": 0}))
        sprites = fw.SpriteBatch(
            clips, 2, motion="extrapolate", columns=("acceleration", "damping"), tags=("a",)
        )
        meshes = fw.MeshBatch(cube, 2, motion="hermite")
        models = fw.ModelBatch(fw.Model(self.path), 2)
        parts = sprites.images, sprites.clips
        models.play("Wave")
        crowd = fw.Crowd(models.model, 2)
        labels = fw.TextBatch()
        lights = fw.Lights()
        lamps = fw.Lights2D()
        game.add(labels)
        camera = fw.Camera3D()
        game.recording.rewind = fw.Rewind()
        game.run_ticks()
        network = fw.MemoryNetwork()
        link = network.link("a")
        closed = fw.UdpLink(host="127.0.0.1")
        closed.close()  # a closed game checks arguments like an open one
        actions = fw.Actions(jump=["space", "pad:a"], move=fw.Stick("a d s w"))
        actions.context("menu", "jump")
        skin = fw.Skin(
            [0], None, [[0, 0, 0, 0]] * len(cube.positions), [[1, 0, 0, 0]] * len(cube.positions)
        )
        return {
            "Actions": actions,
            "Client": fw.Client("a", link=link),
            "Server": fw.Server(fw.Game, link=network.link("b")),
            "ConditionedLink": fw.ConditionedLink(link),
            "Endpoint": fw.Endpoint(link),
            "MemoryNetwork": network,
            "Room": fw.Room(fw.MemoryRelay()),
            "UdpLink": closed,
            "Animation": models.model.animations["Wave"],
            "Backdrop": fw.Backdrop(image),
            "TileLayer": fw.TileLayer(fw.TileSet(image, (2, 2)), [[1]]),
            "TileMap": fw.TileMap(self.map),
            "Audio": game.audio,
            "Ducking": fw.Ducking(game.audio.buses["effects"]),
            "MusicLayers": fw.MusicLayers({"a": fw.Sound.tone(440, 0.1).play(loop=True)}),
            "Billboards": fw.Billboards(image, 2),
            "Camera2D": fw.Camera2D((64, 48)),
            "Clip": clips["walk"],
            "Clips": clips,
            "Camera3D": camera,
            "Curve": fw.Curve(1, 2),
            "Emitter": fw.Particles().emitter((0, 0), 5),
            "Fly": fw.Fly(camera),
            "Follow": fw.Follow(camera, nodes3[0]),
            "Widget": fw.Widget(theme="light"),
            "FollowAll": fw.FollowAll(fw.Camera2D((64, 48)), [sprites[0]]),
            "Game": game,
            **{
                type(part).__name__: part
                for part in (game.testing, game.saves, game.network, game.recording, *more, *parts)
            },
            "Identity": IDENTITY,
            "Heightfield": fw.Heightfield(np.zeros((3, 3))),
            "Instance": meshes[0],
            "Keys": fw.Keys({"space": 32}),
            "Label": labels.add("hello", (1, 2)),
            "Light2D": lamps.add(),
            "Lights2D": lamps,
            "Light3D": lights.add((0, 1, 0), direction=(0, -1, 0)),
            "Lights": lights,
            "Mesh": cube,
            "MeshBatch": meshes,
            "Model": models.model,
            "ModelBatch": models,
            "Crowd": crowd,
            "CrowdInstance": crowd[0],
            "ModelInstance": models[0],
            "MorphTargets": fw.MorphTargets(np.zeros((2, 3, 3))),
            "Node": nodes3[0],
            "Node of 2D": nodes2[0],
            "NodeMeshes": fw.NodeMeshes(cube, nodes3, [0, 1]),
            "NodeSprites": fw.NodeSprites(clips, nodes2, count=2),
            "Nodes2D": nodes2,
            "Nodes3D": nodes3,
            "Orbit": fw.Orbit(fw.Camera3D()),
            "Quality": fw.Quality([{"render_scale": 1.0}, {"render_scale": 0.5}]),
            "RefreshClock": fw.RefreshClock(60),
            "Replay": fw.Replay.open(self.folder / "a.replay"),
            **{kind: effect_kinds.new_effect(kind) for kind in EFFECT_VALUES},
            "Effect": fw.Effect("vec4 effect(vec2 p) { return picture(p); }"),
            "PingPong": fw.PingPong(
                game.picture.graphics, (4, 4), "vec4 following(vec2 p) { return last(p); }"
            ),
            "Polygon": fw.Polygons().add_box((0, 0), (3, 3)),
            "Polygons": fw.Polygons(None, wrap="repeat"),
            "Ribbon": fw.Ribbon(None, _CORNERS),
            "Graphics": game.picture.graphics,
            "Scene": scene,
            "Skin": skin,
            "BeatClock": fw.BeatClock(120),
            "Sound": fw.Sound.tone(440, 0.1),
            "SoundStream": fw.SoundStream(_hum),
            "Gamepad": game.pads[0],
            "Player": game.players[0],
            "Sprite": sprites[0],
            "Rewind": game.recording.rewind,
            "SpriteBatch": sprites,
            "VertexSprites": fw.VertexSprites(image, vertex=ONE["VertexSprites(vertex)"][0]),
            "StateColumns": fw.StateColumns(sprites, "a", "b"),
            "StateMachine": fw.StateMachine("a", "b"),
            "Shape": fw.Shapes().add_line((0, 0), (3, 3)),
            "TextBatch": labels,
            "Trail": fw.Trail(sprites[0]),
            "Texture": fw.Texture(image),
            "Transforms2D": two,
            "Transforms3D": three,
            "Voice": fw.Sound.tone(440, 0.1).play(loop=True),
            "View": game.views.add(fw.Camera2D((64, 48)), (0, 0, 0.5, 0.5)),
            **self._physics(sprites, meshes),
        }

    def _physics(self, sprites: Any, meshes: Any) -> dict[str, Any]:
        """Create physics with a layer and bodies, which joints can connect."""
        self.ends: dict[str, tuple[Any, Any]] = {}
        self.bodies: dict[str, Any] = {}
        engines = {}
        for kind, batch in (("Physics2D", sprites), ("Physics3D", meshes)):
            if kind in PHYSICS:
                batch.position[1] = 30
                size = {"size": (2,) * len(batch.position[0]), "layer": "a", "kind": "dynamic"}
                engines[kind] = getattr(fw, kind)()
                self.bodies[kind] = engines[kind].add(batch, **size)
                self.ends[kind] = batch[0], batch[1]
        return engines

    def _of_physics(self, key: str, kind: str, argument: str) -> Any:
        first, second = self.ends[kind]
        if "character(" in key:
            walker = fw.MeshBatch(fw.Mesh.cube(), 1)
            self.by_name[kind].add(walker, kind="kinematic")
            first = walker[0]
        new = (
            fw.SpriteBatch(solid(2, 2), 1)
            if kind == "Physics2D"
            else fw.MeshBatch(fw.Mesh.cube(), 1)
        )
        return {
            "first": first,
            "second": second,
            "body": first,
            "batch": new,
            "bodies": self.bodies[kind],
            "other": self.bodies[kind],
        }.get(argument)

    def recreate(self) -> None:
        if self.game.scene is not self.game:
            self.game.pop()
        self.by_name = _Objects(self._made())

    def good_value(self, key: str) -> Any:
        """Return a good value for an argument."""
        call, _, argument = key.rstrip(")").partition("(")
        of = self.by_name
        kind = call.partition(".")[0]
        if kind in PHYSICS and "." in call and "layer" not in argument:
            values = row(key)
            assert values is not None
            its = self._of_physics(key, kind, argument)
            return values[0] if its is None or ("(" in key and values[0] is not None) else its
        if call == "NodeSprites" and argument == "nodes":
            return of["Nodes2D"]
        if call == "TileMap" and argument == "path":
            return self.map
        if call == "FollowAll" and argument in ("camera", "targets"):
            return of["Camera2D"] if argument == "camera" else [of["SpriteBatch"][0]]
        if argument == "drawable":
            return fw.SpriteBatch(solid(2, 2))
        objects = {
            "graphics": self.game.picture.graphics,
            "camera": of["Camera3D"],
            "nodes": of["Nodes3D"],
            "model": of["Model"],
            "path": self.path,
            "batch": of["Billboards"] if kind != "Lights2D" else of["SpriteBatch"],
            "child": fw.Widget(),
            "scene": fw.Scene(),
            "light": of["Light3D"],
            "label": of["Label"],
            "solid": of["MeshBatch"],
        }
        values = row(key)
        assert values is not None
        if values[0] is not None or argument not in objects or "add(camera)" in key:
            return of["Node"] if key == "Follow(target)" else values[0]
        return objects[argument]

    def release(self) -> None:
        self.game.close()


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Samples]:
    objects = Samples(tmp_path_factory.mktemp("arguments"))
    yield objects
    objects.release()


def state_of(target: Any, name: str) -> Any:
    value = getattr(target, name)
    return (
        np.array(value, object, copy=True).tolist()
        if isinstance(value, np.ndarray | tuple | list)
        else value
    )


def mistake_in_refusal(name: str, call: Callable[[], Any]) -> str:
    """Return the mistake in the reaction to a bad value, or "" if the value is refused correctly."""
    try:
        call()
    except (TypeError, ValueError) as error:
        text = str(error)
        if name not in text:
            return f"does not name {name}: {text}"
        return "more than a line" if "\n" in text else "too long" if len(text) > 300 else ""
    except Exception as error:
        return f"raises {type(error).__name__}: {error}"
    return "is accepted"


def caller_of(objects: Samples, key: str) -> Callable[[Any], Any]:
    """Return a function that passes a value to the argument or setting of ``key``."""
    call, _, argument = key.rstrip(")").partition("(")
    kind, _, member = call.partition(".")
    if not argument:
        target_object = objects.by_name["Node of 2D" if key == "Node.angle" else kind]
        return lambda value: setattr(target_object, member, value)
    target: Any = getattr(fw, call, None)
    if member:
        target = getattr(objects.by_name.of_call(kind, member), member)
    several = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    needed = {
        name: objects.good_value(f"{call}({name})")
        for name, parameter in inspect.signature(target).parameters.items()
        if parameter.default is parameter.empty and parameter.kind not in several
    }
    if call in ("Game", "run"):
        needed["headless"] = True
    if member in ("query_shape", "shapecast"):
        needed["size"] = objects.good_value(f"{call}(size)")

    keys = (0, 1) if call == "Curve" else ()

    def call_with(value: Any) -> None:
        result = target(*keys, **{**needed, argument: value})
        if isinstance(result, fw.Game):
            result.close()
        elif member == "system":  # a decorator
            result(print)

    return call_with


def mistakes_of(samples: Samples, key: str) -> list[str]:
    """Return the mistakes in the reactions to all bad values of ``key``."""
    values = row(key)
    assert values is not None
    call, _, argument = key.rstrip(")").partition("(")
    kind, _, member = call.partition(".")
    wrong = []
    set_to = caller_of(samples, key)
    for bad in values[1]:
        target = (
            samples.by_name["Node of 2D" if key == "Node.angle" else kind] if not argument else None
        )
        before = state_of(target, member) if target is not None else None
        trouble = mistake_in_refusal(argument or member, lambda: set_to(bad))  # noqa: B023
        if trouble:
            wrong.append(f"{key}: {bad!r} {trouble}")
            samples.recreate()
            set_to = caller_of(samples, key)
        elif target is not None:
            after = state_of(target, member)
            if not (after is before or after == before):
                wrong.append(f"{key}: {bad!r} left {after!r}")
    return wrong


CHECKED: dict[str, list[str]] = {}  # by class or function
for _key in ROWS_OF_THE_TABLE:
    if (_found := row(_key)) is not None and _found[1]:
        CHECKED.setdefault(re.split(r"[.(]", _key)[0], []).append(_key)


@pytest.mark.parametrize("kind", CHECKED)
def test_bad_values_are_refused_by_name_and_change_nothing(samples: Samples, kind: str) -> None:
    wrong = [line for key in CHECKED[kind] for line in mistakes_of(samples, key)]
    assert wrong == [], "\n".join([kind, *wrong])


@pytest.mark.parametrize("kind", ["SpriteBatch", "Nodes3D", "MeshBatch", "ModelBatch", "Crowd"])
def test_a_row_index_that_is_no_integer_is_refused(samples: Samples, kind: str) -> None:
    for bad in ("x", None, 0.5, [1, 2]):
        with pytest.raises(TypeError, match=r"row: expected a whole number, got "):
            samples.by_name[kind][bad]


# -- unknown attributes ----------------------------------------------------------------------------

MISSPELT = [
    ("Animation", "nmae", "name"),
    ("Billboards", "postion", "position"),
    ("Camera2D", "zom", "zoom"),
    ("Camera3D", "positon", "position"),
    ("Crowd", "animation_sped", "animation_speed"),
    ("Fly", "sped", "speed"),
    ("Follow", "ofset", "offset"),
    ("Heightfield", "heigths", "heights"),
    ("Light3D", "colour", "color"),
    ("Lights", "ad", "add"),
    ("Lines", "kep", "keep"),
    ("Material", "rougness", "roughness"),
    ("Mesh", "postions", "positions"),
    ("MeshBatch", "postion", "position"),
    ("Model", "part", "parts"),
    ("ModelBatch", "rotaton", "rotation"),
    ("NodeMeshes", "visble", "visible"),
    ("NodeSprites", "colour", "color"),
    ("Nodes2D", "postion", "position"),
    ("Nodes3D", "postion", "position"),
    ("Orbit", "distanse", "distance"),
    ("Skin", "weigths", "weights"),
    ("SpriteBatch", "postion", "position"),
    ("TextBatch", "ad", "add"),
    ("Transforms2D", "postion", "position"),
    ("Transforms3D", "postion", "position"),
    ("World", "shadow", "shadows"),
    ("Label", "colour", "color"),
    ("Quality", "levl", "level"),
    ("Node", "postion", "position"),
    ("Instance", "postion", "position"),
    ("Camera2D", "angel", "angle"),
    ("SpriteBatch", "rotation", "angle"),
]


@pytest.mark.parametrize(("kind", "misspelt", "meant"), MISSPELT)
def test_a_misspelt_attribute_is_an_error_with_the_nearest_name(
    samples: Samples, kind: str, misspelt: str, meant: str
) -> None:
    with pytest.raises(
        AttributeError, match=rf"has no attribute '{misspelt}'; did you mean '{meant}'\?$"
    ):
        setattr(samples.by_name[kind], misspelt, 1)


@pytest.mark.parametrize("kind", ["FixedTimestep", "RefreshClock", "Schedule", "Sprite"])
def test_frequently_written_classes_refuse_unknown_attributes(samples: Samples, kind: str) -> None:
    """The framework searches no nearest name here, which would slow down each write.

    Python 3.13 and later suggest one.
    """
    target = samples.by_name[kind]
    with pytest.raises(AttributeError, match="postion") as caught:
        target.postion = 1
    if sys.version_info >= (3, 13):
        assert (caught.value.name, caught.value.obj) == (
            "postion",
            target,
        )  # Python's suggestion needs both


def test_subclasses_in_games_accept_any_attribute() -> None:
    class Level(fw.Scene):
        pass

    class Swarm(fw.SpriteBatch):
        pass

    class Rocks(fw.MeshBatch):
        pass

    class Rain(fw.Game):
        pass

    objects: list[Any] = [Level(), Swarm(), Rocks(fw.Mesh.cube()), Rain(headless=True, size=(8, 8))]
    for target in objects:
        target.anything = 3
        assert target.anything == 3
    objects[-1].close()
