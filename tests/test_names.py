"""The public names: where they live, that they are there, and that each says what it is."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import framework as fw
from framework.moved_names import Absent

INIT = Path(fw.__file__)


def fault_of(name: str) -> str:
    """What a public name lacks, or nothing."""
    thing = getattr(fw, name)
    if name not in dir(fw):
        return "is not told of by dir"
    if inspect.ismodule(thing):
        if not thing.__name__.endswith(f"{fw._HOMES[name]}.{name}"):
            return f"is {thing.__name__}"
        return "" if inspect.getdoc(thing) else "has no docstring"
    home = importlib.import_module(fw._HOMES[name], "framework")
    if thing is not getattr(home, name):
        return "is another thing in its home"
    if name.isupper() and not inspect.isclass(thing):  # a constant: the text below it
        said = re.search(rf'^{name} = .*\n"""\w', inspect.getsource(home), re.MULTILINE)
        return "" if said else "has no text below it"
    if thing.__module__ != home.__name__:  # its home, not a place that imports it too
        return f"is of {thing.__module__}"
    return "" if inspect.getdoc(thing) else "has no docstring"


def test_every_public_name_resolves_and_has_a_docstring() -> None:
    assert {name: fault for name in fw.__all__ if (fault := fault_of(name))} == {}


DRIVEN = {"touch", *(name for name in vars(fw.Drawable) if not name.startswith("_"))}
"""Methods that only the game calls; `Drawable` says what they do."""


def unsaid(kind: type) -> set[str]:
    """Public methods and properties of a class that do not say what they do."""
    described = {
        member
        for member, value in vars(kind).items()
        if member[0] != "_"
        and (inspect.isfunction(value) or inspect.isdatadescriptor(value))
        and not inspect.ismemberdescriptor(value)
        and not isinstance(value, Absent)
    }
    shown = {member: getattr(kind, member) for member in described - DRIVEN}
    return {member for member, value in shown.items() if value is None or not inspect.getdoc(value)}


def test_every_public_method_and_property_says_what_it_does() -> None:
    kinds = {name: thing for name in fw._HOMES if inspect.isclass(thing := getattr(fw, name))}
    assert len(kinds) > 100
    assert {name: found for name, kind in kinds.items() if (found := unsaid(kind))} == {}


def test_every_name_of_the_stub_is_found_and_re_exported() -> None:
    tree = ast.parse(INIT.with_suffix(".pyi").read_text(encoding="utf-8"))
    aliases = [
        alias for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    assert all(
        alias.asname == alias.name for alias in aliases
    )  # `as` itself: for type checkers in strict mode
    assert [alias.name for alias in aliases] == fw.__all__
    assert len(set(fw.__all__)) == len(fw.__all__)


def test_an_unknown_name_is_an_attribute_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match="module 'framework' has no attribute 'Spirte'"):
        _ = fw.Spirte  # type: ignore[attr-defined]


def test_pyglets_keys_are_passed_on() -> None:
    assert (fw.key.SPACE, fw.key.A, fw.mouse.LEFT) == (32, 97, 1)


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = (
        "import sys, framework; print(sorted({'pyglet', 'moderngl', 'numpy', 'PIL', "
        "'pyrr'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_star_import_brings_every_name() -> None:
    code = (
        "from framework import *; import framework; print(all(name in globals() for name "
        "in framework.__all__))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


# -- modules ---------------------------------------------------------------------------------------


PUBLIC_MODULES = [name for name in fw.__all__ if inspect.ismodule(getattr(fw, name))]


def names_on_the_page() -> dict[str, set[str]]:
    """The names in the second column of the table in docs/modules.md, by module."""
    page = INIT.parent.parent / "docs" / "modules.md"
    rows = re.findall(r"(?m)^\| `fw\.(\w+)` \| (.*?) \|", page.read_text("utf-8"))
    return {module: set(re.findall(r"`(\w+)`", names)) for module, names in rows}


def test_the_page_on_modules_has_them_all() -> None:
    assert sorted(names_on_the_page()) == sorted(PUBLIC_MODULES)


@pytest.mark.parametrize("name", PUBLIC_MODULES)
def test_a_public_module_offers_the_names_on_its_page_and_no_others(name: str) -> None:
    module = getattr(fw, name)
    classes = {public for public, home in fw._HOMES.items() if home.endswith(f".{name}")}
    public = set(module.__all__) - classes
    written = names_on_the_page()[name]
    if name == "key":  # pyglet's, of which the page names a few
        assert written <= public
        public = {found for found in public if not found.isupper()} | (written & public)
    elif name == "art":
        public -= set(module.names())
    assert public == written
    assert sorted(dir(module)) == sorted(module.__all__)
    assert {found for found in module.__all__ if not hasattr(module, found)} == set()


@pytest.mark.parametrize("home", sorted(set(fw._HOMES.values())))
def test_a_module_with_public_names_says_which(home: str) -> None:
    module = importlib.import_module(home, "framework")
    of_the_stub = {name for name, where in fw._HOMES.items() if where == home}
    if any(inspect.ismodule(getattr(fw, name)) for name in of_the_stub):
        return  # a room, whose modules are public
    if module in [getattr(fw, name) for name in PUBLIC_MODULES]:
        assert of_the_stub <= set(module.__all__)
    else:
        assert of_the_stub == set(module.__all__)


def test_tab_offers_public_names_alone() -> None:
    code = (
        "import framework as fw\n"
        "fw.Game, fw.exact\n"  # which load rooms, and these become attributes
        "print(sorted({*dir(fw)} - {*fw.__all__, '__version__'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
