"""Rewrite expressions with ``await``, so that Python's stack is empty during each ``await``.

Python evaluates some operands of an expression before the ``await``, and keeps them on its stack,
from which they cannot be read. The rewritten code stores them in hidden variables instead. For
example, ``f(a, await b)`` becomes ``@value1 = f; @value2 = a; @value3 = await b; @value1(@value2,
@value3)``.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterable
from typing import NoReturn

from . import support
from .refusals import CannotCompile
from .syntax import (
    AWAIT,
    AWAITED,
    HIDDEN,
    TARGET,
    assign,
    call,
    either,
    fields_in_order,
    first_await,
    has_await,
    load,
    locate,
    negated,
    number,
    store,
)

Numbers = frozenset[int]
"""A set of await numbers. The awaits of a function are counted from 1, in the order of the source.
"""
NONE: Numbers = frozenset()

Step = tuple[list[ast.stmt], Numbers]
"""A part of a rewritten statement: a list of statements, and the numbers of the awaits in them. A
step with awaits contains the code that skips forward. A step without awaits does not contain this
code, so the caller must add it.
"""

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class ExpressionRewriter:
    """Rewrites expressions that contain ``await``.

    If ``resuming`` is False, the rewritten code does the same as the original code, and also stores
    the number of each ``await`` that it reaches. If ``resuming`` is True, the rewritten code first
    skips forward to the ``await`` whose number is in the hidden variable `TARGET`.

    ``path`` is the path of the source file, for error messages.
    """

    def __init__(self, resuming: bool, path: str) -> None:
        self.resuming = resuming
        self.path = path
        self.count = 0
        """The number of awaits that were rewritten so far."""
        self.live: dict[int, tuple[str, ...]] = {}
        """For each await, by its number: the hidden variables that later code still reads."""
        self._needed: list[str] = []
        self._made: Counter[str] = Counter()

    def refuse(self, node: ast.AST, reason: str) -> NoReturn:
        raise CannotCompile(self.path, getattr(node, "lineno", 0), reason)

    def hidden(self, kind: str) -> str:
        """Return the name of a new hidden variable."""
        self._made[kind] += 1
        return f"{HIDDEN}{kind}{self._made[kind]}"

    def statement(self, node: ast.stmt) -> list[Step]:
        """Rewrite a statement. See `StatementRewriter`."""
        raise NotImplementedError

    # -- skipping forward --------------------------------------------------------------------------

    def runs(self) -> ast.expr:
        """Return an expression that is False only while the code skips forward."""
        return negated(load(TARGET))

    def skips_to(self, numbers: Iterable[int]) -> ast.expr:
        """Return an expression that is True while the code skips forward to one of the awaits
        ``numbers``.
        """
        members = sorted(numbers)
        if not members:
            return ast.Constant(False)
        if len(members) == 1:
            return ast.Compare(load(TARGET), [ast.Eq()], [number(members[0])])
        return ast.Compare(
            load(TARGET), [ast.In()], [ast.Tuple([number(each) for each in members], ast.Load())]
        )

    def guarded(self, body: list[ast.stmt], numbers: Numbers = NONE) -> list[ast.stmt]:
        """Put ``body`` into an ``if`` statement that skips it while the code skips forward to an
        ``await`` outside ``body``. ``numbers`` contains the numbers of all awaits in ``body``. If
        `resuming` is False, return ``body`` unchanged.
        """
        if not self.resuming or not body:
            return body
        test = either(self.runs(), self.skips_to(numbers)) if numbers else self.runs()
        return [ast.If(test, body, [])]

    # -- awaits ------------------------------------------------------------------------------------

    def wait(self, node: ast.Await, steps: list[Step], use: Callable[[ast.expr], ast.stmt]) -> None:
        """Rewrite an ``await``, and append the new statements to ``steps``. The function ``use``
        receives the await expression, and returns a statement that contains it.
        """
        needed = tuple(self._needed)
        value = self.hoisted(node.value, steps)
        del self._needed[len(needed) :]  # later code does not need the operands of the await
        self.count += 1
        own = self.count
        self.live[own] = needed
        begin = [assign(AWAITED, value), _adopt_if_plain(node.value)]
        suspend = [assign(AWAIT, number(own)), use(ast.Await(load(AWAITED)))]
        for statement in (*begin, *suspend):
            locate(statement, node)
        if self.resuming:
            steps.append((begin, NONE))
            arrived = assign(TARGET, number(0))
            locate(arrived, node)
            numbers = frozenset([own])
            steps.append((self.guarded([arrived, *suspend], numbers), numbers))
        else:
            steps.append(([*begin, *suspend], frozenset([own])))

    # -- operands ----------------------------------------------------------------------------------

    def hoisted(self, node: ast.expr, steps: list[Step]) -> ast.expr:
        """Return an expression without ``await`` that has the value of ``node``. The statements
        that must run before this expression are appended to ``steps``.
        """
        if not has_await(node):
            return node
        if isinstance(node, ast.Await):
            name = self.hidden("value")
            self.wait(node, steps, lambda awaited: ast.Assign([store(name)], awaited))
            self._needed.append(name)
            return load(name)
        if isinstance(node, ast.BoolOp):
            return self._bool_op(node, steps)
        if isinstance(node, ast.IfExp):
            return self._conditional(node, steps)
        if isinstance(node, ast.NamedExpr):
            value = self.hoisted(node.value, steps)
            binding = ast.Assign([ast.Name(node.target.id, ast.Store())], value)
            locate(binding, node)
            steps.append(([binding], NONE))
            return ast.copy_location(load(node.target.id), node)
        if isinstance(node, _COMPREHENSIONS):
            return self._comprehension(node, steps)
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            self.refuse(node, "an await in a chain of comparisons cannot be restored; use `and`")
        return self._operands(node, steps)

    def _variable(self) -> str:
        """Return the name of a new hidden variable, whose value captured states contain until the
        current statement ends.
        """
        name = self.hidden("value")
        self._needed.append(name)
        return name

    def _store(self, value: ast.expr, like: ast.AST, steps: list[Step]) -> ast.expr:
        """Store a value in a hidden variable, and return an expression that reads this variable.
        Constants are returned unchanged, because they need no variable.
        """
        if isinstance(value, ast.Constant) or (
            isinstance(value, ast.Name) and value.id.startswith(HIDDEN)
        ):
            return value
        name = self._variable()
        steps.append(([locate_assign(name, value, like)], NONE))
        return ast.copy_location(load(name), like)

    def _bool_op(self, node: ast.BoolOp, steps: list[Step]) -> ast.expr:
        """Rewrite ``a and b`` as ``x = a`` and ``if x: x = b``. Rewrite ``a or b`` as ``x = a`` and
        ``if not x: x = b``. The new code evaluates ``b`` only if Python would evaluate ``b``.
        """
        name = self._variable()
        first, *following = node.values
        value = self.hoisted(first, steps)
        steps.append(([locate_assign(name, value, node)], NONE))
        remainder = following[0] if len(following) == 1 else ast.BoolOp(node.op, following)
        locate(remainder, node)
        test = load(name) if isinstance(node.op, ast.And) else negated(load(name))
        choice = ast.If(test, [locate_assign(name, remainder, node)], [])
        locate(choice, node)
        steps += self.statement(choice)
        return load(name)

    def _conditional(self, node: ast.IfExp, steps: list[Step]) -> ast.expr:
        """Rewrite ``a if test else b`` as an ``if`` statement that assigns ``a`` or ``b``."""
        name = self._variable()
        first = locate_assign(name, node.body, node)
        second = locate_assign(name, node.orelse, node)
        choice = ast.If(node.test, [first], [second])
        locate(choice, node)
        steps += self.statement(choice)
        return load(name)

    def _comprehension(self, node: ast.expr, steps: list[Step]) -> ast.expr:
        """Rewrite a comprehension, such as a list comprehension. Only the iterable of the first
        ``for`` may contain an ``await``, because Python evaluates this iterable before the
        comprehension.
        """
        shallow = copy.copy(node)
        generators = [copy.copy(generator) for generator in node.generators]  # type: ignore[attr-defined]
        iterable: ast.expr = generators[0].iter
        generators[0].iter = ast.Tuple([], ast.Load())
        shallow.generators = generators  # type: ignore[attr-defined]
        if has_await(shallow):
            self.refuse(
                first_await(shallow) or node,
                "an await in a comprehension cannot be restored; write a loop",
            )
        generators[0].iter = self.hoisted(iterable, steps)
        return shallow

    def _operands(self, node: ast.expr, steps: list[Step]) -> ast.expr:
        """Rewrite an expression with several operands, such as a call. The new code evaluates the
        operands in the same order as Python.
        """
        fields = fields_in_order(node)
        if fields is None:
            kind = type(node).__name__
            self.refuse(node, f"an await within {kind} cannot be restored; await it before")
        shallow = copy.copy(node)
        last = max(index for index, (_, _, operand) in enumerate(fields) if has_await(operand))
        for order, (name, index, operand) in enumerate(fields[: last + 1]):
            value = self.hoisted(operand, steps)
            if order < last:
                value = self._store_operand(value, operand, steps)
            if index is None:
                setattr(shallow, name, value)
            else:
                values = [*getattr(shallow, name)]
                values[index] = value
                setattr(shallow, name, values)
        return shallow

    def _store_operand(self, value: ast.expr, like: ast.expr, steps: list[Step]) -> ast.expr:
        """Store an operand in a hidden variable, and return an expression that reads this variable.
        An operand such as ``*values`` or ``key=value`` keeps its form.
        """
        if isinstance(value, ast.Starred):
            # Python unpacks `*things` before it evaluates the next operands.
            unpacked = ast.List([value], ast.Load())
            locate(unpacked, like)
            starred = ast.Starred(self._store(unpacked, like, steps), ast.Load())
            return ast.copy_location(starred, like)
        if isinstance(value, ast.keyword):
            argument = self._store(value.value, value.value, steps)
            return ast.copy_location(ast.keyword(value.arg, argument), like)  # type: ignore[return-value]
        if isinstance(value, ast.Slice):
            ends = [
                end and self._store(end, end, steps)
                for end in (value.lower, value.upper, value.step)
            ]
            return ast.copy_location(ast.Slice(*ends), like)
        if isinstance(value, ast.Tuple) and any(isinstance(part, ast.Slice) for part in value.elts):
            # A key such as `1:2, 3` is a tuple only inside the brackets of a subscript.
            parts = [self._store_operand(part, part, steps) for part in value.elts]
            return ast.copy_location(ast.Tuple(parts, ast.Load()), like)
        if isinstance(value, ast.FormattedValue):
            text = ast.JoinedStr([value])
            locate(text, like)
            formatted = ast.FormattedValue(self._store(text, like, steps), -1)
            return ast.copy_location(formatted, like)
        return self._store(value, like, steps)


def _adopt_if_plain(awaited: ast.expr) -> ast.stmt:
    """Return a statement that replaces the awaited coroutine if it does not run compiled code yet,
    because its function is called for the first time. ``awaited`` is the expression after
    ``await``.
    """
    is_coroutine = ast.Compare(
        ast.Attribute(load(AWAITED), "__class__", ast.Load()),
        [ast.Is()],
        [load(support.COROUTINE)],
    )
    code = ast.Attribute(load(AWAITED), "cr_code", ast.Load())
    flags = ast.Attribute(code, "co_flags", ast.Load())
    is_plain = negated(ast.BinOp(flags, ast.BitAnd(), number(support.COMPILED_FLAG)))
    tests = [*_not_a_single_wait(awaited), is_coroutine, is_plain]
    adopt = assign(AWAITED, call(support.ADOPT, load(AWAITED)))
    return ast.If(ast.BoolOp(ast.And(), tests), [adopt], [])


def _not_a_single_wait(node: ast.expr) -> list[ast.expr]:
    """Return a list with an expression that is False if the code awaits `Scene.ticks` or
    `Scene.seconds`, as most routines do. This test takes a fifth of the time of the full test. If
    ``node`` cannot be such a call, return an empty list.
    """
    function = node.func if isinstance(node, ast.Call) else None
    if not isinstance(function, ast.Attribute) or function.attr not in ("ticks", "seconds"):
        return []
    if not isinstance(function.value, ast.Name):
        return []
    kind = ast.Attribute(load(function.value.id), "__class__", ast.Load())
    return [ast.Compare(kind, [ast.NotIn()], [load(support.SCENES)])]


def locate_assign(name: str, value: ast.expr, like: ast.AST) -> ast.Assign:
    """Return an assignment of ``value`` to a hidden variable, with the source position of ``like``."""
    statement = assign(name, value)
    locate(statement, like)
    return statement
