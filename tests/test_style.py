"""Plain words: `docs/STYLE.md`, as far as lists of words can check it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.repository

FRAMEWORK = Path(__file__).parents[1] / "framework"
MODULES = sorted(FRAMEWORK.rglob("*.py"))

IDIOM = re.compile(
    r"(?:^|(?<=[.:;] ))(?:What|Whose|Who|Of|Those) |\banew\b|\bso many\b|\b(?:told|tells)\b"
    r"|\b(?:one|those|that) that\b|\ball else\b|\bany more\b|\bwhere (?:there|none|nobody)\b"
    r"|\b(?:no|some|any)body\b|\b(?:meanwhile|as ever|as a rule)\b"
)
"""Rules 1 to 6 of the page. A question mark ends a question, which is fine."""
VAGUE = frozenset(
    [
        "found",
        "known",
        "told",
        "held",
        "given",
        "taken",
        "made",
        "kept",
        "asked",
        "seen",
        "wanted",
        "place",
        "places",
        "thing",
        "things",
        "one",
        "other",
        "others",
        "way",
        "ways",
        "there",
        "here",
        "least",
        "most",
        "few",
        "some",
        "more",
        "rest",
    ]
)


def docstrings(nodes: list[ast.AST]) -> list[str]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    texts = [ast.get_docstring(node) for node in nodes if isinstance(node, kinds)]
    return [" ".join(text.split()) for text in texts if text]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(FRAMEWORK)))
def test_docstrings_have_no_idioms_and_variables_no_vague_names(path: Path) -> None:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    plain = [re.sub(r"``.*?``|`[^`]*`", "X", text) for text in docstrings(nodes)]
    assert [f"{match[0]!r} in {text!r}" for text in plain for match in IDIOM.finditer(text)] == []
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    attributes = {id(getattr(part, "target", None)) for cls in classes for part in cls.body}
    stored = (
        (node.id, node.lineno)
        for node in nodes
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Store)
        and id(node) not in attributes  # attributes are interfaces
    )
    assert [f"{name} in line {line}" for name, line in stored if name in VAGUE] == []


ROOT = FRAMEWORK.parent
EXAMPLES = [*sorted((ROOT / "examples").glob("*.py")), *sorted((ROOT / "templates").rglob("*.py"))]
"""The small examples and Encore may have several assignments a line: their lines are limited."""


@pytest.mark.parametrize(
    "path", [*MODULES, *EXAMPLES], ids=lambda path: str(path.relative_to(ROOT))
)
def test_each_line_assigns_one_variable(path: Path) -> None:
    """Two variables are assigned together only if a new value needs the old value of another."""
    together = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Tuple):
            continue
        targets = node.targets[0]
        if isinstance(targets, ast.Tuple) and len(targets.elts) == len(node.value.elts):
            read = {ast.unparse(part) for part in ast.walk(node.value)}
            if not any(_root(target) in read for target in targets.elts):
                together.append(f"line {node.lineno}: {ast.unparse(node)}")
    assert together == []


def _root(target: ast.expr) -> str:
    """Return the variable or attribute that an assignment changes, without its index."""
    while isinstance(target, ast.Subscript):
        target = target.value
    return ast.unparse(target)
