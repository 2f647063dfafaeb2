"""Rewrite statements that contain ``await``, so that the code can skip forward to each ``await``.

To skip forward, the code enters all blocks around the ``await`` again, such as ``for`` and ``with``
blocks. While it skips forward, it tests no conditions, assigns no variables and runs no other
statements.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import NoReturn

from . import support
from .expressions import NONE, ExpressionRewriter, Numbers, Step, locate_assign
from .syntax import (
    RETURNED,
    TARGET,
    assign,
    call,
    either,
    first_await,
    has_await,
    leaves_block,
    load,
    locate,
    negated,
    number,
    store,
)

# Values of a hidden variable: how the code leaves an ``async with`` block.
_NOT_LEFT, _BY_RETURN, _BY_BREAK, _BY_CONTINUE = range(4)


def _numbers_in(steps: Sequence[Step]) -> Numbers:
    return frozenset[int]().union(*[numbers for _, numbers in steps])


class StatementRewriter(ExpressionRewriter):
    """Rewrites the statements of a function. See `ExpressionRewriter` for the arguments."""

    def __init__(self, resuming: bool, path: str) -> None:
        super().__init__(resuming, path)
        # For each ``async with`` block around the statement: the hidden variable that stores how
        # the code leaves the block. None for a loop.
        self._leaving: list[str | None] = []
        self.blocks: dict[str, tuple[int, int]] = {}
        """For each ``async with`` block, the numbers of its two awaits: at the start and at the end
        of the block. The key is the hidden variable that contains the block's context manager.
        """

    def block(
        self, body: Sequence[ast.stmt], skipped: bool = False
    ) -> tuple[list[ast.stmt], Numbers]:
        """Rewrite a block of statements. Return the new statements, and the numbers of the awaits
        in these statements.

        While the code skips forward to an ``await`` in the block, the code skips all statements
        before this ``await``. If ``skipped`` is True, the code may also skip statements after the
        last ``await``.
        """
        steps = [step for statement in body for step in self.statement(statement)]
        last = max([index for index, (_, numbers) in enumerate(steps) if numbers], default=-1)
        statements: list[ast.stmt] = []
        for index, (step, numbers) in enumerate(steps):
            skips = not numbers and (skipped or index < last)
            statements += self.guarded(step) if skips else step
        return statements, _numbers_in(steps)

    def statement(self, node: ast.stmt) -> list[Step]:
        """Rewrite a statement. The result is a list of one or more new statements, called steps."""
        inside_async_with = any(name is not None for name in self._leaving)
        if not has_await(node) and not (inside_async_with and leaves_block(node)):
            return [([node], NONE)]
        needed = len(self._needed)
        rewrite = _REWRITES.get(type(node))
        if rewrite is None:
            self._refuse_statement(node)
        steps = rewrite(self, node)
        del self._needed[needed:]
        for body, _ in steps:
            for statement in body:
                locate(statement, node)
        return steps

    def _consumed(self, node: ast.expr, steps: list[Step]) -> ast.expr:
        """Rewrite an expression whose value is used before the next ``await``, so that captured
        states do not need this value.
        """
        needed = len(self._needed)
        value = self.hoisted(node, steps)
        del self._needed[needed:]
        return value

    def _refuse_statement(self, node: ast.stmt) -> NoReturn:
        """Raise `CannotCompile` for a statement that cannot be rewritten."""
        cause = first_await(node) or node
        if isinstance(node, ast.AsyncFor):
            self.refuse(node, "async for cannot be restored; write a loop with await in it")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self.refuse(
                cause,
                f"an await in the default values or decorators of {node.name} cannot be restored",
            )
        kind = "except*" if type(node).__name__ == "TryStar" else type(node).__name__
        self.refuse(cause, f"an await within {kind} cannot be restored")

    # -- simple statements -------------------------------------------------------------------------

    def _expression(self, node: ast.Expr) -> list[Step]:
        steps: list[Step] = []
        if isinstance(node.value, ast.Await):
            self.wait(node.value, steps, ast.Expr)
        else:
            value = self.hoisted(node.value, steps)
            steps.append(([ast.Expr(value)], NONE))
        return steps

    def _assign(self, node: ast.Assign) -> list[Step]:
        target = first_await(*node.targets)
        if target is not None:
            self.refuse(target, "an await in the target of an assignment cannot be restored")
        steps: list[Step] = []
        if isinstance(node.value, ast.Await):
            self.wait(node.value, steps, lambda awaited: ast.Assign(node.targets, awaited))
        else:
            value = self.hoisted(node.value, steps)
            steps.append(([ast.Assign(node.targets, value)], NONE))
        return steps

    def _annotated(self, node: ast.AnnAssign) -> list[Step]:
        if node.value is None:
            self.refuse(node, "an await in an annotation cannot be restored")
        plain = ast.Assign([node.target], node.value)
        ast.copy_location(plain, node)
        return self._assign(plain)

    def _augmented(self, node: ast.AugAssign) -> list[Step]:
        """Rewrite ``target += value``. As in Python, the new code reads the target before it awaits
        the value.
        """
        target = node.target
        cause = first_await(target)
        if cause is not None:
            self.refuse(cause, "an await in the target of an assignment cannot be restored")
        steps: list[Step] = []
        loaded, stored = self._reusable_target(target, steps)
        before = self._variable()
        steps.append(([locate_assign(before, loaded, node)], NONE))
        value = self.hoisted(node.value, steps)
        changed = ast.AugAssign(store(before), node.op, value)
        steps.append(([changed, ast.Assign([stored], load(before))], NONE))
        return steps

    def _reusable_target(
        self, target: ast.Name | ast.Attribute | ast.Subscript, steps: list[Step]
    ) -> tuple[ast.expr, ast.expr]:
        """Return two expressions for the target of an assignment: the first reads the target, and
        the second assigns it. The new code evaluates the parts of the target only once.
        """
        if isinstance(target, ast.Name):
            return load(target.id), store(target.id)
        owner = self._store(target.value, target.value, steps)
        if isinstance(target, ast.Attribute):
            loaded = ast.Attribute(owner, target.attr, ast.Load())
            return loaded, ast.Attribute(owner, target.attr, ast.Store())
        key = self._store_operand(target.slice, target.slice, steps)
        return ast.Subscript(owner, key, ast.Load()), ast.Subscript(owner, key, ast.Store())

    def _assert(self, node: ast.Assert) -> list[Step]:
        if not __debug__:
            return [([ast.Pass()], NONE)]
        arguments = [node.msg] if node.msg is not None else []
        error = ast.Call(load("AssertionError"), arguments, [])
        check = ast.If(negated(node.test), [ast.Raise(error, None)], [])
        locate(check, node)
        return self.statement(check)

    def _raise(self, node: ast.Raise) -> list[Step]:
        steps: list[Step] = []
        error = node.exc and self.hoisted(node.exc, steps)
        if node.cause is not None and has_await(node.cause) and error is not None:
            error = self._store(error, error, steps)
        cause = node.cause and self.hoisted(node.cause, steps)
        steps.append(([ast.Raise(error, cause)], NONE))
        return steps

    def _return(self, node: ast.Return) -> list[Step]:
        steps: list[Step] = []
        leaving = [name for name in self._leaving if name is not None]
        if not leaving and isinstance(node.value, ast.Await):
            self.wait(node.value, steps, ast.Return)
            return steps
        value = node.value and self.hoisted(node.value, steps)
        if not leaving:
            steps.append(([ast.Return(value)], NONE))
            return steps
        notes: list[ast.stmt] = [assign(RETURNED, value or ast.Constant(None))]
        notes += [assign(name, number(_BY_RETURN)) for name in leaving]
        steps.append(([*notes, ast.Return(load(RETURNED))], NONE))
        return steps

    def _break(self, node: ast.Break | ast.Continue) -> list[Step]:
        exit_kind = _BY_BREAK if isinstance(node, ast.Break) else _BY_CONTINUE
        notes: list[ast.stmt] = []
        for name in reversed(self._leaving):
            if name is None:
                break
            notes.append(assign(name, number(exit_kind)))
        return [([*notes, node], NONE)]

    # -- if, loops, match --------------------------------------------------------------------------

    def _if(self, node: ast.If) -> list[Step]:
        steps: list[Step] = []
        test = self._consumed(node.test, steps)
        body, in_body = self.block(node.body)
        orelse, in_orelse = self.block(node.orelse)
        numbers = in_body | in_orelse
        if self.resuming and numbers:
            test = ast.IfExp(self.runs(), test, self.skips_to(in_body))
        choice: list[ast.stmt] = [ast.If(test, body, orelse)]
        steps.append((self.guarded(choice, numbers) if numbers else choice, numbers))
        return steps

    def _while(self, node: ast.While) -> list[Step]:
        if has_await(node.test):
            return self._while_awaited(node)
        self._leaving.append(None)
        body, in_body = self.block(node.body)
        self._leaving.pop()
        orelse, in_orelse = self.block(node.orelse)
        numbers = in_body | in_orelse
        test = node.test
        is_endless = isinstance(test, ast.Constant) and not in_orelse
        if self.resuming and numbers and not is_endless:
            test = ast.IfExp(self.runs(), test, self.skips_to(in_body))
        loop: list[ast.stmt] = [ast.While(test, body, orelse)]
        return [(self.guarded(loop, numbers) if numbers else loop, numbers)]

    def _while_awaited(self, node: ast.While) -> list[Step]:
        """Rewrite a ``while`` loop that has an ``await`` in its test. In the new loop, the test
        becomes the first statement of the body.
        """
        if node.orelse:
            self.refuse(node, "while … else with an await in its test cannot be restored")
        leave = ast.If(negated(node.test), [ast.Break()], [])
        locate(leave, node.test)
        self._leaving.append(None)
        body, numbers = self.block([leave, *node.body])
        self._leaving.pop()
        return [(self.guarded([ast.While(ast.Constant(True), body, [])], numbers), numbers)]

    def _for(self, node: ast.For) -> list[Step]:
        target = first_await(node.target)
        if target is not None:
            self.refuse(target, "an await in the target of a loop cannot be restored")
        steps: list[Step] = []
        iterable = self._consumed(node.iter, steps)
        awaits_inside = has_await(*node.body, *node.orelse)
        iterator = self.hidden("iterator")
        if awaits_inside:
            begin = locate_assign(iterator, call(support.ITERATE, iterable), node.iter)
            steps.append(([begin], NONE))
        self._needed.append(iterator)
        self._leaving.append(None)
        body, in_body = self.block(node.body)
        self._leaving.pop()
        self._needed.pop()
        orelse, in_orelse = self.block(node.orelse)
        numbers = in_body | in_orelse
        if not awaits_inside:
            steps.append(([ast.For(node.target, iterable, body, orelse)], NONE))
        elif self.resuming:
            loop = self._resumed_for(node, iterator, body, orelse, in_orelse)
            steps.append((self.guarded([loop], numbers), numbers))
        else:
            steps.append(([ast.For(node.target, load(iterator), body, orelse)], numbers))
        return steps

    def _resumed_for(
        self,
        node: ast.For,
        iterator: str,
        body: list[ast.stmt],
        orelse: list[ast.stmt],
        in_orelse: Numbers,
    ) -> ast.For:
        """Return a loop that continues in the middle of an iteration. In its first iteration, the
        loop neither takes an item from the iterator nor assigns the loop variable.
        """
        item = f"{iterator}item"
        suspended_round = ast.Tuple([ast.Constant(None)], ast.Load())
        resumed: ast.expr = call(support.CHAIN, suspended_round, load(iterator))
        if in_orelse:
            resumed = ast.IfExp(self.skips_to(in_orelse), ast.Tuple([], ast.Load()), resumed)
        iterable = ast.IfExp(self.runs(), load(iterator), resumed)
        assigned = self.guarded([ast.Assign([node.target], load(item))])
        return ast.For(store(item), iterable, [*assigned, *body], orelse)

    def _match(self, node: ast.Match) -> list[Step]:
        """Rewrite a ``match`` statement as two parts. The first stores the number of the matching
        case, and the second runs the body of this case.
        """
        steps: list[Step] = []
        subject = self._consumed(node.subject, steps)
        conditions = [case.guard for case in node.cases if case.guard is not None]
        cause = first_await(*conditions)
        if cause is not None:
            self.refuse(cause, "an await in the condition of a case cannot be restored")
        chosen = self._variable()
        cases = [
            ast.match_case(case.pattern, case.guard, [locate_assign(chosen, number(index), node)])
            for index, case in enumerate(node.cases, 1)
        ]
        steps.append(([assign(chosen, number(0)), ast.Match(subject, cases)], NONE))
        for index, case in enumerate(node.cases, 1):
            test: ast.expr = ast.Compare(load(chosen), [ast.Eq()], [number(index)])
            body, numbers = self.block(case.body)
            choice: list[ast.stmt] = [ast.If(test, body, [])]
            steps.append((self.guarded(choice, numbers) if numbers else choice, numbers))
        return steps

    # -- try ---------------------------------------------------------------------------------------

    def _try(self, node: ast.Try) -> list[Step]:
        cause = first_await(*node.finalbody)
        if cause is not None:
            self.refuse(cause, "an await in a finally block cannot be restored; await before it")
        in_handlers = any(has_await(*handler.body) for handler in node.handlers)
        body, in_body = self.block(node.body, skipped=in_handlers or has_await(*node.orelse))
        handlers, in_handler, caught = self._handlers(node.handlers)
        orelse, in_orelse = self.block(node.orelse)
        final, _ = self.block(node.finalbody)
        numbers = in_body.union(in_orelse, *in_handler)
        if not numbers:
            return [([ast.Try(body, handlers, orelse, final)], NONE)]
        if self.resuming:
            for handler, own in zip(handlers, in_handler, strict=True):
                self._resume_handler(handler, own)
            again = frozenset[int]().union(*in_handler)
            if again:
                raised = ast.If(self.skips_to(again), [ast.Raise(load(caught), None)], [])
                body = [raised, *body]
        # A dropped coroutine must end without running its ``except`` and ``finally`` blocks.
        if handlers:
            handlers.insert(0, ast.ExceptHandler(load(support.DROPPED), None, [ast.Raise()]))
        if final:
            final = [_unless_dropped(final)]
        statement: list[ast.stmt] = [ast.Try(body, handlers, orelse, final)]
        return [(self.guarded(statement, numbers), numbers)]

    def _handlers(
        self, handlers: Sequence[ast.ExceptHandler]
    ) -> tuple[list[ast.ExceptHandler], list[Numbers], str]:
        """Rewrite the handlers of a ``try``. Return the new handlers, the numbers of the awaits in
        each handler, and the hidden variable that contains the caught error.
        """
        caught = self.hidden("error")
        rewritten: list[ast.ExceptHandler] = []
        numbers: list[Numbers] = []
        for handler in handlers:
            new, own = self._handler(handler, caught)
            rewritten.append(new)
            numbers.append(own)
        return rewritten, numbers, caught

    def _handler(
        self, handler: ast.ExceptHandler, caught: str
    ) -> tuple[ast.ExceptHandler, Numbers]:
        """Rewrite one handler of a ``try``. Return the new handler, and the numbers of its awaits.
        If the handler has an ``await``, the hidden variable ``caught`` contains the caught error.
        """
        cause = handler.type and first_await(handler.type)
        if cause is not None:
            self.refuse(cause, "an await in the class of an except cannot be restored")
        self._needed.append(caught)
        body, numbers = self.block(handler.body)
        self._needed.pop()
        name = handler.name
        if numbers:
            name = name or f"{caught}name"
            # Delete the error at the end, because the error and the frame refer to each other.
            freed = assign(caught, ast.Constant(None))
            body = [*self.guarded([assign(caught, load(name))]), *body, freed]
        rewritten = ast.ExceptHandler(handler.type, name, body)
        ast.copy_location(rewritten, handler)
        return rewritten, numbers

    def _resume_handler(self, handler: ast.ExceptHandler, own: Numbers) -> None:
        """Change an ``except`` handler for the resuming code. To skip forward to an ``await`` in
        the handler, the code raises the caught error again. The changed handler catches it without
        evaluating the class after ``except`` again.
        """
        if handler.type is None:
            return
        any_error = load("BaseException")
        resumed: ast.expr = ast.Tuple([], ast.Load())
        if own:
            resumed = ast.IfExp(self.skips_to(own), any_error, resumed)
        handler.type = ast.IfExp(self.runs(), handler.type, resumed)

    # -- with --------------------------------------------------------------------------------------

    def _with(self, node: ast.With) -> list[Step]:
        if len(node.items) > 1:
            return self._nested_with(node)
        steps: list[Step] = []
        (item,) = node.items
        manager = self._consumed(item.context_expr, steps)
        name = self.hidden("manager")
        self._needed.append(name)
        body, numbers = self.block(node.body)
        self._needed.pop()
        if not numbers:
            plain = ast.With([ast.withitem(manager, item.optional_vars)], body)
            steps.append(([plain], NONE))
            return steps
        steps.append(([locate_assign(name, manager, item.context_expr)], NONE))
        target = item.optional_vars
        if self.resuming:
            entered = call(support.MANAGER, load(name), self.runs())
            value = f"{name}value"
            if target is not None:
                assigned = self.guarded([ast.Assign([target], load(value))])
                body = [*assigned, *body]
                target = store(value)
        else:
            entered = call(support.MANAGER, load(name))
        locate(entered, item.context_expr)
        block: list[ast.stmt] = [ast.With([ast.withitem(entered, target)], body)]
        steps.append((self.guarded(block, numbers), numbers))
        return steps

    def _nested_with(self, node: ast.With | ast.AsyncWith) -> list[Step]:
        """Rewrite ``with a, b:`` as ``with a:`` that contains ``with b:``."""
        first, *inner_items = node.items
        inner = type(node)(inner_items, node.body)
        return self.statement(type(node)([first], [inner]))

    def _async_with(self, node: ast.AsyncWith) -> list[Step]:
        """Rewrite an ``async with`` statement: an `AsyncManager` replaces the context manager.

        The statement waits when it enters the block, and again when it leaves the block. Each wait
        has its own await number.
        """
        if len(node.items) > 1:
            return self._nested_with(node)
        steps: list[Step] = []
        (item,) = node.items
        manager = self._consumed(item.context_expr, steps)
        name = self.hidden("manager")
        leaving = self.hidden("left")
        self.count += 2
        entering = self.count - 1
        exiting = self.count
        self.blocks[name] = entering, exiting
        self._needed += (name, leaving)
        self.live[entering] = tuple(self._needed)
        self.live[exiting] = (*self._needed, RETURNED)
        wrapped = call(support.ASYNC_MANAGER, manager, number(entering), number(exiting))
        begin: list[ast.stmt] = [assign(name, wrapped), assign(leaving, number(_NOT_LEFT))]
        steps.append((begin, NONE))
        is_in_loop = any(outer is None for outer in self._leaving)
        self._leaving.append(leaving)
        body, numbers = self.block(node.body)
        self._leaving.pop()
        del self._needed[-2:]
        # At the end of the block, no `return` has left the block.
        body.append(assign(leaving, number(_NOT_LEFT)))
        target = item.optional_vars
        if self.resuming:
            body, target = self._resumed_async_body(
                body, target, name, leaving, (entering, exiting), is_in_loop
            )
        numbers = numbers | {entering, exiting}
        block: list[ast.stmt] = [ast.AsyncWith([ast.withitem(load(name), target)], body)]
        steps.append((self.guarded(block, numbers), numbers))
        return steps

    def _resumed_async_body(
        self,
        body: list[ast.stmt],
        target: ast.expr | None,
        name: str,
        leaving: str,
        ends: tuple[int, int],
        is_in_loop: bool,
    ) -> tuple[list[ast.stmt], ast.expr | None]:
        """Return two parts of an ``async with`` statement for the resuming code: its new body, and
        the variable after ``as``.

        If the captured coroutine was leaving the block, the new body leaves the block in the same
        way.
        """
        entering, exiting = ends
        arrived: list[ast.stmt] = [assign(TARGET, number(0))]
        if target is not None:
            value = f"{name}value"
            arrived.insert(0, ast.Assign([target], load(value)))
            target = store(value)
        just_entered = either(self.runs(), self.skips_to([entering]))
        body = [ast.If(just_entered, arrived, []), *body]
        again = ast.Expr(ast.Call(ast.Attribute(load(name), "leave_again", ast.Load()), [], []))
        leave = [assign(TARGET, number(0)), again, *_jumps(leaving, is_in_loop)]
        return [ast.If(self.skips_to([exiting]), leave, body)], target


def _jumps(leaving: str, is_in_loop: bool) -> list[ast.stmt]:
    """Create the statements that leave a block: ``return``, and inside a loop also ``break`` and
    ``continue``. The hidden variable ``leaving`` selects one of them when the statements run.
    """
    exits: list[tuple[int, ast.stmt]] = [(_BY_RETURN, ast.Return(load(RETURNED)))]
    if is_in_loop:
        exits += [(_BY_BREAK, ast.Break()), (_BY_CONTINUE, ast.Continue())]
    return [
        ast.If(ast.Compare(load(leaving), [ast.Eq()], [number(exit_kind)]), [jump], [])
        for exit_kind, jump in exits
    ]


def _unless_dropped(body: list[ast.stmt]) -> ast.stmt:
    """Return a statement that runs ``body``, a ``finally`` block, unless `drop` ends the
    coroutine.
    """
    error = ast.Attribute(call(support.ERROR), "__class__", ast.Load())
    is_live = ast.Compare(error, [ast.IsNot()], [load(support.DROPPED)])
    return ast.If(is_live, body, [])


_Rewrite = Callable[[StatementRewriter, ast.stmt], list[Step]]

_REWRITES: dict[type[ast.stmt], _Rewrite] = {
    ast.Expr: StatementRewriter._expression,  # type: ignore[dict-item]
    ast.Assign: StatementRewriter._assign,  # type: ignore[dict-item]
    ast.AnnAssign: StatementRewriter._annotated,  # type: ignore[dict-item]
    ast.AugAssign: StatementRewriter._augmented,  # type: ignore[dict-item]
    ast.Assert: StatementRewriter._assert,  # type: ignore[dict-item]
    ast.Raise: StatementRewriter._raise,  # type: ignore[dict-item]
    ast.Return: StatementRewriter._return,  # type: ignore[dict-item]
    ast.Break: StatementRewriter._break,  # type: ignore[dict-item]
    ast.Continue: StatementRewriter._break,  # type: ignore[dict-item]
    ast.If: StatementRewriter._if,  # type: ignore[dict-item]
    ast.While: StatementRewriter._while,  # type: ignore[dict-item]
    ast.For: StatementRewriter._for,  # type: ignore[dict-item]
    ast.Match: StatementRewriter._match,  # type: ignore[dict-item]
    ast.Try: StatementRewriter._try,  # type: ignore[dict-item]
    ast.With: StatementRewriter._with,  # type: ignore[dict-item]
    ast.AsyncWith: StatementRewriter._async_with,  # type: ignore[dict-item]
}
