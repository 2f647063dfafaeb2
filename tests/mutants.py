"""Mutation tests: make one small mistake in a module at a time and check that its tests fail.

    python tests/mutants.py                     # a sample of each module in CONCERNS, on all cores
    python tests/mutants.py columns refresh     # a sample of these modules
    python tests/mutants.py ui/ --sample 30     # 30 mistakes in all modules of a package
    python tests/mutants.py --rooms --sample 30   # 30 mistakes in each package
    python tests/mutants.py --sample 0 stack    # all possible mistakes
    python tests/mutants.py stack:61:2          # one of them again, by its name in the report

Every mistake runs in a forked process (this needs Linux or macOS), which compiles the module with
the mistake. No file is changed. A mistake that no test finds is printed as a line of a diff. Some
mistakes change no behavior: `UNSEEN` lists them with the reasons. All others need a test.
"""

from __future__ import annotations

import argparse
import ast
import copy
import functools
import importlib.abc
import importlib.machinery
import importlib.util
import itertools
import os
import random
import re
import signal
import subprocess
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

TESTS = Path(__file__).resolve().parent
PACKAGE = TESTS.parent / "framework"

# The core modules, and the tests of each, the nearest first. `ranked_tests` finds the tests of all
# other modules.
CONCERNS = {
    "state/columns": "columns transforms handover paused restoring",
    "state/mapped_poses": "sprites backend columns paused",
    "state/rows": "transforms nodes sprites",
    "state/latched": "latched camera2d",
    "state/interpolation": "motion transforms transforms3d",
    "state/transforms": "transforms transforms3d motion",
    "state/transforms2d": "transforms motion handover",
    "state/transforms3d": "transforms3d motion",
    "state/nodes": "nodes paused transforms3d",
    "state/node_tables": "nodes paused transforms3d",
    "state/previous": "columns handover paused restoring",
    "state/uploads": "columns handover",
    "record/hashes": "hashes synctest snapshots",
    "record/snapshots": "snapshots restoring",
    "record/kinds": "hashes snapshots restoring synctest",
    "record/attributes": "hashes snapshots restoring",
    "record/digests": "hashes",
    "record/immutables": "hashes",
    "record/walk": "hashes snapshots",
    "record/history": "history rewind",
    "motion/follow": "follow camera2d camera3d",
    "motion/tween_targets": "tweens tween_starts",
    "motion/tweens": "tweens tween_starts routines_saved",
    "motion/velocity_columns": "meetings sprites",
    "input/buttons": "buttons",
    "timing/timestep": "timestep loops",
    "timing/refresh_clock": "refresh_clock",
    "timing/schedule": "schedule",
    "timing/systems": "systems",
    "geometry/collide": "collide",
    "geometry/move_and_slide": "sweep single_move",
    "geometry/moving_boxes": "sweep single_move",
    "geometry/moving_platforms": "sweep single_move",
    "geometry/obstacles": "sweep single_move",
    "geometry/quaternions": "quaternions transforms3d",
    "geometry/tileedges": "tileedges part_solid",
    "models/gltf": "gltf textures morphs models",
    "models/animations": "animations models gltf morphs",
    "record/container": "container saving",
    "record/loading": "saving",
    "models/materials": "materials textures models",
    "models/morphs": "morphs models",
    "models/parts": "parts models gltf morphs",
    "models/skins": "nodes models",
    "models/textures": "textures materials",
    "game/scene_stack": "scene",
    "game/loop": "loops game interruptions scene rewind",
    "game/painter": "game scaled scene overlay text rewind",
    "game/world_image": "scaled screen_effects interruptions",
    "plane/sprites": "sprites handover paused motion",
    "gpu/atlas": "atlas sprites developing",
    "gpu/handover": "handover columns paused transforms3d",
}

# The tests of a package. They run after the nearest tests of a module, because the package's
# helpers have names that no test mentions.
ROOM_TESTS = {
    "assets": "atlas images aseprite background_loading resources",
    "audio": "mixer sound sounds synthesis occlusion",
    "geometry": "collide paths shapes outlines",
    "gpu": "handover shaders graphics screen_effects",
    "input": "actions buttons pads tick_input",
    "learn": "gym_env vector_env parallel_env",
    "light2d": "light2d_math lights2d",
    "models": "gltf models textures",
    "net": "links connections relay",
    "motion": "tweens motion animations state_machine",
    "particles": "particles particles3d",
    "physics": "physics2d physics3d",
    "plane": "sprites camera2d shape_batch polygons",
    "sim": "replay farm server synctest",
    "space": "meshes models lines world",
    "text": "text kerning color_fonts",
    "tiles": "tilemap tiled tilelayer ldtk hostile_maps",
    "timing": "schedule timestep refresh_clock",
    "ui": "ui_widgets widgets focus scenes",
    "watch": "inspector monitor overlay",
}

# Mistakes that change no behavior, by module: the changed lines as the report prints them, and the
# reason. They do not count as survivors.
UNSEEN = {
    "assets/rate_conversion": {
        "turns = max(1, -(-block // phases))  ->  turns = max(1, -(block // phases))": (
            "the same numbers in smaller blocks"
        ),
    },
    "audio/file_stream": {
        "if self._turn is not None and self.loop is not None and (self._next < self.loop[0]):  ->  "
        "if self._turn is not None or self.loop is not None or self._next < self.loop[0]:": (
            "samples that are no longer in memory are decoded again"
        ),
    },
    "audio/mix_groups": {
        "groups['gain'][1:] = groups['to_gain'][1:] = 1.0  ->  groups['gain'][1:] = "
        "groups['to_gain'][2:] = 1.0": "the gain of each bus is set again before it is read",
    },
    "audio/resampling": {
        "self._memory: Floats = np.empty(0, np.float32)  ->  self._memory: Floats = np.empty(1, "
        "np.float32)": "memory without values, which grows when more is needed",
    },
    "coroutines/routine_code": {
        "own = [name for name in self.plain.co_varnames if name in bound and name not in shared]  "
        "->  own = [name for name in self.plain.co_varnames if name not in shared]": (
            "Python 3.11 has no other variables; since 3.12 those of comprehensions are among them"
        ),
    },
    "game/calibration": {
        "self._click = Sound.tone(1200, 0.03, wave='triangle')  ->  self._click = Sound.tone(1201, 0.03, wave='triangle')": (
            "a click that is 1 Hz higher sounds the same"
        ),
    },
    "geometry/single_sight": {
        "ends = [min(max(end, -1.0), count + 1.0) for end in (position, position + movement)]  ->  ends = [min(max(end, -1.0), count + 2.0) for end in (position, position + movement)]": (
            "one edge more outside the grid, where no tile is"
        ),
    },
    "geometry/quaternions": {
        "cosine = exact.dot(previous, current)  ->  cosine = exact.dot(current, previous)": (
            "a * b is b * a, to the bit"
        ),
        "TINY = np.float32(1e-30)  ->  TINY = np.float32(2e-30)": (
            "a limit between 0 and all lengths that occur"
        ),
    },
    "geometry/exact": {
        "block = tuple((array[part].astype(np.float64, copy=False) for array in flat))  ->  block = tuple((array[part].astype(np.float64, copy=True) for array in flat))": (
            "a copy has the same numbers"
        ),
    },
    "geometry/paths": {
        "directions /= np.where(lengths > 0, lengths, 1)[:, None]  ->  directions /= "
        "np.where(lengths > 0, lengths, 2)[:, None]": "0 divided by 2 is 0 divided by 1",
    },
    "gpu/handover": {
        "if changed or cached is None or len(cached) < n or (sent > n):  ->  if changed or "
        "cached is None or len(cached) < n or (sent <= n):": (
            "rows that have not changed are packed again, to the same numbers"
        ),
    },
    "gpu/late_images": {
        "MAX_BYTES_PER_FRAME = 1 << 22  ->  MAX_BYTES_PER_FRAME = 2 << 22": (
            "an image is complete in fewer frames"
        ),
    },
    "gpu/pixelated": {
        "texture.repeat_x = texture.repeat_y = False  ->  texture.repeat_x = texture.repeat_y "
        "= True": "an image moves by at most half a texel, so nothing beyond its border is read",
    },
    "light2d/light2d_math": {
        "if not distance < radius:  ->  if not distance <= radius:": (
            "the light at the radius is 0"
        ),
        "rows = np.flatnonzero(outside & (first < last))  ->  rows = np.flatnonzero(outside & (first "
        "<= last))": "a part of a wall without length hides nothing",
        "numbers = [a + (b - a) * alpha for a, b in zip(old, new, strict=True)]  ->  numbers = [a + "
        "(b - a) * alpha for a, b in zip(old, new, strict=False)]": (
            "both rows of a lamp have eight numbers"
        ),
        "middle = (toward / math.tau + 0.5) * BINS  ->  middle = (toward / math.tau - 0.5) * BINS": (
            "the directions repeat after `BINS`"
        ),
        "spread: NDArray[np.uint32] = bits.astype(np.uint32) & _PATTERNS[np.minimum(level, 32)]  ->  "
        "spread: NDArray[np.uint32] = bits.astype(np.uint32) & _PATTERNS[np.minimum(level, 33)]": (
            "no opacity is above 1, so no level is above 32"
        ),
        "u: Doubles = np.clip(d * ay / (softness * np.sqrt(ax * ax + ay * ay)), -1, 1)  ->  u: "
        "Doubles = np.clip(-1, d * ay / (softness * np.sqrt(ax * ax + ay * ay)), 1)": (
            "min(max(-1, x), 1) is the same number"
        ),
    },
    "light2d/light2d_walls": {
        "self._cells = min(_MAX_CELLS, 8 * int(np.ceil(np.sqrt(len(shapes)))))  ->  self._cells = "
        "min(_MAX_CELLS, 8 * int(np.floor(np.sqrt(len(shapes)))))": (
            "a grid with fewer cells finds the same walls"
        ),
    },
    "light2d/lightmap": {
        "margin = reach * np.float32(1.001) + np.float32(0.0001) * (1 + np.abs(high[:, 0] + high[:, "
        "1]))  ->  margin = reach * np.float32(2.002) + np.float32(0.0001) * (1 + np.abs(high[:, 0] "
        "+ high[:, 1]))": "the rectangles may be larger than necessary",
    },
    "models/baked_animations": {
        "count = len(self.poses[0])  ->  count = len(self.poses[1])": (
            "positions and rotations have one row for each pose"
        ),
        "return [self._rigid(part, part.nodes, 0)] if part.nodes else []  ->  return "
        "[self._rigid(part, part.nodes, 1)] if part.nodes else []": (
            "a mesh without morph targets has no weights"
        ),
        "self.inverse: Floats = np.array(joints.inverse, np.float32).reshape(-1, 4, 4)  ->  "
        "self.inverse: Floats = np.array(joints.inverse, np.float32).reshape(-2, 4, 4)": (
            "NumPy computes the size for each negative number"
        ),
    },
    "models/gltf": {
        "self.uv_set = 0  ->  pass": "set again before it is read",
    },
    "models/obj": {
        "_MAX_EARS = 12000  ->  _MAX_EARS = 12001": "a limit for the time that a file may take",
        "corners = positions[position_of].reshape(-1, 3, 3)  ->  corners = "
        "positions[position_of].reshape(-2, 3, 3)": (
            "NumPy computes the size for each negative number"
        ),
        "uvs = _table(self.uvs, 2, 3, 'vt')  ->  uvs = _table(self.uvs, 2, 4, 'vt')": (
            "only the first two numbers are read"
        ),
        "read = np.array(rows, np.intp).reshape(-1, 3) - 1  ->  read = np.array(rows, "
        "np.intp).reshape(-2, 3) - 1": "NumPy computes the size for each negative number",
    },
    "motion/clip_columns": {
        "_UNKNOWN = -1  ->  _UNKNOWN = 1": (
            "a clip that is due at flick 1 has its derived columns computed again, to the same values"
        ),
    },
    "motion/tween_targets": {
        "raise NotImplementedError  ->  pass": "each class of targets has its own method",
    },
    "motion/tween_tracks": {
        "_MAX_UNSHARED_VALUES = 4  ->  _MAX_UNSHARED_VALUES = 5": (
            "both ways compute the same numbers"
        ),
    },
    "net/golomb_coding": {
        "_CLASSES = 26  ->  _CLASSES = 27": "one class more, without members",
    },
    "net/row_codec": {
        "FEW_RUNS = 4  ->  FEW_RUNS = 5": "both ways compute the same numbers",
    },
    "net/row_sender": {
        "self._reserve(max(blocks, 2 * len(self._alive) // BLOCK))  ->  self._reserve(max(blocks, 3 "
        "* len(self._alive) // BLOCK))": "more reserved memory",
    },
    "physics/rapier_bytes": {
        "if min(single_pose, single_speeds) < 0:  ->  if max(single_pose, single_speeds) < 0:": (
            "each Rapier writes both the pose and the velocities of a body"
        ),
    },
    "particles/emitters": {
        "last = last if first @ last >= 0 else -last  ->  last = last if first @ last > 0 "
        "else -last": "for a half turn in one tick, both directions are equally short",
        "if not length:  ->  if length:": (
            "a shortcut: `add` leaves the births to the emitter, which computes the same ones"
        ),
        "if self._spray is not None and self._positions:  ->  if self._positions:": (
            "positions always have a spray; the comparison is for the type checker"
        ),
        "if index == last or share == index / last:  ->  if index == last or share == index * "
        "last:": "at a sample, the interpolation returns the sample",
    },
    "particles/particle_drawing": {
        "return {name: 1 for name, is_set in conditions.items() if is_set}  ->  return {name: "
        "2 for name, is_set in conditions.items() if is_set}": (
            "the shaders only test whether a macro is defined"
        ),
    },
    "particles/particle_rows": {
        "if len(newest.words) + len(words) <= _BLOCK and began - newest.began < _MAX_SPAN:  "
        "->  if len(newest.words) + len(words) <= _BLOCK and began - newest.began <= "
        "_MAX_SPAN:": "two blocks have the same rows as one",
        "if len(numbers) <= _MAX_FEW:  ->  if len(numbers) < _MAX_FEW:": (
            "NumPy finds the same numbers"
        ),
    },
    "particles/spawn_options": {
        "cache['_was_used'] = True  ->  pass": "blocks of rows only save time",
    },
    "space/surfaces": {
        "texture.use()  ->  pass": (
            "moderngl still has the texture bound when it has set the filter"
        ),
    },
    "space/crowd_drawing": {
        "self._version = -1  ->  self._version = -2": ("no version is below 0"),
    },
    "plane/layered_drawing": {
        "height = 1 + (contours.texels + SHORT // 2) // _WIDTH  ->  height = 1 + "
        "(contours.texels + SHORT * 2) // _WIDTH": "the texture may be larger than necessary",
    },
    "plane/ribbons": {
        "elif new_count < count:  ->  elif new_count <= count:": "an empty slice removes no points",
    },
    "plane/polygon_meshes": {
        "clockwise = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) < (b[:, 1] - a[:, 1]) * (c[:, 0] - "
        "a[:, 0])  ->  clockwise = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) <= (b[:, 1] - a[:, 1]) "
        "* (c[:, 0] - a[:, 0])": "a triangle without an area is invisible in both directions",
        "corners = rows_of_mesh[1:].reshape(-1, TEXELS, 4)  ->  corners = "
        "rows_of_mesh[1:].reshape(-2, TEXELS, 4)": (
            "NumPy computes the size for each negative number"
        ),
    },
    "plane/shape_drawing": {
        "_POINTS_UNIT = 0  ->  _POINTS_UNIT = 1": (
            "any texture unit that no other texture of the program uses"
        ),
    },
    "timing/refresh_clock": {
        "self._trust = 0.0  ->  self._trust = 1.0": (
            "no stamp is late before the first estimate, and the trust falls to 0 before that"
        ),
        "if self._trust < 1.0:  ->  if self._trust <= 1.0:": "min(1.0, 1.0 + 0.1) is 1.0",
        "if self._evidence > _MAX_EVIDENCE:  ->  if self._evidence >= _MAX_EVIDENCE:": (
            "the limit is at least `_MAX_EVIDENCE`"
        ),
    },
    "timing/schedule": {
        "return bool(heap) and heap[0].about <= self.time and (heap[0].due <= self._time)  ->  "
        "return bool(heap) and heap[0].due <= self._time": (
            "`about` is compared only because it is quicker"
        ),
    },
    "timing/timestep": {
        "self._given_at = 0  ->  self._given_at = 1": "only read after `advance` has set it",
    },
    "tiles/tile_numbers": {
        "np.bitwise_and(pairs[3:], pairs[1:-2], out=fives[4:])  ->  np.bitwise_and(pairs[1:-2], "
        "pairs[3:], out=fives[4:])": "a & b is b & a",
    },
    "tiles/tiled_objects": {
        "pairs = zip(words[::2], words[1::2], strict=True)  ->  pairs = zip(words[::2], "
        "words[1::2], strict=False)": "an odd number of words is refused before",
    },
    "geometry/eases": {
        "return float(times[last + 1])  ->  return float(times[last + 2])": (
            "a spring rests a ten thousandth of its duration longer"
        ),
    },
    "assets/artwork": {
        "for start, end in zip(corners, corners[1:] + corners[:1], strict=True):  ->  for start, end "
        "in zip(corners, corners[1:] + corners[:1], strict=False):": "both lists have one length",
    },
    "tiles/mapobjects": {
        "offset = np.array(position) + np.array(layer.offset) * (1, -1)  ->  offset = "
        "np.array(position) + np.array(layer.offset) / (1, -1)": (
            "a division by 1 or -1 is a multiplication by it, to the bit"
        ),
    },
    "ui/flex": {
        "if sum(widths) <= free:  ->  if sum(widths) < free:": (
            "widths that fit exactly neither grow nor shrink"
        ),
        "heights = [self.height(child, width) for line in lines for child, width in zip(*line, "
        "strict=True)]  ->  heights = [self.height(child, width) for line in lines for child, width "
        "in zip(*line, strict=False)]": "a line has one width for each of its children",
    },
    "state/columns": {
        "self.reserve(max(row + 1, 2 * self.capacity, 16) if row else 1)  ->  self.reserve(max(row "
        "+ 1, 3 * self.capacity, 16) if row else 1)": "more reserved memory",
        "if len(self.written) < self._max_written:  ->  if len(self.written) <= self._max_written:": (
            "one row more is noted alone before the whole column counts as changed"
        ),
    },
    "state/node_tables": {
        "if large and out is not None:  ->  if out is not None:": "an array is copied onto itself",
    },
    "state/uploads": {
        "self.stale = len(self.patches) > MAX_PATCHES  ->  self.stale = len(self.patches) >= "
        "MAX_PATCHES": "the whole column is uploaded instead of its parts, with the same values",
    },
    "record/container": {
        "if length > MAX_FILE:  ->  if length >= MAX_FILE:": "a file of exactly 256 MiB",
    },
    "record/exports": {
        "size = data.count(b',') + data.count(b'[') + 4 * data.count(b'{')  ->  size = "
        "data.count(b',') + data.count(b'[') + 5 * data.count(b'{')": (
            "an estimate of the memory that a file needs"
        ),
    },
    "sim/farm": {
        "_MAX_TRIES = 2  ->  _MAX_TRIES = 3": (
            "an executor may choose the same worker again, after any number of attempts"
        ),
    },
    "sim/synctest": {
        "_TRIES = 3  ->  _TRIES = 4": "one more run finds no less",
    },
    "text/fonts": {
        "if len(cache) >= max_size:  ->  if not len(cache) >= max_size:": (
            "a cache that is cleared sooner has the same values again"
        ),
    },
    "text/glyph_images": {
        "_MAX_PIXELS = 4 << 20  ->  _MAX_PIXELS = 4 << 21": (
            "images that are released later look the same"
        ),
    },
    "text/shaping": {
        "if not width or not height:  ->  if not height:": (
            "HarfBuzz gives an empty image no width and no height"
        ),
    },
    "ui/basic_widgets": {
        "if previous is not None and isinstance(widget, TextLabel) and _measures_text(type(widget)):"
        "  ->  if isinstance(widget, TextLabel) and _measures_text(type(widget)):": (
            "a widget without a text has no interface yet"
        ),
    },
    "ui/canvas": {
        "self._most = 0  ->  pass": "another atlas at another size, with the same letters",
        "if atlas is self._atlas and same_size and (atlas is None or self._made_for is not None):  "
        "->  if atlas is self._atlas and same_size and (atlas is None):": (
            "widgets that are painted again look the same"
        ),
    },
    "ui/interface": {
        "row.button(answer, partial(dialog.give, answer), action=action, min_width=90)  ->  "
        "row.button(answer, partial(dialog.give, answer), action=action, min_width=91)": (
            "an answer that is 1 unit wider"
        ),
    },
    "ui/text_field": {
        "solid = True  ->  solid = False": "a text field is focusable, which also takes clicks",
    },
    "ui/listbox": {
        "if needed & set(range(last + 1)) <= existing.keys():  ->  if needed & set(range(last + 2)) "
        "<= existing.keys():": (
            "if the entry after the last one is needed, the hidden entries are created again"
        ),
    },
    "watch/frame_stats": {
        "_IDS = {'pid': 1, 'tid': 1}  ->  _IDS = {'pid': 2, 'tid': 1}": (
            "any number names the only process of the file"
        ),
        "table.writerows(zip(starts, *[_nan_as_none(self.series(name)) for name in names], "
        "strict=True))  ->  table.writerows(zip(starts, *[_nan_as_none(self.series(name)) for name "
        "in names], strict=False))": "a series has one value for each frame",
    },
    "learn/agent_actions": {
        "if not (0 <= index < len(self._keys) or self.space.contains(action)):  ->  if not (1 <= "
        "index < len(self._keys) or self.space.contains(action)):": (
            "a shortcut: the space contains the first action"
        ),
    },
    "learn/worker_env": {
        "connections = WorkerConnections(context.Semaphore(0), gate, done, "
        "context.RawArray(ctypes.c_ubyte, 2), theirs)  ->  connections = "
        "WorkerConnections(context.Semaphore(0), gate, done, context.RawArray(ctypes.c_ubyte, 3), "
        "theirs)": "one byte more, which nothing reads",
    },
    "learn/observations": {
        "if getattr(timestep, 'fixed', False):  ->  if getattr(timestep, 'fixed', True):": (
            "every timestep of a game has the attribute"
        ),
    },
}

# A mistake counts as found if its tests need this much CPU time beyond three times the usual, because
# then a loop has no end. The wall clock has a larger limit, which only ends tests that wait for
# ever: on a busy machine, each test takes longer, but needs the same CPU time.
SPARE_SECONDS = 20
WALL_FACTOR = 5


# -- mistakes --------------------------------------------------------------------------------------

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_TWINS = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "floor": "ceil",
    "ceil": "floor",
    "minimum": "maximum",
    "maximum": "minimum",
    "append": "extend",
    "argmin": "argmax",
}


def with_fields(node: Any, **fields: Any) -> Any:
    """Return a copy of a node with some fields changed."""
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def mistakes(node: ast.AST) -> Iterator[ast.AST]:
    """Return the mistakes that can replace one node."""
    match node:
        case ast.Compare(ops=ops):
            for at, op in enumerate(ops):
                for replacement in _COMPARISONS[type(op)]:
                    yield with_fields(node, ops=[*ops[:at], replacement(), *ops[at + 1 :]])
        case ast.BoolOp(op=op, values=values):
            yield with_fields(node, op=ast.And() if isinstance(op, ast.Or) else ast.Or())
            for at in range(len(values)):
                rest = values[:at] + values[at + 1 :]
                yield rest[0] if len(rest) == 1 else with_fields(node, values=rest)
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert(), operand=operand):
            yield operand
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in _OPERATORS:
            yield with_fields(node, op=_OPERATORS[type(op)]())
            if isinstance(node, ast.AugAssign):
                yield ast.Pass()
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(value=float(value)):
            yield ast.Constant(value * 2 if value else 1.0)
        case ast.IfExp(body=body, orelse=orelse):
            yield with_fields(node, body=orelse, orelse=body)
        case ast.If(test=test) | ast.While(test=test):
            yield with_fields(node, test=ast.UnaryOp(ast.Not(), test))
        case ast.Call(func=ast.Name(id=name) as function) if name in _TWINS:
            yield with_fields(node, func=with_fields(function, id=_TWINS[name]))
        case ast.Call(func=ast.Attribute(attr=name) as function) if name in _TWINS:
            yield with_fields(node, func=with_fields(function, attr=_TWINS[name]))
        case ast.Call(args=[first, second, *rest]) if not isinstance(
            first, ast.Starred
        ) and not isinstance(second, ast.Starred):
            yield with_fields(node, args=[second, first, *rest])
        case ast.Expr(value=ast.Call()) | ast.Raise() | ast.Delete():
            yield ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield ast.Pass()
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield ast.Return(ast.Constant(None))
        case ast.Continue():
            yield ast.Break()
        case ast.Break():
            yield ast.Continue()


_UNTOUCHED = (ast.JoinedStr, ast.Import, ast.ImportFrom, ast.Global)


def positions(node: ast.AST) -> Iterator[tuple[ast.AST, str, int]]:
    """Yield the positions in a tree where a mistake is possible: a node, its field, the index.

    Annotations, the arguments of errors, code for type checkers and declarations are left out.
    """
    for name, value in ast.iter_fields(node):
        if name in (
            "annotation",
            "returns",
            "decorator_list",
            "bases",
            "type_params",
        ) or _is_declaration(node, name):
            continue
        children = value if isinstance(value, list) else [value]
        for at, child in enumerate(children):
            if (
                not isinstance(child, ast.AST)
                or isinstance(child, _UNTOUCHED)
                or _is_without_behavior(child)
            ):
                continue
            yield node, name, at if isinstance(value, list) else -1
            yield from positions(child)


def _is_declaration(node: ast.AST, field: str) -> bool:
    names = {target.id for target in getattr(node, "targets", []) if isinstance(target, ast.Name)}
    return bool(names & {"__slots__", "__all__"}) or (
        isinstance(node, ast.Raise) and field in ("exc", "cause")
    )


def _is_without_behavior(node: ast.AST) -> bool:
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Assert():
            return True
        case ast.ClassDef(bases=bases):
            return any(
                isinstance(base, ast.Name) and base.id in ("Protocol", "NamedTuple")
                for base in bases
            )
        case ast.FunctionDef(decorator_list=decorators, name=name):
            return name == "__repr__" or any(
                isinstance(d, ast.Name) and d.id == "overload" for d in decorators
            )
    return False


class Mutant(NamedTuple):
    """A module with one mistake: number ``mistake`` at the position number ``place``."""

    module: str
    name: str
    line: int
    place: int
    mistake: int


def parsed(module: str) -> ast.Module:
    return ast.parse((PACKAGE / f"{module}.py").read_text(encoding="utf-8"))


def mutants(module: str) -> list[Mutant]:
    """Return all mutants of a module: every mistake at every position."""
    result: list[Mutant] = []
    count: dict[int, int] = {}
    for position, (parent, field, at) in enumerate(positions(parsed(module))):
        node = _get(parent, field, at)
        before = ast.unparse(node) if isinstance(node, ast.Call) else ""
        for mistake_number, mistake in enumerate(mistakes(node)):
            if before and ast.unparse(ast.fix_missing_locations(mistake)) == before:
                continue
            line: int = getattr(node, "lineno", 0)
            count[line] = count.get(line, 0) + 1
            result.append(
                Mutant(
                    module,
                    f"{module.rpartition('/')[2]}:{line}:{count[line]}",
                    line,
                    position,
                    mistake_number,
                )
            )
    return result


def with_mistake(mutant: Mutant) -> tuple[ast.Module, str]:
    """Return a mutant's syntax tree, and the lines in which it differs."""
    tree = parsed(mutant.module)
    before = ast.unparse(tree).splitlines()
    parent, field, at = next(itertools.islice(positions(tree), mutant.place, None))
    node = _get(parent, field, at)
    mistake = next(itertools.islice(mistakes(node), mutant.mistake, None))
    _put(parent, field, at, ast.copy_location(mistake, node))
    ast.fix_missing_locations(tree)
    return tree, _difference(before, ast.unparse(tree).splitlines())


def is_unseen(mutant: Mutant) -> bool:
    """Whether `UNSEEN` says why no test can find a mutant."""
    return mutant.module in UNSEEN and with_mistake(mutant)[1] in UNSEEN[mutant.module]


def _get(parent: ast.AST, field: str, at: int) -> ast.AST:
    held = getattr(parent, field)
    node: ast.AST = held if at < 0 else held[at]
    return node


def _put(parent: ast.AST, field: str, at: int, node: ast.AST) -> None:
    if at < 0:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[at] = node


def _difference(before: list[str], after: list[str]) -> str:
    first = next(
        n for n, (old, new) in enumerate(itertools.zip_longest(before, after)) if old != new
    )
    last = next(
        n
        for n, (old, new) in enumerate(itertools.zip_longest(before[::-1], after[::-1]))
        if old != new
    )
    gone = before[first : len(before) - last]
    come = after[first : len(after) - last]
    return f"{' '.join(map(str.strip, gone))}  ->  {' '.join(map(str.strip, come))}"


# -- tests -----------------------------------------------------------------------------------------


class _MutantImporter(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """An import hook that loads one module from a syntax tree instead of its file."""

    def __init__(self, mutant: Mutant) -> None:
        self.name = f"framework.{mutant.module.replace('/', '.')}"
        self.path = PACKAGE / f"{mutant.module}.py"
        self.code = compile(with_mistake(mutant)[0], str(self.path), "exec")

    def find_spec(
        self, name: str, path: object, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        return (
            importlib.util.spec_from_file_location(name, self.path, loader=self)
            if name == self.name
            else None
        )

    def create_module(self, spec: object) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code, module.__dict__)


class _WithoutShrinking:
    """A pytest plugin: Hypothesis does not search for the smallest failing example."""

    @staticmethod
    def pytest_sessionstart() -> None:
        from hypothesis import Phase, settings

        settings.register_profile("mutants", settings(), phases=[Phase.explicit, Phase.generate])
        settings.load_profile("mutants")


@functools.cache
def modules() -> tuple[str, ...]:
    """Return all modules of the package that contain code, such as ``ui/focus``."""
    paths = sorted(PACKAGE.rglob("*.py"))
    names = [path.relative_to(PACKAGE).with_suffix("").as_posix() for path in paths]
    return tuple(name for name in names if name.rpartition("/")[2][:2] != "__")


@functools.cache
def _mentions() -> dict[str, dict[str, int]]:
    """Return how often each word occurs in each test file: by the word, then the test's name."""
    mentions: dict[str, dict[str, int]] = {}
    for path in sorted(TESTS.glob("test_*.py")):
        if path.stem not in _ABOUT_ALL:
            test = path.stem.removeprefix("test_")
            words = re.findall(r"[A-Za-z_][A-Za-z0-9_]*", path.read_text(encoding="utf-8"))
            for word, count in Counter(words).items():
                mentions.setdefault(word, {})[test] = count
    return mentions


# Tests that mention every public name, and are slow.
_ABOUT_ALL = {"test_arguments", "test_names", "test_style", "test_docs", "test_goldens"}
_ABOUT_ALL |= {
    "test_company",
    "test_mutants",
    "test_house",
    "test_examples",
    "test_state_names",
    "test_upgrade",
}
_FEW = 4


@functools.cache
def _text(module: str) -> str:
    return (PACKAGE / f"{module}.py").read_text(encoding="utf-8")


def _own_words(module: str) -> list[str]:
    """Return the words that point to a module: its name and the names that it defines."""
    words = {module.rpartition("/")[2], *re.findall(r"(?:class|def) (\w+)", _text(module))}
    return [word for word in sorted(words) if len(word) > 3 and not word.startswith("__")]


@functools.cache
def _importers() -> dict[str, list[str]]:
    """Return the modules that import each module by a relative import."""
    importers: dict[str, list[str]] = {}
    for module in modules():
        room = module.split("/")[:-1]
        for dots, path, names in re.findall(r"from (\.+)([\w.]*) import ([^\n]*)", _text(module)):
            base = room[: len(room) - len(dots) + 1] + [part for part in path.split(".") if part]
            targets = {"/".join(base), *("/".join([*base, n]) for n in re.findall(r"\w+", names))}
            for target in targets:
                importers.setdefault(target, []).append(module)
    return importers


@functools.cache
def ranked_tests(module: str) -> tuple[str, ...]:
    """Return the tests that mention a module's names most.

    A name that occurs in few test files counts for more. If no test mentions a module's own names,
    the tests of the modules that import it come first.
    """
    scores = Counter[str]()
    for word in _own_words(module):
        mentions = _mentions().get(word, {})
        for test, count in mentions.items():
            scores[test] += min(count, 5) / len(mentions) ** 2
    for test in _tests_of_room(module):
        scores[test] *= 4
    name = module.rpartition("/")[2]
    if (TESTS / f"test_{name}.py").exists() and f"test_{name}" not in _ABOUT_ALL:
        scores[name] += 1000
    near = [test for test, score in scores.most_common(_FEW) if score >= 1]
    if not near:  # no test names the module: use the tests of the modules that import it
        importers = [importer for importer in _importers().get(module, ()) if importer != module]
        near = [test for importer in importers for test in _named_tests(importer)]
        near += [test for test, _ in scores.most_common(_FEW)]
        near += [test for importer in importers for test in CONCERNS.get(importer, "").split()]
        near += _tests_of_room(module)
    return tuple(dict.fromkeys(near))[:_FEW]


def _tests_of_room(module: str) -> list[str]:
    """Return the tests with the names of other modules of the same package."""
    room = module.rpartition("/")[0]
    return [
        test
        for neighbor in modules()
        if neighbor.startswith(f"{room}/")
        for test in _named_tests(neighbor)
    ]


def _named_tests(module: str) -> list[str]:
    """Return the tests that `CONCERNS` lists for a module, or the test with its name."""
    name = module.rpartition("/")[2]
    noted = CONCERNS.get(module, "").split()
    return noted or [name] * ((TESTS / f"test_{name}.py").exists())


def tests_of(module: str) -> tuple[str, ...]:
    """Return the names of a module's tests, the nearest first."""
    noted = CONCERNS.get(module)
    nearest = ranked_tests(module) if noted is None else tuple(noted.split())
    room = ROOM_TESTS.get(module.partition("/")[0], "").split()
    return tuple(dict.fromkeys((*nearest, *room)))


def test_files(module: str) -> list[str]:
    """Return the existing test files of a module."""
    files = [TESTS / f"test_{name}.py" for name in tests_of(module)]
    return [str(path) for path in files if path.exists()]


def fork(mutant: Mutant | None, files: Sequence[str], log: Path) -> int:
    """Run tests in a child process, up to the first failure, and return the process id.

    The exit status is 0 if all tests pass.
    """
    child = os.fork()
    if child:
        return child
    os.setsid()  # a kill also ends the programs that tests start
    status = 3
    try:
        out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(out, stream)
        status = _run_tests(mutant, files)
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(min(status, 100))


def _run_tests(mutant: Mutant | None, files: Sequence[str]) -> int:
    if mutant is not None:
        sys.meta_path.insert(0, _MutantImporter(mutant))
    import pytest

    options = ["-x", "-q", "-W", "ignore:Module already imported"]
    for plugin in ("randomly", "cacheprovider", "xdist"):
        options += ["-p", f"no:{plugin}"]
    overrides = [
        "-o",
        "addopts=",
        "--rootdir",
        str(TESTS.parent),
        "-c",
        str(TESTS.parent / "pyproject.toml"),
    ]
    return int(pytest.main([*options, *overrides, *files], plugins=[_WithoutShrinking()]))


class Seconds(NamedTuple):
    """A duration: the CPU time of all processes, and the time of a wall clock."""

    cpu: float
    wall: float


class Run(NamedTuple):
    """A mutant under test."""

    mutant: Mutant
    began: float
    limit: Seconds

    def is_too_slow(self, now: float, cpu: float) -> bool:
        return cpu > self.limit.cpu or now - self.began > self.limit.wall


def limit_of(usual: Seconds) -> Seconds:
    """Return the limit for tests that usually take some time."""
    return Seconds(3 * usual.cpu + SPARE_SECONDS, WALL_FACTOR * (3 * usual.wall + SPARE_SECONDS))


def group_cpu_seconds(group: int) -> float:
    """Return the CPU time of the processes of a process group, and of their ended children."""
    if not Path("/proc/self/stat").exists():  # macOS
        table = subprocess.run(
            ["ps", "-A", "-o", "pgid=,time="], capture_output=True, text=True, check=True
        )
        rows = map(str.split, table.stdout.splitlines())
        return sum(seconds_of(cpu_time) for number, cpu_time in rows if int(number) == group)
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # ended by now
            continue
        if int(fields[2]) == group:
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def seconds_of(text: str) -> float:
    """Return the seconds of a time as `ps` prints it, such as "1-02:03:04" or "3:04.50"."""
    days, _, clock = text.rpartition("-")
    seconds = 0.0
    for part in clock.split(":"):
        seconds = 60 * seconds + float(part)
    return 86400 * int(days or 0) + seconds


def judge(
    chosen: Sequence[Mutant], limits: dict[str, Seconds], jobs: int, folder: Path
) -> dict[str, str]:
    """Return the verdict of each mutant: "caught", "too slow" or "survived"."""
    waiting = list(reversed(chosen))
    running = dict[int, Run]()
    verdicts = dict[str, str]()
    looked = time.monotonic()
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant = waiting.pop()
            log = folder / f"{mutant.name.replace(':', '-')}.log"
            child = fork(mutant, test_files(mutant.module), log)
            running[child] = Run(mutant, time.monotonic(), limits[mutant.module])
        time.sleep(0.02)
        now = time.monotonic()
        looks_at_time = now - looked > 1  # it reads a file for each process of the machine
        if looks_at_time:
            looked = now
        for child, run in list(running.items()):
            ended, status = os.waitpid(child, os.WNOHANG)
            verdict = ("caught" if status else "survived") if ended else ""
            if not ended and looks_at_time and run.is_too_slow(now, group_cpu_seconds(child)):
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
                verdict = "too slow"
            if verdict:
                del running[child]
                verdicts[run.mutant.name] = verdict
                if verdict == "survived":
                    print(f"survived  {run.mutant.name}  {with_mistake(run.mutant)[1]}", flush=True)
    return verdicts


def usual_seconds(module: str, folder: Path) -> Seconds:
    """Return the duration of a module's tests.

    Raises `SystemExit` if they fail without a mistake.
    """
    began = time.monotonic()
    cpu_before = _ended_cpu_seconds()
    log = folder / f"{module.replace('/', '-')}.log"
    _, status = os.waitpid(fork(None, test_files(module), log), 0)
    if status:
        raise SystemExit(f"the tests of {module} fail as it is:\n{log.read_text()[-3000:]}")
    return Seconds(_ended_cpu_seconds() - cpu_before, time.monotonic() - began)


def _ended_cpu_seconds() -> float:
    """Return the CPU time of all child processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def pick(names: Sequence[str], sample: int, seed: int) -> dict[str, list[Mutant]]:
    """Return the mutants to test, by module.

    Raises `SystemExit` for unknown names.
    """
    chosen_mutants: dict[str, list[Mutant]] = {}
    for word in names or list(CONCERNS):
        module_name, _, number = word.partition(":")
        if module_name.endswith("/"):
            for mutant in pick_of_room(module_name, sample, seed):
                chosen_mutants.setdefault(mutant.module, []).append(mutant)
            continue
        chosen_modules = [m for m in modules() if module_name in (m, m.rpartition("/")[2])]
        if not chosen_modules:
            raise SystemExit(
                f"{module_name}: expected a module such as ui/focus, or a room such as ui/"
            )
        for module in chosen_modules:
            every = mutants(module)
            if number:
                chosen = [mutant for mutant in every if f"{mutant.name}:".startswith(f"{word}:")]
            elif 0 < sample < len(every):
                chosen = sorted(
                    random.Random(f"{seed} {module}").sample(every, sample), key=lambda m: m.line
                )
            else:
                chosen = every
            chosen_mutants.setdefault(module, []).extend(chosen)
    return chosen_mutants


def pick_of_room(room: str, sample: int, seed: int) -> list[Mutant]:
    """Return a sample of the mutants of all modules of a package, such as ``ui/``."""
    every = [mutant for name in modules() if name.startswith(room) for mutant in mutants(name)]
    if not every:
        raise SystemExit(f"{room}: expected one of {', '.join(rooms())}")
    if not 0 < sample < len(every):
        return every
    return sorted(random.Random(f"{seed} {room}").sample(every, sample))


def rooms() -> list[str]:
    """Return the packages, such as ``ui/``."""
    return sorted({f"{name.partition('/')[0]}/" for name in modules() if "/" in name})


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("modules", nargs="*", help="modules, or single mutants by their names")
    parser.add_argument(
        "--sample",
        type=int,
        default=20,
        help="mutants of each module, 0: all (default %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=1, help="which sample (default %(default)s)")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: cores)"
    )
    parser.add_argument("--least", type=float, default=0, help="fail if fewer per cent are caught")
    parser.add_argument(
        "--logs", type=Path, default=Path("/tmp/mutants"), help="folder for what the tests say"
    )
    parser.add_argument("--rooms", action="store_true", help="a sample of each room")
    options = parser.parse_args()
    if options.rooms:
        options.modules += rooms()
    options.logs.mkdir(parents=True, exist_ok=True)
    sys.path[:0] = [str(TESTS.parent), str(TESTS)]
    with warnings.catch_warnings():  # modules that every child needs, except those of the framework
        warnings.simplefilter("ignore")
        for name in (
            "numpy",
            "pytest",
            "hypothesis.stateful",
            "moderngl",
            "pyglet",
            "PIL.Image",
            "pyrr",
        ):
            importlib.import_module(name)
    chosen = pick(options.modules, options.sample, options.seed)
    limits = {module: limit_of(usual_seconds(module, options.logs)) for module in chosen}
    every = [mutant for each in chosen.values() for mutant in each]
    verdicts = {mutant.name: "unseen" for mutant in every if is_unseen(mutant)}
    tried = [mutant for mutant in every if mutant.name not in verdicts]
    verdicts |= judge(tried, limits, options.jobs, options.logs)
    print(
        f"\n{'module':24}{'mutants':>8}{'caught':>8}{'too slow':>10}{'unseen':>8}{'survived':>10}"
    )
    for module, each in chosen.items():
        row = [verdicts[mutant.name] for mutant in each]
        caught, slow, unseen, survived = map(
            row.count, ("caught", "too slow", "unseen", "survived")
        )
        print(f"{module:24}{len(row):8}{caught:8}{slow:10}{unseen:8}{survived:10}")
    alive = list(verdicts.values()).count("survived")
    share = 100 * (1 - alive / max(1, len(verdicts)))
    print(f"{len(verdicts)} mutants, {alive} survived: {share:.1f} % are caught")
    return int(share < options.least)


if __name__ == "__main__":
    sys.exit(main())
