"""The tables on the pages "Coming from …": each name of Subtick in the tables exists."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework import collide, exact, paths, quaternions
from framework.motion.state_machine import StateMachine
from framework.other_engines.other_names import OtherName
from framework.other_engines.other_options import _HOOKS
from framework.physics.bodysets import Bodies
from framework.physics.characters import Character
from framework.timing.schedule import Task

pytestmark = pytest.mark.repository

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(set(DOCS.glob("from_*.md")) - {DOCS / "from_arcade.md"})


def rows(page: Path) -> list[list[str]]:
    """Return the cells of each row of a page's table of names."""
    table = [line for line in page.read_text("utf-8").splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in table[1:]]


def spans(page: Path) -> Iterator[str]:
    """Yield the code of the second column."""
    for cells in rows(page):
        yield from re.findall(r"`([^`]+)`", cells[1])


@pytest.fixture(scope="module")
def owners() -> Iterator[dict[str, Any]]:
    """Map the variables of the tables to objects or classes."""
    with fw.Game(drawing=False) as game:
        image = np.full((8, 8, 4), 255, np.uint8)
        sprites = game.add(fw.SpriteBatch(image, 1, columns={"hp": 3, "velocity": (0, 0)}))
        meshes = game.add(fw.MeshBatch(fw.Mesh.cube(), 1, columns={"hp": 3}))
        menu = game.ui.column()
        yield {
            "self": (game,),
            "fw": (fw,),
            "collide": (collide,),
            "paths": (paths,),
            "quaternions": (quaternions,),
            "exact": (exact,),
            "batch": (sprites, meshes),
            "sprite": (sprites[0],),
            "instance": (meshes[0],),
            "label": (game.labels.add("a"),),
            "menu": (menu,),
            "shapes": (shapes := game.add(fw.Shapes()),),
            "shape": (shapes.add_circle((0, 0), 1),),
            "pad": (game.pads[0],),
            "layer": (fw.TileLayer(fw.TileSet([image], (8, 8)), np.zeros((2, 2), int)),),
            "flags": (collide.Flags,),
            "physics": (fw.Physics2D, fw.Physics3D),
            "bodies": (Bodies,),
            "walker": (Character,),
            "models": (fw.ModelBatch,),
            "nodes": (fw.Nodes2D(), fw.Nodes3D()),
            "actions": (fw.Actions(jump=["space"]),),
            "machine": (StateMachine,),
            "task": (Task,),
        }


def members(owner: Any, name: str) -> list[Any]:
    """Return a list with the value of an attribute, or no value if there is no such attribute."""
    if isinstance(owner, type):
        value = inspect.getattr_static(owner, name, MISSING)
        return [] if value is MISSING or isinstance(value, OtherName) else [getattr(owner, name)]
    return [getattr(owner, name, None)] if name in dir(owner) else []


def values(node: ast.expr, owners: dict[str, Any]) -> list[Any]:
    """Return the possible values of a chain such as `self.world.camera`, or [] if unknown."""
    if isinstance(node, ast.Name):
        return list(owners.get(node.id, ()))
    if isinstance(node, ast.Attribute):
        return [v for owner in values(node.value, owners) for v in members(owner, node.attr)]
    return []


def missing_names(code: str, owners: dict[str, Any]) -> Iterator[str]:
    """Yield the attributes and options in ``code`` that do not exist."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Attribute):
            is_known = bool(values(node.value, owners))
            if is_known and not values(node, owners) and node.attr not in NAMES_OF_THE_GAME:
                yield f"{ast.unparse(node)} in {code}"
        elif isinstance(node, ast.Call) and node.keywords:
            for function in values(node.func, owners)[-1:]:
                parameters = inspect.signature(function).parameters
                if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
                    options = {keyword.arg for keyword in node.keywords}
                    yield from (f"{option} in {code}" for option in options - {*parameters})


MISSING = object()
NAMES_OF_THE_GAME = {"player", "score", "spawn", "start_game", "intro", "hp"}
"""Attributes in the tables that a game defines."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_name_in_the_tables_exists(page: Path, owners: dict[str, Any]) -> None:
    missing: list[str] = []
    for code in spans(page):
        hook = re.fullmatch(r"(\w+)\(self.*\)", code)
        if hook is None:
            code = re.sub(r"^(async )?def .*", r"\g<0>: ...", code)
            missing += missing_names(code, owners)
        elif code != _HOOKS.get(hook[1]):
            missing.append(code)
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_table_has_at_least_25_rows_of_three_cells(page: Path) -> None:
    assert len(rows(page)) >= 25
    assert all(len(cells) == 3 for cells in rows(page))
