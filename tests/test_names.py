"""The public names of the package: their module, their docstrings and their pages."""

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


def problem_of(name: str) -> str:
    """Return the fault of a public name, or ""."""
    value = getattr(fw, name)
    if name not in dir(fw):
        return "is not told of by dir"
    if inspect.ismodule(value):
        if not value.__name__.endswith(f"{fw._HOMES[name]}.{name}"):
            return f"is {value.__name__}"
        return "" if inspect.getdoc(value) else "has no docstring"
    home = importlib.import_module(fw._HOMES[name], "framework")
    if value is not getattr(home, name):
        return "is another thing in its home"
    # a constant has its text below the assignment
    if name.isupper() and not inspect.isclass(value):
        match = re.search(rf'^{name} = .*\n"""\w', inspect.getsource(home), re.MULTILINE)
        return "" if match else "has no text below it"
    # the module that defines the object, not a module that imports it
    if value.__module__ != home.__name__:
        return f"is of {value.__module__}"
    return "" if inspect.getdoc(value) else "has no docstring"


def test_every_public_name_resolves_and_has_a_docstring() -> None:
    assert {name: fault for name in fw.__all__ if (fault := problem_of(name))} == {}


DRIVEN = {"touch", *(name for name in vars(fw.Drawable) if not name.startswith("_"))}
"""Methods that only the game calls. Their docstrings are in `Drawable`."""


def undocumented(kind: type) -> set[str]:
    """Return the public methods and properties of a class that have no docstring."""
    described = {
        member
        for member, value in vars(kind).items()
        if member[0] != "_"
        and (inspect.isfunction(value) or inspect.isdatadescriptor(value))
        and not inspect.ismemberdescriptor(value)
        and not isinstance(value, Absent)
    }
    members = {member: getattr(kind, member) for member in described - DRIVEN}
    return {
        member for member, value in members.items() if value is None or not inspect.getdoc(value)
    }


def test_every_public_method_and_property_has_a_docstring() -> None:
    kinds = {name: value for name in fw._HOMES if inspect.isclass(value := getattr(fw, name))}
    assert len(kinds) > 100
    assert {name: missing for name, kind in kinds.items() if (missing := undocumented(kind))} == {}


def test_the_stub_re_exports_every_public_name() -> None:
    tree = ast.parse(INIT.with_suffix(".pyi").read_text(encoding="utf-8"))
    aliases = [
        alias for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    assert all(
        alias.asname == alias.name for alias in aliases
    )  # type checkers in strict mode need `as`
    assert [alias.name for alias in aliases] == fw.__all__
    assert len(set(fw.__all__)) == len(fw.__all__)


def test_an_unknown_name_is_an_attribute_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match="module 'framework' has no attribute 'Spirte'"):
        _ = fw.Spirte  # type: ignore[attr-defined]


def test_the_keys_of_pyglet_are_available() -> None:
    assert (fw.key.SPACE, fw.key.A, fw.mouse.LEFT) == (32, 97, 1)


def test_importing_the_package_imports_no_large_package() -> None:
    code = (
        "import sys, framework; print(sorted({'pyglet', 'moderngl', 'numpy', 'PIL', "
        "'pyrr'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_a_star_import_brings_every_name() -> None:
    code = (
        "from framework import *; import framework; print(all(name in globals() for name "
        "in framework.__all__))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "True"


# -- modules ---------------------------------------------------------------------------------------


PUBLIC_MODULES = [name for name in fw.__all__ if inspect.ismodule(getattr(fw, name))]


def names_on_the_page() -> dict[str, set[str]]:
    """Return the names in the second column of the table in docs/modules.md, by module."""
    page = INIT.parent.parent / "docs" / "modules.md"
    rows = re.findall(r"(?m)^\| `fw\.(\w+)` \| (.*?) \|", page.read_text("utf-8"))
    return {module: set(re.findall(r"`(\w+)`", names)) for module, names in rows}


def test_the_page_on_modules_has_all_modules() -> None:
    assert sorted(names_on_the_page()) == sorted(PUBLIC_MODULES)


@pytest.mark.parametrize("name", PUBLIC_MODULES)
def test_a_public_module_offers_the_names_on_its_page_and_no_others(name: str) -> None:
    module = getattr(fw, name)
    classes = {public for public, home in fw._HOMES.items() if home.endswith(f".{name}")}
    public = set(module.__all__) - classes
    written = names_on_the_page()[name]
    if name == "key":  # from pyglet: the page has only some of the names
        assert written <= public
        public = {public_name for public_name in public if not public_name.isupper()} | (
            written & public
        )
    elif name == "art":
        public -= set(module.names())
    assert public == written
    assert sorted(dir(module)) == sorted(module.__all__)
    assert {
        public_name for public_name in module.__all__ if not hasattr(module, public_name)
    } == set()


@pytest.mark.parametrize("home", sorted(set(fw._HOMES.values())))
def test_all_of_a_module_has_its_public_names(home: str) -> None:
    module = importlib.import_module(home, "framework")
    stub_names = {name for name, where in fw._HOMES.items() if where == home}
    if any(inspect.ismodule(getattr(fw, name)) for name in stub_names):
        return  # a package whose modules are public
    if module in [getattr(fw, name) for name in PUBLIC_MODULES]:
        assert stub_names <= set(module.__all__)
    else:
        assert stub_names == set(module.__all__)


def test_tab_completion_offers_only_public_names() -> None:
    code = (
        "import framework as fw\n"
        "fw.Game, fw.exact\n"  # which load rooms, and these become attributes
        "print(sorted({*dir(fw)} - {*fw.__all__, '__version__'}))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
