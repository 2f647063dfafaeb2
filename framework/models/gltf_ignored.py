"""Find the features of a glTF file that a `Model` ignores, and warn about each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

Json = dict[str, Any]

_POINTS = 0
_LINES = (1, 2, 3)

# Extensions of materials that the reader ignores. Each value contains the name of the feature, and
# the settings that have no effect on the material. Exporters often write such settings.
_MATERIALS: dict[str, tuple[str, Json]] = {
    "clearcoat": ("clearcoat", {"clearcoatFactor": 0}),
    "transmission": ("transmission", {"transmissionFactor": 0}),
    "volume": ("volume", {"thicknessFactor": 0}),
    "sheen": ("sheen", {"sheenColorFactor": [0, 0, 0]}),
    "anisotropy": ("anisotropy", {"anisotropyStrength": 0}),
    "iridescence": ("iridescence", {"iridescenceFactor": 0}),
    "dispersion": ("dispersion", {"dispersion": 0}),
    "ior": ("index of refraction", {"ior": 1.5}),
    "specular": (
        "specular factors",
        {
            "specularFactor": 1,
            "specularColorFactor": [1, 1, 1],
            "specularTexture": None,
            "specularColorTexture": None,
        },
    ),
}


def ignored_features(json: Json) -> list[str]:
    """Return a message for each feature of the file that a `Model` ignores. The returned list
    contains each message only once.

    Each message is the end of a sentence that begins with "The model 'name'". The function skips
    values of the wrong type, because the reader raises an error for them.
    """
    return list(
        dict.fromkeys([*_of_nodes(json), *_of_meshes(json), *_of_materials(json), *_of_file(json)])
    )


def _of_nodes(json: Json) -> Iterator[str]:
    nodes = _objects(json, "nodes")
    lights = sum("KHR_lights_punctual" in _extensions(node) for node in nodes)
    if lights:
        yield (
            f"is drawn without its {_counted(lights, 'light')} (KHR_lights_punctual): "
            "add fw.Light3D objects to world.lights"
        )
    cameras = sum("camera" in node for node in nodes)
    if cameras:
        yield f"is loaded without its {_counted(cameras, 'camera')}: set world.camera instead"


def _of_meshes(json: Json) -> Iterator[str]:
    primitives = [
        primitive for mesh in _objects(json, "meshes") for primitive in _objects(mesh, "primitives")
    ]
    points = sum(primitive.get("mode") == _POINTS for primitive in primitives)
    if points:
        yield (
            f"is drawn without its points ({_counted(points, 'primitive')}): export triangles, or "
            "use fw.Billboards"
        )
    lines = sum(primitive.get("mode") in _LINES for primitive in primitives)
    if lines:
        yield (
            f"is drawn without its lines ({_counted(lines, 'primitive')}): export triangles, or "
            "use fw.Lines"
        )
    if any("JOINTS_1" in _object(primitive, "attributes") for primitive in primitives):
        yield "is drawn with four joints at each vertex, of more: export it with at most four"


def _of_materials(json: Json) -> Iterator[str]:
    for material in _objects(json, "materials"):
        extensions = _extensions(material)
        for key, (feature, neutral) in _MATERIALS.items():
            name = f"KHR_materials_{key}"
            values = extensions.get(name)
            if isinstance(values, dict) and any(
                values.get(option, default) != default for option, default in neutral.items()
            ):
                yield f"is drawn without the {feature} of its materials ({name})"
        name = "KHR_materials_pbrSpecularGlossiness"
        if name in extensions and not material.get("pbrMetallicRoughness"):
            yield (
                f"is drawn without the specular color and the glossiness of its materials ({name}): "
                "export it with metallic-roughness materials"
            )


def _of_file(json: Json) -> Iterator[str]:
    if "KHR_materials_variants" in _extensions(json):
        yield "is drawn without its variants (KHR_materials_variants), with its default materials"
    scenes = len(_objects(json, "scenes"))
    if scenes > 1:
        yield f"is drawn with one of its {scenes:,} scenes: export each scene as a file"
    channels = [
        channel
        for animation in _objects(json, "animations")
        for channel in _objects(animation, "channels")
    ]
    if any("node" not in _object(channel, "target") for channel in channels):
        yield "is loaded without its animations of materials, lights or cameras"
    count, first = _extras(json)
    if count:
        yield (
            f"is loaded without its extras, which are custom properties: {_counted(count, 'object')} "
            f"with extras, the first is {first}"
        )


def _extras(json: Json) -> tuple[int, str]:
    """Return the number of objects with custom properties ("extras"), and the path of the first
    such object in the file.

    The names of morph targets are not counted, although they are stored in "extras".
    """
    count = 0
    first = ""
    for kind in ("scenes", "nodes", "meshes", "materials", "animations"):
        for index, item in enumerate(_objects(json, kind)):
            extras = item.get("extras")
            names = extras if isinstance(extras, dict) else {}
            if extras and set(names) != {"targetNames"}:
                first = first or f"{kind}[{index}]"
                count += 1
    return count, first


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _object(holder: Json, key: str) -> Json:
    value = holder.get(key)
    return value if isinstance(value, dict) else {}


def _extensions(holder: Json) -> Json:
    return _object(holder, "extensions")


def _objects(holder: Json, key: str) -> list[Json]:
    values: object = holder.get(key)
    items: Iterable[object] = values if isinstance(values, list) else ()
    return [item for item in items if isinstance(item, dict)]
