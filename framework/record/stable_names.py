"""The old names of renamed classes and attributes, which hashes and saves keep using.

State hashes contain the names of classes, functions and attributes, and saves contain the names of
classes and attributes. Because the tables in this module map each new name to the old one, a rename
does not change any hash, and newer versions can load older saves. The tables do not contain the
classes of a game: for these classes, hashes and saves use the current names.

Run `tests/state_names.py` to print the differences between the current names and
`state_names.json`. A test fails if you rename a class or attribute without adding the old name to a
table.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import FunctionType

KINDS: Mapping[str, str] = {
    "ActionDevices": "Hands",
    "ActionInput": "Source",
    "AgentActions": "Actions",
    "AnimationPlayback": "Playback",
    "AnimationTrack": "Track",
    "AttributeTarget": "AttributeAim",
    "AudioCapture": "Capture",
    "BodyAttribute": "Channel",
    "BodyMaterial": "Material",
    "BodyRow": "Row",
    "Bus": "Group",
    "Buses": "Groups",
    "CameraBase": "Viewpoint",
    "ColumnTarget": "ColumnAim",
    "ConditionWait": "Until",
    "ConvexShapes": "Shapes",
    "DecodedSource": "Clip",
    "EventWait": "Heard",
    "FocusTracker": "Attention",
    "FrameMoment": "Moment",
    "Frontend": "Face",
    "Gamepad": "Pad",
    "Gamepads": "Pads",
    "ImageFile": "Picture",
    "ImageLayer": "PictureLayer",
    "InputDevices": "Desk",
    "InputHandler": "Reactions",
    "InputSource": "Source",
    "JumpTimer": "Jumps",
    "Light2D": "Lamp",
    "LookupTable": "Table",
    "MapObject": "MapThing",
    "MappedPoses2D": "PoseTable2D",
    "MixerTrack": "Track",
    "MovingBoxes": "Bodies",
    "ObjectData": "MapObject",
    "OverlapTracker": "Meetings",
    "ParallaxLayer": "Placed",
    "ParticleMotion": "Flight",
    "ParticleRows": "Births",
    "PlayingAnimation": "Playing",
    "ProgressBar": "Bar",
    "RandomStreams": "Streams",
    "ResumeMoment": "Moment",
    "SceneBackend": "SceneWorks",
    "SceneDrawables": "Contents",
    "ScreenMapping": "View",
    "ShaderSource": "Source",
    "ShapeWalls": "Shapes",
    "SolidFrontend": "SolidFace",
    "SpawnOptions": "Spray",
    "SpriteSegments": "Segments",
    "StateMachine": "States",
    "TrailPositions": "Track",
    "TweenTrack": "Track",
    "VertexSprites": "HookedSprites",
    "WidgetNode": "Seat",
}
"""A dict from the current names of renamed classes and functions to the old names, which hashes
contain.
"""

FIELDS: Mapping[str, Mapping[str, str]] = {
    "ArrayGame": {"rendered_row": "shown"},
    "Attention": {"hovered": "hot"},
    "BodySet": {"_has_forces": "_pushed", "all_rows": "every"},
    "Button": {"_on_press": "_pressed"},
    "Channel": {"engine_values": "told", "stable_name": "name"},
    "Credits": {"_on_end": "_ended"},
    "Emitter": {"_emitting": "_on"},
    "Extrapolation": {"blend_duration": "blend_time"},
    "FlowField": {"_costs": "_far"},
    "Fly": {"_look_button": "_look"},
    "FollowAll": {"_max_zoom": "_closest", "_min_zoom": "_farthest"},
    "Interface": {"frontend": "face"},
    "Label": {"_visible_characters": "_shown"},
    "Lines": {"_on_top": "_over"},
    "Loading": {"_jobs": "_prepare", "_on_end": "_done", "_on_result": "_ready"},
    "Meetings": {"exited": "left"},
    "Menu": {"_closable": "_closes"},
    "Plan": {"duration": "length", "targets": "aims"},
    "Reactions": {"view_size": "picture"},
    "Scene": {"_backend": "_works", "opaque": "hides_below"},
    "Simulation": {
        "_key_count": "_keys",
        "has_velocities": "moving",
    },
    "SceneWorks": {"drawables": "contents"},
    "Settings": {"_buses": "_groups", "_on_close": "_changed"},
    "Shapes": {"value": "given"},
    "SpriteWalls": {"value": "given"},
    "States": {"_requested": "_wanted", "previous": "before"},
    "Table": {"angular_velocity": "spin"},
    "TextBatch": {"_font_size": "_size"},
    "TextField": {"on_submit": "entered", "on_edit": "edited"},
    "TextLabel": {"_font_size": "_letters"},
    "TileWalls": {"value": "given"},
    "Track": {"last_position": "place_heard"},
    "Trail": {"_duration": "_length"},
    "Until": {"value": "found"},
    "View": {"_mouse_handler": "_listener"},
    "Views": {"_drawables": "_contents"},
    "Widget": {"_action": "action", "_node": "_seat"},
    "_Ground": {"_is_free": "_walk", "_prices": "_price"},
    "_Poses": {"gradient_to": "end_color", "stroke_color": "edge_color"},
}
"""The names of renamed attributes in hashes.

The keys of the dict are names of classes, as in hashes. Each value is a dict from the current names
of attributes to the old names. For a local variable that an inner function uses, the key is the
name of the outer function. For a column, the key is the class of the table.
"""

FILE_KINDS: Mapping[str, str] = {
    "StateMachine": "States",
}
"""A dict from the current names of renamed classes to the old names, which saves contain. Never
remove an entry, because old saves need all entries.
"""

FILE_FIELDS: Mapping[str, Mapping[str, str]] = {
    "Batch": {"angular_velocity": "spin"},
    "Camera2D": {"angle": "rotation"},
    "Camera3D": {"ortho_height": "height"},
    "Reactions": {"view_size": "picture"},
    "Scene": {"opaque": "hides_below"},
    "Shapes": {"gradient_to": "end_color", "stroke_color": "edge_color"},
    "States": {"previous": "before"},
    "View": {"_mouse_handler": "_listener"},
}
"""The names of renamed attributes and columns in saves. Never remove an entry, because old saves
need all entries.

The keys of the dict are names of classes, as in saves. Each value is a dict from the current names
of attributes to the old names.
"""


def is_ours(kind: type | FunctionType) -> bool:
    """Return whether a class or a function belongs to the framework."""
    return (kind.__module__ or "").startswith("framework.")


@dataclass(eq=False)
class StableNames:
    """Looks up the stable names of classes and attributes, which hashes and saves contain. The
    stable name of a renamed class or attribute is its old name. All others have their current name
    as stable name.
    """

    kinds: Mapping[str, str]
    """A dict from the current names of renamed classes and functions to their old names."""
    fields: Mapping[str, Mapping[str, str]]
    """The renamed attributes of each class. The keys of the dict are classes. Each value is a dict
    from current names to old names.
    """

    def name_of(self, kind: type | FunctionType) -> str:
        """Return the stable name of a class or a function."""
        name = kind.__qualname__
        old = self.kinds.get(name)
        return name if old is None or not is_ours(kind) else old

    @functools.cache  # noqa: B019  (its two objects are never freed)
    def field_names(self, kind: type) -> Mapping[str, str]:
        """Return the renamed attributes and columns of a class, as a dict from current names to
        stable names.
        """
        names: dict[str, str] = {}
        for base in reversed(kind.__mro__):
            if is_ours(base):
                names |= self.fields.get(self.name_of(base), {})
        return names

    @functools.cache  # noqa: B019
    def fields_by_name(self, kind: type) -> Mapping[str, str]:
        """Return the renamed attributes and columns of a class, as a dict from stable names to
        current names.
        """
        return {name: field for field, name in self.field_names(kind).items()}


IN_HASHES = StableNames(KINDS, FIELDS)
IN_FILES = StableNames(FILE_KINDS, FILE_FIELDS)
