"""Names of the framework's classes and attributes in hashes: `state_names.json` lists them.

    python tests/state_names.py           # what differs from the list, and the entry for each
    python tests/state_names.py --write   # write the list anew, of what all examples hold

The hash of a state covers these names. A name that changes without an entry in
`framework/record/stable_names.py` changes the hashes of all games, and with them those in
recordings. `--write` is for attributes that are added or removed; `hashes.SCHEME` goes up first if
a release had the old ones.
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
"""Of each class, by its name in hashes: the names in hashes of the attributes that it sets itself."""


@functools.cache
def definitions() -> dict[str, list[tuple[str, ast.ClassDef]]]:
    """The classes of the framework by their ``__qualname__``: their modules and their source."""
    found = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(["framework", *path.relative_to(PACKAGE).with_suffix("").parts])
        for name, node in _classes(ast.parse(path.read_text(encoding="utf-8")), ""):
            found[name].append((module, node))
    return dict(found)


def _classes(node: ast.AST, outer: str) -> Iterator[tuple[str, ast.ClassDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield outer + child.name, child
            yield from _classes(child, f"{outer}{child.name}.")
        elif isinstance(child, ast.If):
            yield from _classes(child, outer)


def class_of(module: str, name: str) -> type:
    """Return a class of the framework."""
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    assert isinstance(found, type)
    return found


def fields_of(cls: type) -> list[str]:
    """Return the names in hashes of the attributes that a class sets itself, and that are hashed."""
    left = attributes.unnamed(cls, "not_state", "_not_hashed") or frozenset()
    whole = [kind.base for kind in KINDS if kind.whole and issubclass(cls, kind.base)]
    seen_to = {slot for base in whole for slot in attributes.slots_of(base)}
    inherited = {name for base in cls.__mro__[1:] for name in _set_by(base)}
    names = _set_by(cls) - inherited - left - seen_to
    called = stable_names.IN_HASHES.field_names(cls)
    return sorted(called.get(name, name) for name in names if _is_kept(cls, name))


@functools.cache
def _set_by(cls: type) -> frozenset[str]:
    """The attributes that the source of a class sets on ``self``, its slots and its fields."""
    if not stable_names.is_ours(cls):
        return frozenset()
    slots = vars(cls).get("__slots__", ())
    names = {slots} if isinstance(slots, str) else {*slots}
    names |= {*vars(cls).get("_fields", ())}
    names |= vars(cls).get("__annotations__", {}).keys() if _is_dataclass(cls) else set()
    nodes = [
        node for module, node in definitions().get(cls.__qualname__, []) if module == cls.__module__
    ]
    for node in (inner for outer in nodes for inner in _own(outer)):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names |= {node.attr} if _is_self(node.value) else set()
        elif isinstance(node, ast.Call) and len(node.args) == 3:  # object.__setattr__(self, …)
            target, name, _ = node.args
            if _is_self(target) and isinstance(name, ast.Constant) and isinstance(name.value, str):
                names.add(name.value)
    return frozenset(names - {"__dict__", "__weakref__"})


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """Everything in a class but for classes within it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.ClassDef):
            yield child
            yield from _own(child)


def _is_dataclass(cls: type) -> bool:
    return "__dataclass_params__" in vars(cls)


def _is_kept(cls: type, name: str) -> bool:
    """Whether an attribute is where its name says: not a property that keeps it elsewhere."""
    found = inspect.getattr_static(cls, name, None)
    return isinstance(found, MemberDescriptorType) or not hasattr(type(found), "__set__")


def state_classes(met: Iterable[type]) -> list[type]:
    """Return those of the framework among classes that a hash met, and their bases."""
    found = {base for cls in met for base in cls.__mro__ if stable_names.is_ours(base)}
    found = {cls for cls in found if not attributes.left_alone(cls) and _set_by(cls)}
    return sorted(found, key=lambda cls: (stable_names.IN_HASHES.name_of(cls), cls.__module__))


def names_of(names: Iterable[str]) -> Names:
    """Return the list for classes of these names in hashes."""
    found = classes_by_name(sorted({*names}))
    return {name: _all_fields(classes) for name, classes in found.items()}


def _all_fields(classes: Iterable[type]) -> list[str]:
    """The names in hashes of the attributes of classes that have one name there."""
    return sorted({field for cls in classes for field in fields_of(cls)})


def listed() -> Names:
    """Return the list as it is in the file."""
    kinds: Names = json.loads(LIST.read_text(encoding="utf-8"))["kinds"]
    return kinds


def classes_by_name(names: Iterable[str]) -> dict[str, list[type]]:
    """Return the classes of these names in hashes; none for one that is gone."""
    now = defaultdict(list)
    for today in definitions():
        now[stable_names.KINDS.get(today, today)].append(today)
    found: dict[str, list[type]] = {}
    for name in names:
        classes = [class_of(m, today) for today in now[name] for m, _ in definitions()[today]]
        found[name] = [cls for cls in classes if state_classes([cls])]
    return found


def differences(names: Names) -> list[str]:
    """Return how today's classes differ from ``names``, and what mends it."""
    said = []
    for name, classes in classes_by_name(names).items():
        if not classes:
            said.append(
                f"{name}: there is no such class any longer. If it was renamed, add to KINDS in "
                f'{TABLE}:  "NewName": "{name}",  otherwise see below'
            )
        elif _all_fields(classes) != names[name]:
            said += _difference(name, names[name], _all_fields(classes))
    return said


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


def unlisted(met: Iterable[type]) -> list[str]:
    """Return the names of classes that a hash met, and that are not in the list."""
    names = listed()
    return [
        f"{stable_names.IN_HASHES.name_of(cls)}: {cls.__module__} has this class in states, and it is not "
        "listed; see below"
        for cls in state_classes(met)
        if stable_names.IN_HASHES.name_of(cls) not in names
    ]


def advice(said: list[str]) -> str:
    """Return what is printed of differences."""
    below = (
        f"What was added or removed changes hashes: raise SCHEME in framework/record/hashes.py, "
        f"unless no release has scheme {SCHEME} yet, and run  {COMMAND}"
    )
    return "\n".join([*said, below]) if said else ""


def _met_by_examples() -> list[type]:
    """Play all examples, and return the classes that their hashes met."""
    from test_goldens import examples, played

    from framework.record import walk

    for path in examples():
        played(path)
    return [*walk._hashed]


def write(met: Iterable[type]) -> None:
    """Write the list: of classes that were met, and of those listed that are still there."""
    known = listed() if LIST.exists() else {}
    still = [name for name, classes in classes_by_name(known).items() if classes]
    names = names_of([*map(stable_names.IN_HASHES.name_of, state_classes(met)), *still])
    lines = [f"    {json.dumps(name)}: {json.dumps(fields)}" for name, fields in names.items()]
    text = f'{{\n  "scheme": {SCHEME},\n  "kinds": {{\n' + ",\n".join(lines) + "\n  }\n}\n"
    LIST.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    if "--write" in sys.argv[1:]:
        write(_met_by_examples())
    else:
        print(advice(differences(listed()) + unlisted(_met_by_examples())) or "nothing differs")
