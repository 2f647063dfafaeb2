"""Find the source code of an ``async def`` function, and parse it."""

from __future__ import annotations

import ast
import linecache
import types
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import xxhash

from .refusals import CannotCompile

# The maximum number of lines after the last line with code, such as closing brackets.
_MAX_MISSING = 50
# Different sources may have the same one of these names (``exec``, ``python -c``). Since Python
# 3.13, `linecache` has the lines of only one of the sources.
_SHARED_NAMES = ("<string>", "<stdin>")
_PLAIN = (str, int, float, complex, bool, bytes, type(None), type(...))


def definition_of(code: types.CodeType, space: Mapping[str, Any]) -> ast.AsyncFunctionDef:
    """Find the source text of a function, and return its syntax tree. ``space`` is the dict of the
    module's global variables.

    Only the lines of this function are parsed, because a module may be long. Raises `CannotCompile`
    if there is no source, or if the source has changed.
    """
    # `linecache` needs the globals to find the source of a module in a zip archive.
    is_shared = code.co_filename in _SHARED_NAMES
    lines = [] if is_shared else linecache.getlines(code.co_filename, {**space})
    first = code.co_firstlineno
    if not lines or first > len(lines):
        raise CannotCompile(code.co_filename, first, f"there is no source of {code.co_qualname}")
    node = _parsed(lines, first, _last_line(code))
    if node is None or node.name != code.co_name:
        raise CannotCompile(
            code.co_filename,
            first,
            f"the source of {code.co_qualname} has changed since it was loaded",
        )
    return node


def _last_line(code: types.CodeType) -> int:
    """Return the last line with code of a function. Lines of inner functions also count."""
    lines = [line for _, _, line in code.co_lines() if line is not None]
    inner = [_last_line(part) for part in code.co_consts if isinstance(part, types.CodeType)]
    return max([code.co_firstlineno, *lines, *inner])


def _parsed(lines: list[str], first: int, last: int) -> ast.AsyncFunctionDef | None:
    """Parse the ``async def`` that begins in the line ``first`` and contains the line ``last``. If
    the lines cannot be parsed, return None.
    """
    depth = _indent(lines[first - 1])
    end = last
    while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > depth):
        end += 1
    # Parse an indented definition as the body of an `if`, so that its columns stay the same.
    before = "if 1:\n" if depth else ""
    for stop in range(end, min(end + _MAX_MISSING, len(lines)) + 1):
        statement = _first_statement(before + "".join(lines[first - 1 : stop]))
        if statement is None:
            continue
        if isinstance(statement, ast.If) and depth:
            statement = statement.body[0]
        if not isinstance(statement, ast.AsyncFunctionDef):
            return None
        ast.increment_lineno(statement, first - (2 if depth else 1))
        return statement
    return None


def _first_statement(text: str) -> ast.stmt | None:
    """Parse Python code, and return its first statement. If the code cannot be parsed, return
    None.
    """
    try:
        # Python has already shown these warnings when it compiled the module.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text).body[0]
    except (SyntaxError, ValueError):
        return None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def class_around(code: types.CodeType) -> str | None:
    """Return the name of the innermost class that contains a function, or None. Python adds the
    name of this class to private names: in ``Ship``, ``__fuel`` becomes ``_Ship__fuel``.
    """
    parts = code.co_qualname.split(".")
    for index in range(len(parts) - 2, -1, -1):
        if parts[index] != "<locals>" and parts[index + 1] != "<locals>":
            return parts[index]
    return None


def digest_of(node: ast.AST) -> str:
    """Return a hash of a syntax tree. Comments, spaces, line numbers and the version of Python do
    not affect the hash.
    """
    text = "".join(_dumped(node))
    return xxhash.xxh3_64_hexdigest(text.encode("utf-8", "surrogatepass"))


def _dumped(value: object) -> Iterator[str]:
    if isinstance(value, ast.AST):
        yield f"{type(value).__name__}("
        for name, part in ast.iter_fields(value):
            # Later Python versions have additional fields. For the same source, these fields are
            # empty or None.
            if part not in (None, []) and name not in ("ctx", "kind", "type_comment"):
                yield f"{name}="
                yield from _dumped(part)
        yield ")"
    elif isinstance(value, list):
        yield "["
        for part in value:
            yield from _dumped(part)
            yield ","
        yield "]"
    else:
        yield f"{type(value).__name__}:{value!r}"


def digests_in(module: ast.Module) -> dict[str, set[str]]:
    """Return the hashes of all ``async def`` functions in a module, as a dict that maps qualified
    names to hashes. If a module defines a name several times, the name has several hashes.
    """
    digests: dict[str, set[str]] = {}
    waiting: list[tuple[ast.AST, str]] = [(node, "") for node in module.body]
    while waiting:
        node, before = waiting.pop()
        name = before
        if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef | ast.ClassDef):
            qualname = f"{before}{node.name}"
            name = f"{qualname}." if isinstance(node, ast.ClassDef) else f"{qualname}.<locals>."
            if isinstance(node, ast.AsyncFunctionDef):
                digests.setdefault(qualname, set()).add(digest_of(node))
        waiting += [(child, name) for child in ast.iter_child_nodes(node)]
    return digests
