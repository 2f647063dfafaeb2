"""Names of the framework's classes and attributes in hashes: `state_names.json` lists them.

    python tests/state_names.py           # print the differences, with an entry for each
    python tests/state_names.py --write   # write the list again, from the states of all examples

The hash of a state covers these names. A name that changes without an entry in
`framework/record/stable_names.py` changes the hashes of all games, and of all recordings.
`--write` is for added or removed attributes. Raise `hashes.SCHEME` first if a release had the old
names.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import MemberDescriptorType
from typing import Any

import framework
from framework.record import attributes, stable_names
from framework.record.hashes import SCHEME
from framework.record.kinds import KINDS

PACKAGE = Path(framework.__file__).parent
LIST = Path(__file__).with_suffix(".json")
TABLE = "framework/record/stable_names.py"
COMMAND = "python tests/state_names.py --write"

Names = dict[str, list[str]]
"""By the name of a class in hashes: the names in hashes of the attributes that the class sets."""


@functools.cache
def definitions() -> dict[str, list[tuple[str, ast.ClassDef]]]:
    """Return the modules and the source of the framework's classes, by ``__qualname__``."""
    classes = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(["framework", *path.relative_to(PACKAGE).with_suffix("").parts])
        for name, node in _classes(ast.parse(path.read_text(encoding="utf-8")), ""):
            classes[name].append((module, node))
    return dict(classes)


def _classes(node: ast.AST, outer: str) -> Iterator[tuple[str, ast.ClassDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield outer + child.name, child
            yield from _classes(child, f"{outer}{child.name}.")
        elif isinstance(child, ast.If):
            yield from _classes(child, outer)


def class_of(module: str, name: str) -> type:
    """Return a class of the framework."""
    result: Any = importlib.import_module(module)
    for part in name.split("."):
        result = getattr(result, part)
    assert isinstance(result, type)
    return result


def fields_of(cls: type) -> list[str]:
    """Return the names in hashes of the hashed attributes that a class sets itself."""
    excluded = attributes.unnamed(cls, "not_state", "_not_hashed") or frozenset()
    kinds = [kind.base for kind in KINDS if kind.whole and issubclass(cls, kind.base)]
    slots = {slot for base in kinds for slot in attributes.slots_of(base)}
    inherited = {name for base in cls.__mro__[1:] for name in _set_by(base)}
    names = _set_by(cls) - inherited - excluded - slots
    names_in_hashes = stable_names.IN_HASHES.field_names(cls)
    return sorted(names_in_hashes.get(name, name) for name in names if _is_stored(cls, name))


@functools.cache
def _set_by(cls: type) -> frozenset[str]:
    """Return the attributes that the source of a class sets on ``self``, its slots and its fields."""
    if not stable_names.is_ours(cls):
        return frozenset()
    slots = vars(cls).get("__slots__", ())
    names = {slots} if isinstance(slots, str) else {*slots}
    names |= {*vars(cls).get("_fields", ())}
    names |= vars(cls).get("__annotations__", {}).keys() if _is_dataclass(cls) else set()
    nodes = [
        node for module, node in definitions().get(cls.__qualname__, []) if module == cls.__module__
    ]
    for node in (inner for outer in nodes for inner in _own_nodes(outer)):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names |= {node.attr} if _is_self(node.value) else set()
        elif isinstance(node, ast.Call) and len(node.args) == 3:  # object.__setattr__(self, …)
            target, name, _ = node.args
            if _is_self(target) and isinstance(name, ast.Constant) and isinstance(name.value, str):
                names.add(name.value)
    return frozenset(names - {"__dict__", "__weakref__"})


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Return all syntax nodes of a class except the classes within it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.ClassDef):
            yield child
            yield from _own_nodes(child)


def _is_dataclass(cls: type) -> bool:
    return "__dataclass_params__" in vars(cls)


def _is_stored(cls: type, name: str) -> bool:
    """Whether an attribute stores its value under its own name, unlike a property."""
    attribute = inspect.getattr_static(cls, name, None)
    return isinstance(attribute, MemberDescriptorType) or not hasattr(type(attribute), "__set__")


def state_classes(hashed: Iterable[type]) -> list[type]:
    """Return the framework's classes, and their bases, among classes that were hashed."""
    classes = {base for cls in hashed for base in cls.__mro__ if stable_names.is_ours(base)}
    classes = {cls for cls in classes if not attributes.left_alone(cls) and _set_by(cls)}
    return sorted(classes, key=lambda cls: (stable_names.IN_HASHES.name_of(cls), cls.__module__))


def names_of(names: Iterable[str]) -> Names:
    """Return the list for classes of these names in hashes."""
    classes = classes_by_name(sorted({*names}))
    return {name: _all_fields(classes) for name, classes in classes.items()}


def _all_fields(classes: Iterable[type]) -> list[str]:
    """Return the attributes, by their names in hashes, of all classes with one name there."""
    return sorted({field for cls in classes for field in fields_of(cls)})


def listed() -> Names:
    """Return the list from the file."""
    kinds: Names = json.loads(LIST.read_text(encoding="utf-8"))["kinds"]
    return kinds


def classes_by_name(names: Iterable[str]) -> dict[str, list[type]]:
    """Return the classes of these names in hashes. A removed class has an empty list."""
    now = defaultdict(list)
    for today in definitions():
        now[stable_names.KINDS.get(today, today)].append(today)
    result: dict[str, list[type]] = {}
    for name in names:
        classes = [class_of(m, today) for today in now[name] for m, _ in definitions()[today]]
        result[name] = [cls for cls in classes if state_classes([cls])]
    return result


def differences(names: Names) -> list[str]:
    """Return the differences between today's classes and ``names``, and how to repair each."""
    messages = []
    for name, classes in classes_by_name(names).items():
        if not classes:
            messages.append(
                f"{name}: there is no such class any longer. If it was renamed, add to KINDS in "
                f'{TABLE}:  "NewName": "{name}",  otherwise see below'
            )
        elif _all_fields(classes) != names[name]:
            messages += _difference(name, names[name], _all_fields(classes))
    return messages


def _difference(name: str, before: list[str], today: list[str]) -> Iterator[str]:
    gone = [field for field in before if field not in today]
    new = [field for field in today if field not in before]
    for old in gone:
        entry = f'"{name}": {{"{new[0] if len(new) == 1 else "new_name"}": "{old}"}},'
        more = f"; new are {', '.join(new)}" if new else ""
        yield (
            f"{name}.{old}: the attribute is gone{more}. If it was renamed, add to FIELDS in "
            f"{TABLE}:  {entry}  otherwise see below"
        )
    if not gone:
        yield f"{name}: new are {', '.join(new)}; see below"


def unlisted(hashed: Iterable[type]) -> list[str]:
    """Return the names of hashed classes that are not in the list."""
    names = listed()
    return [
        f"{stable_names.IN_HASHES.name_of(cls)}: {cls.__module__} has this class in states, and it is not "
        "listed; see below"
        for cls in state_classes(hashed)
        if stable_names.IN_HASHES.name_of(cls) not in names
    ]


def advice(messages: list[str]) -> str:
    """Return the text to print for differences."""
    below = (
        f"What was added or removed changes hashes: raise SCHEME in framework/record/hashes.py, "
        f"unless no release has scheme {SCHEME} yet, and run  {COMMAND}"
    )
    return "\n".join([*messages, below]) if messages else ""


def _hashed_by_examples() -> list[type]:
    """Play all examples, and return the classes that were hashed."""
    from test_goldens import examples, final_hash

    from framework.record import walk

    for path in examples():
        final_hash(path)
    return [*walk._hashed]


def write(hashed: Iterable[type]) -> None:
    """Write the list, with the hashed classes and the listed classes that still exist."""
    known = listed() if LIST.exists() else {}
    still = [name for name, classes in classes_by_name(known).items() if classes]
    names = names_of([*map(stable_names.IN_HASHES.name_of, state_classes(hashed)), *still])
    lines = [f"    {json.dumps(name)}: {json.dumps(fields)}" for name, fields in names.items()]
    text = f'{{\n  "scheme": {SCHEME},\n  "kinds": {{\n' + ",\n".join(lines) + "\n  }\n}\n"
    LIST.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    if "--write" in sys.argv[1:]:
        write(_hashed_by_examples())
    else:
        print(advice(differences(listed()) + unlisted(_hashed_by_examples())) or "nothing differs")
