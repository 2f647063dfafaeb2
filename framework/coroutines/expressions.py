"""Expressions: rewrites expressions that contain awaits, so that nothing is on Python's stack while
a coroutine is suspended.

The operands that Python evaluates before an await are stored in hidden variables:
``f(a, await b)`` becomes ``@value1 = f; @value2 = a; @value3 = await b; @value1(@value2, @value3)``.
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
"""Numbers of awaits in a function, counted from 1 in the order of the source."""
NONE: Numbers = frozenset()

Step = tuple[list[ast.stmt], Numbers]
"""Statements that a rewritten statement consists of, and the numbers of the awaits in them. A step
with awaits skips forward by itself, a step without awaits must be skipped by the caller.
"""

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class ExpressionRewriter:
    """Rewrites expressions. If ``resuming`` is True, the rewritten code skips forward to the await
    whose number is in the variable `TARGET`. If ``resuming`` is False, the rewritten code runs as
    the author wrote it, and stores the number of each await that it reaches.
    """

    def __init__(self, resuming: bool, path: str) -> None:
        self.resuming = resuming
        self.path = path
        self.count = 0
        """The number of awaits so far."""
        self.live: dict[int, tuple[str, ...]] = {}
        """The hidden variables that are still needed after each await."""
        self._needed: list[str] = []
        self._made: Counter[str] = Counter()

    def refuse(self, node: ast.AST, reason: str) -> NoReturn:
        raise CannotCompile(self.path, getattr(node, "lineno", 0), reason)

    def hidden(self, kind: str) -> str:
        """Return the name of a new hidden variable."""
        self._made[kind] += 1
        return f"{HIDDEN}{kind}{self._made[kind]}"

    def statement(self, node: ast.stmt) -> list[Step]:
        """Rewrite a statement; see `StatementRewriter`."""
        raise NotImplementedError

    # -- skipping forward --------------------------------------------------------------------------

    def runs(self) -> ast.expr:
        """Return an expression that is true while the code runs normally, and does not skip
        forward.
        """
        return negated(load(TARGET))

    def skips_to(self, numbers: Iterable[int]) -> ast.expr:
        """Return an expression that is true while the code skips forward to one of the awaits with
        these numbers.
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
        """Return statements that run ``body`` in two cases: if the code runs normally, or if it
        skips forward to an await in ``body``. ``numbers`` are the numbers of these awaits.
        """
        if not self.resuming or not body:
            return body
        test = either(self.runs(), self.skips_to(numbers)) if numbers else self.runs()
        return [ast.If(test, body, [])]

    # -- awaits ------------------------------------------------------------------------------------

    def wait(self, node: ast.Await, steps: list[Step], use: Callable[[ast.expr], ast.stmt]) -> None:
        """Rewrite an await, and append its steps. ``use`` returns the statement that uses the
        awaited value.
        """
        needed = tuple(self._needed)
        value = self.hoisted(node.value, steps)
        del self._needed[len(needed) :]  # the operands are used up before the wait
        self.count += 1
        own = self.count
        self.live[own] = needed
        # Once for each function: a coroutine of a function that is not compiled yet is replaced.
        is_coroutine = ast.Compare(
            ast.Attribute(load(AWAITED), "__class__", ast.Load()),
            [ast.Is()],
            [load(support.COROUTINE)],
        )
        code = ast.Attribute(load(AWAITED), "cr_code", ast.Load())
        flags = ast.Attribute(code, "co_flags", ast.Load())
        is_plain = negated(ast.BinOp(flags, ast.BitAnd(), number(support.COMPILED_FLAG)))
        tests = [*_not_a_single_wait(node.value), is_coroutine, is_plain]
        adopt = assign(AWAITED, call(support.ADOPT, load(AWAITED)))
        begin: list[ast.stmt] = [
            assign(AWAITED, value),
            ast.If(ast.BoolOp(ast.And(), tests), [adopt], []),
        ]
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
        """Return ``node`` without awaits. The statements that must run before the expression are
        appended to ``steps``.
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
            name = self._variable()
            first = locate_assign(name, node.body, node)
            second = locate_assign(name, node.orelse, node)
            choice = ast.If(node.test, [first], [second])
            locate(choice, node)
            steps += self.statement(choice)
            return load(name)
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
        """Return the name of a new hidden variable that is needed until the statement ends."""
        name = self.hidden("value")
        self._needed.append(name)
        return name

    def _kept(self, value: ast.expr, like: ast.AST, steps: list[Step]) -> ast.expr:
        """Store a value in a hidden variable, and return the variable."""
        if isinstance(value, ast.Constant) or (
            isinstance(value, ast.Name) and value.id.startswith(HIDDEN)
        ):
            return value
        name = self._variable()
        steps.append(([locate_assign(name, value, like)], NONE))
        return ast.copy_location(load(name), like)

    def _bool_op(self, node: ast.BoolOp, steps: list[Step]) -> ast.expr:
        """Rewrite ``a and b``: b is evaluated only if a is true."""
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

    def _comprehension(self, node: ast.expr, steps: list[Step]) -> ast.expr:
        """Rewrite a comprehension. Only the iterable of the first ``for`` is evaluated in the
        function itself, so only this iterable may contain an await.
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
        """Rewrite an expression, such as a call, in which Python evaluates all operands one after
        another.
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
                value = self._kept_operand(value, operand, steps)
            if index is None:
                setattr(shallow, name, value)
            else:
                values = [*getattr(shallow, name)]
                values[index] = value
                setattr(shallow, name, values)
        return shallow

    def _kept_operand(self, value: ast.expr, like: ast.expr, steps: list[Step]) -> ast.expr:
        """Store an operand in a hidden variable, and return an expression that reads this variable.
        The expression has the form of the operand: with ``*``, with a keyword, or plain.
        """
        if isinstance(value, ast.Starred):
            # `*things` is unpacked where it stands, before the operands after it are evaluated.
            unpacked = ast.List([value], ast.Load())
            locate(unpacked, like)
            starred = ast.Starred(self._kept(unpacked, like, steps), ast.Load())
            return ast.copy_location(starred, like)
        if isinstance(value, ast.keyword):
            argument = self._kept(value.value, value.value, steps)
            return ast.copy_location(ast.keyword(value.arg, argument), like)  # type: ignore[return-value]
        if isinstance(value, ast.Slice):
            ends = [
                end and self._kept(end, end, steps)
                for end in (value.lower, value.upper, value.step)
            ]
            return ast.copy_location(ast.Slice(*ends), like)
        if isinstance(value, ast.Tuple) and any(isinstance(part, ast.Slice) for part in value.elts):
            # A key such as `1:2, 3` is a tuple only within its brackets.
            parts = [self._kept_operand(part, part, steps) for part in value.elts]
            return ast.copy_location(ast.Tuple(parts, ast.Load()), like)
        if isinstance(value, ast.FormattedValue):
            text = ast.JoinedStr([value])
            locate(text, like)
            formatted = ast.FormattedValue(self._kept(text, like, steps), -1)
            return ast.copy_location(formatted, like)
        return self._kept(value, like, steps)


def _not_a_single_wait(node: ast.expr) -> list[ast.expr]:
    """Return a fast test for awaits of ``self.ticks(…)`` and ``self.seconds(…)``. The test is False
    if these are methods of a scene. Most awaits in routines are of this kind. The test for all
    other coroutines takes five times as long.
    """
    function = node.func if isinstance(node, ast.Call) else None
    if not isinstance(function, ast.Attribute) or function.attr not in ("ticks", "seconds"):
        return []
    if not isinstance(function.value, ast.Name):
        return []
    kind = ast.Attribute(load(function.value.id), "__class__", ast.Load())
    return [ast.Compare(kind, [ast.NotIn()], [load(support.SCENES)])]


def locate_assign(name: str, value: ast.expr, like: ast.AST) -> ast.Assign:
    """Return an assignment to a hidden variable, with the source position of ``like``."""
    statement = assign(name, value)
    locate(statement, like)
    return statement
