"""Build the nodes of a syntax tree, and find the awaits and the assigned names in a tree.

The local variables that the framework adds to compiled functions are called *hidden variables*.
Their names begin with "@", so they differ from all names in Python code.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

TARGET = "@target"
"""The name of the variable that contains the number of the ``await`` to which the code skips, or 0
if it does not skip.
"""
AWAIT = "@await"
"""The name of the variable that contains the number of the current ``await``."""
AWAITED = "@awaited"
"""The name of the variable that contains the awaited object."""
CELLS = "@cells"
"""The name of the variable that contains a helper function. This function refers to all variables
that inner functions share with the compiled function.
"""
SAVED = "@saved"
"""The name of the variable that contains a dict of the captured local variables."""
RETURNED = "@returned"
"""The name of the variable that contains the return value while ``return`` leaves an ``async with``
block.
"""

HIDDEN = "@"
"""The first character of the names of hidden variables."""

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


# -- nodes -----------------------------------------------------------------------------------------


def load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def store(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def assign(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([store(name)], value)


def number(value: int) -> ast.Constant:
    return ast.Constant(value)


def call(function: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(load(function), [*arguments], [])


def negated(test: ast.expr) -> ast.UnaryOp:
    return ast.UnaryOp(ast.Not(), test)


def either(first: ast.expr, second: ast.expr) -> ast.BoolOp:
    return ast.BoolOp(ast.Or(), [first, second])


def locate(node: ast.AST, like: ast.AST) -> None:
    """Set the source position of ``node`` and of all nodes in it to the position of ``like``. Nodes
    that already have a position keep their position.
    """
    for inner in ast.walk(node):
        if "lineno" in inner._attributes and not hasattr(inner, "lineno"):
            ast.copy_location(inner, like)


# -- searching -------------------------------------------------------------------------------------


def own_children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the child nodes of ``node`` that belong to the same function. For an inner function,
    yield its decorators and default values, but not its body.
    """
    if isinstance(node, _FUNCTIONS):
        yield from node.decorator_list
        yield from node.args.defaults
        yield from filter(None, node.args.kw_defaults)
    elif isinstance(node, ast.Lambda):
        yield from node.args.defaults
        yield from filter(None, node.args.kw_defaults)
    else:
        yield from ast.iter_child_nodes(node)


def own_nodes(*roots: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes ``roots``, and all nodes inside them that belong to the same function."""
    waiting = [*roots]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += own_children(node)


def first_await(*roots: ast.AST) -> ast.AST | None:
    """Return the first node in ``roots`` that contains an ``await``, or None. ``async with``,
    ``async for`` and asynchronous comprehensions also count as ``await``.
    """
    for node in own_nodes(*roots):
        if isinstance(node, ast.Await | ast.AsyncWith | ast.AsyncFor):
            return node
        if isinstance(node, ast.comprehension) and node.is_async:
            return node.target
    return None


def has_await(*roots: ast.AST) -> bool:
    """Return whether a node in ``roots`` contains an ``await``."""
    return first_await(*roots) is not None


def leaves_block(node: ast.AST) -> bool:
    """Return whether a statement contains ``return``, ``break`` or ``continue``."""
    return any(
        isinstance(inner, ast.Return | ast.Break | ast.Continue) for inner in own_nodes(node)
    )


def mangled(name: str, class_name: str | None) -> str:
    """Return Python's name for a private variable of a class. For example, in the class ``Ship``,
    ``__fuel`` becomes ``_Ship__fuel``.
    """
    if class_name is None or not name.startswith("__") or name.endswith("__"):
        return name
    return f"_{class_name.lstrip('_')}{name}" if class_name.strip("_") else name


def bound_names(function: ast.AsyncFunctionDef) -> set[str]:
    """Return the names of a function's arguments, and of the variables that the function assigns.

    The result does not contain the variables of comprehensions, although new versions of Python
    list these as local variables of the function.
    """
    names = _argument_names(function.args)
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, _COMPREHENSIONS):
            waiting.append(node.generators[0].iter)
            # An assignment expression (`:=`) in a comprehension sets a variable of the function.
            walruses = [inner for inner in own_nodes(node) if isinstance(inner, ast.NamedExpr)]
            names |= {inner.target.id for inner in walruses}
            continue
        names |= _bound_by(node)
        waiting += own_children(node)
    return names


def _argument_names(arguments: ast.arguments) -> set[str]:
    """Return the names of all arguments, with those of ``*args`` and ``**kwargs``."""
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    return {argument.arg for argument in every}


def _bound_by(node: ast.AST) -> set[str]:
    """Return the names that ``node`` itself assigns. The result does not contain names that nodes
    inside ``node`` assign.
    """
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
        return {node.id}
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name is not None:
        return {node.name}
    if isinstance(node, ast.MatchMapping) and node.rest is not None:
        return {node.rest}
    return set()


def fields_in_order(node: ast.expr) -> Sequence[tuple[str, int | None, ast.expr]] | None:
    """Return the operands of an expression, in the order in which Python evaluates them.

    Each operand is a tuple of three values: the name of a field, the index in this field or None,
    and the operand. For an expression such as ``a and b``, return None, because Python may not
    evaluate all operands.
    """
    if isinstance(node, ast.Dict):
        return _keys_and_values(node)
    names = _OPERANDS.get(type(node))
    if names is None:
        return None
    fields: list[tuple[str, int | None, ast.expr]] = []
    for name in names:
        value = getattr(node, name)
        if isinstance(value, list):
            fields += [(name, index, item) for index, item in enumerate(value)]
        elif value is not None:
            fields.append((name, None, value))
    return fields


def _keys_and_values(node: ast.Dict) -> list[tuple[str, int | None, ast.expr]]:
    """Return the operands of a dict, as in `fields_in_order`: each key before its value."""
    pairs: list[tuple[str, int | None, ast.expr]] = []
    for index, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
        if key is not None:  # a part such as `**other` has no key
            pairs.append(("keys", index, key))
        pairs.append(("values", index, value))
    return pairs


_OPERANDS: dict[type[ast.AST], tuple[str, ...]] = {
    ast.BinOp: ("left", "right"),
    ast.UnaryOp: ("operand",),
    ast.Compare: ("left", "comparators"),
    ast.Call: ("func", "args", "keywords"),
    ast.keyword: ("value",),
    ast.Attribute: ("value",),
    ast.Subscript: ("value", "slice"),
    ast.Slice: ("lower", "upper", "step"),
    ast.Starred: ("value",),
    ast.List: ("elts",),
    ast.Tuple: ("elts",),
    ast.Set: ("elts",),
    ast.JoinedStr: ("values",),
    ast.FormattedValue: ("value", "format_spec"),
}
