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

INIT = Path(fw.__file__)


@pytest.mark.parametrize("name", fw.__all__)
def test_every_public_name_resolves_and_has_a_docstring(name: str) -> None:
    thing = getattr(fw, name)
    assert name in dir(fw)
    if name in fw._HOMES:
        home = importlib.import_module(f"framework.{fw._HOMES[name]}")
        assert thing is getattr(home, name)
        if name.isupper():  # a constant: the text below it
            assert re.search(rf'^{name} = .*\n"""\w', inspect.getsource(home), re.MULTILINE)
            return
        assert thing.__module__ == home.__name__  # its home, not a place that imports it too
    assert inspect.getdoc(thing)


DRIVEN = {"touch", *(name for name in vars(fw.Drawable) if not name.startswith("_"))}
"""Methods that only the game calls; `Drawable` says what they do."""


@pytest.mark.parametrize("name", [name for name in fw._HOMES if inspect.isclass(getattr(fw, name))])
def test_every_public_method_says_what_it_does(name: str) -> None:
    thing = getattr(fw, name)
    methods = {member for member, value in vars(thing).items() if inspect.isfunction(value) and member[0] != "_"}
    assert {member for member in methods - DRIVEN if not inspect.getdoc(getattr(thing, member))} == set()


def test_names_for_type_checkers_and_names_at_run_time_agree() -> None:
    tree = ast.parse(INIT.read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    assert ast.unparse(block.test) == "TYPE_CHECKING"
    homes, passed_on = {}, []
    for statement in block.body:
        assert isinstance(statement, ast.ImportFrom)
        for alias in statement.names:
            assert alias.asname == alias.name  # `as` itself: re-exported, for type checkers in strict mode
            if statement.level:
                homes[alias.name] = statement.module
            else:
                assert statement.module == "pyglet.window"
                passed_on.append(alias.name)
    assert homes == fw._HOMES
    assert tuple(passed_on) == fw._PYGLET
    assert sorted(fw.__all__) == sorted([*homes, *passed_on])
    assert len(set(fw.__all__)) == len(fw.__all__)


def test_an_unknown_name_is_an_attribute_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match="module 'framework' has no attribute 'Spirte'"):
        _ = fw.Spirte  # type: ignore[attr-defined]


def test_pyglets_keys_are_passed_on() -> None:
    assert (fw.key.SPACE, fw.key.A, fw.mouse.LEFT) == (32, 97, 1)


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, framework; print(sorted({'pyglet', 'moderngl', 'numpy', 'PIL', 'pyrr'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_star_import_brings_every_name() -> None:
    code = "from framework import *; import framework; print(all(name in globals() for name in framework.__all__))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
