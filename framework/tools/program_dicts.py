"""Find the keys that a program passes with ``**options``, for `framework upgrade`.

`ProgramDicts` reads the text of a program without running it. It searches the whole program for the
name of a variable, so the result may include dicts of another variable with the same name.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

_MAX_DEPTH = 8  # how many variables and calls are followed until a dict is found, at most


class ProgramDicts:
    """The dicts in the text of a program."""

    def __init__(self, tree: ast.Module) -> None:
        self._values: dict[str, list[ast.expr]] = defaultdict(list)
        """The expressions that the program assigns to each variable or attribute."""
        self._keys: dict[str, list[ast.expr]] = defaultdict(list)
        """The keys that the program sets with ``variable[key] = value``."""
        self._results: dict[str, list[ast.expr]] = defaultdict(list)
        """The expressions that each function returns."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._assign(target, node.value)
            elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
                if node.value is not None:
                    self._assign(node.target, node.value)
            elif isinstance(node, ast.For | ast.comprehension):
                for element in _elements(node.iter):
                    self._assign(node.target, element)
            elif isinstance(node, ast.FunctionDef):
                returns = (part for part in ast.walk(node) if isinstance(part, ast.Return))
                self._results[node.name] += [part.value for part in returns if part.value]

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for inner, part in zip(target.elts, value.elts, strict=False):
                self._assign(inner, part)
        elif isinstance(target, ast.Subscript):
            self._keys[_name(target.value)].append(target.slice)
        elif _name(target):
            self._values[_name(target)].append(value)

    def keys_of(self, node: ast.expr, depth: int = 0) -> Iterator[ast.expr | ast.keyword]:
        """Yield the keys of all dicts that an expression could evaluate to. Each key is either an
        expression or a keyword argument of a call ``dict(…)``.
        """
        if depth > _MAX_DEPTH:
            return
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if key is None:
                    yield from self.keys_of(value, depth + 1)
                else:
                    yield key
            return
        if isinstance(node, ast.Call) and _name(node.func) == "dict":
            yield from (option for option in node.keywords if option.arg is not None)
        if not isinstance(node, ast.Call):
            yield from self._keys.get(_name(node), ())
        for source in self._sources(node):
            yield from self.keys_of(source, depth + 1)

    def _sources(self, node: ast.expr) -> list[ast.expr]:
        """Return the expressions that could supply the dict for ``node``. For the expression
        ``a | b``, the result is ``a`` and ``b``.
        """
        if isinstance(node, ast.BinOp):
            return [node.left, node.right]
        if isinstance(node, ast.IfExp):
            return [node.body, node.orelse]
        if isinstance(node, ast.Call):
            packed = [option.value for option in node.keywords if option.arg is None]
            arguments = [*node.args, *packed] if _name(node.func) == "dict" else []
            return [*arguments, *self._results.get(_name(node.func), ())]
        if isinstance(node, ast.Subscript):
            containers = [node.value, *self._values.get(_name(node.value), ())]
            return [element for container in containers for element in _elements(container)]
        return self._values.get(_name(node), [])


def _elements(node: ast.expr) -> list[ast.expr]:
    """Return the elements of a literal list, tuple or set, or the values of a literal dict."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return node.elts
    return node.values if isinstance(node, ast.Dict) else []


def _name(node: ast.expr) -> str:
    """Return the name of a variable or attribute, or "" for any other expression."""
    return getattr(node, "id", getattr(node, "attr", ""))
