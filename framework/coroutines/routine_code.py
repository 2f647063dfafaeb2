"""Compile two versions of an ``async def`` function: one to run it, and one to restore it.

The first version, the *running code*, does the same as the original function, but stores values
that Python would keep on its stack during an ``await`` in hidden variables. The second version, the
*resuming code*, can also skip forward to an ``await``. It is compiled only when a coroutine is
restored.
"""

from __future__ import annotations

import ast
import copy
import dis
import functools
import sys
import types
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .refusals import CannotCompile
from .source import class_around, definition_of, digest_of, digests_in
from .statements import StatementRewriter
from .support import COMPILED_FLAG
from .syntax import AWAITED, CELLS, HIDDEN, SAVED, TARGET, assign, bound_names, load, mangled

_FACTORY = "@factory"
_FUNCTION = "@function"
_FUTURES = 0x1FE0000  # the code flags of `from __future__ import …`
_READS_VARIABLES = ("locals", "exec", "eval", "vars", "dir")

_by_code: dict[int, RoutineCode | CannotCompile] = {}
# References to the code objects, so that the ids in `_by_code` stay unique.
_codes: list[types.CodeType] = []


class RoutineCode:
    """The two compiled versions of one ``async def``.

    Raises `CannotCompile` if the coroutines of the function cannot be restored.
    """

    def __init__(self, code: types.CodeType, space: Mapping[str, Any]) -> None:
        self.plain = code
        """The original code of the function, which Python has compiled."""
        self.name = code.co_qualname
        self.path = code.co_filename
        self.definition = definition_of(code, space)
        self.outdated = False
        """Whether a hot reload has changed the function since this code was compiled."""
        self._class_name = class_around(code)
        self._check()
        self.cells = tuple(sorted({*code.co_cellvars, *code.co_freevars}))
        """The names of the variables that the function shares with inner or outer functions."""
        rewriter = StatementRewriter(False, self.path)
        body, _ = rewriter.block(copy.deepcopy(self.definition.body))
        self._blocks = rewriter.blocks
        self.live = rewriter.live
        """For each await, by its number: the hidden variables that later code still reads."""
        self.has_async_with = any(
            isinstance(node, ast.AsyncWith) for node in ast.walk(self.definition)
        )
        self.running = self._compiled_running(body)

    @functools.cached_property
    def digest(self) -> str:
        """A hash of the source code of the function. Comments and line numbers do not affect the
        hash.
        """
        return digest_of(self.definition)

    @functools.cached_property
    def resuming(self) -> types.CodeType:
        """The compiled resuming code, which skips forward to an ``await``."""
        code = self._compiled_resuming()
        _register(code, self)
        return code

    def block_numbers(self, name: str) -> tuple[int, int]:
        """Return the two await numbers of an ``async with`` block: the number for entering it and
        the number for leaving it. ``name`` is the hidden variable that contains the context manager
        of the block.

        Raises `KeyError` for any other name.
        """
        return self._blocks[name]

    def line_of(self, frame: types.FrameType | None) -> str:
        """Return the file and the line where a coroutine waits, as a string in the form
        "path:line".
        """
        line = self.plain.co_firstlineno if frame is None else frame.f_lineno
        return f"{self.path}:{line}"

    # -- checks ------------------------------------------------------------------------------------

    def _refuse(self, node: ast.AST, reason: str) -> None:
        raise CannotCompile(self.path, getattr(node, "lineno", 0), reason)

    def _check(self) -> None:
        """Raise `CannotCompile` if the function cannot be rewritten, or if its source has changed
        since Python compiled it.
        """
        for node in ast.walk(self.definition):
            called = node.func if isinstance(node, ast.Call) else None
            if isinstance(called, ast.Name) and called.id in _READS_VARIABLES:
                if called.id in ("vars", "dir") and node.args:  # type: ignore[attr-defined]
                    continue
                self._refuse(node, f"a routine that calls {called.id}() cannot be restored")
        plain = self._compiled([*self.definition.body], self.definition.args)
        if not _is_same(plain, self.plain) and not _is_rewritten(self.plain):
            words = f"the source of {self.name} has changed since it was loaded"
            self._refuse(self.definition, words)

    # -- compiling ---------------------------------------------------------------------------------

    def _compiled_running(self, body: list[ast.stmt]) -> types.CodeType:
        head: list[ast.stmt] = []
        if self.cells:
            names = [ast.Name(name, ast.Load()) for name in self.cells]
            no_arguments = ast.arguments([], [], None, [], [], None, [])
            shared = ast.Lambda(no_arguments, ast.Tuple([*names], ast.Load()))
            head = [assign(CELLS, shared)]
        code = self._compiled([*head, *body], self.definition.args)
        if code.co_freevars != self.plain.co_freevars:
            self._refuse(
                self.definition, f"{self.name} uses variables in a way that is not supported"
            )
        code = code.replace(co_flags=code.co_flags | COMPILED_FLAG)
        _register(code, self)
        return code

    def _compiled_resuming(self) -> types.CodeType:
        rewriter = StatementRewriter(True, self.path)
        shared = {*self.plain.co_cellvars}
        definition = copy.deepcopy(self.definition)
        if shared:
            plain = _WithoutAnnotations()
            definition.body = [plain.visit(statement) for statement in definition.body]
        body, _ = rewriter.block(definition.body)
        # These names are keys of a dict. Python changes private names (`__name`) only in code, so
        # change them here.
        bound = {mangled(name, self._class_name) for name in bound_names(self.definition)}
        own = [name for name in self.plain.co_varnames if name in bound and name not in shared]
        names = [*own, *sorted(_hidden_variables(body) - {TARGET}), AWAITED]
        if self.cells:
            names.append(CELLS)
        head: list[ast.stmt] = [ast.Nonlocal(sorted(shared))] if shared else []
        head += [_assign_if_saved(name) for name in dict.fromkeys(names)]
        head.append(assign(SAVED, ast.Constant(None)))
        arguments = ast.arguments([], [ast.arg(TARGET), ast.arg(SAVED)], None, [], [], None, [])
        code = self._compiled([*head, *body], arguments, [*self.plain.co_cellvars])
        return code.replace(co_flags=code.co_flags | COMPILED_FLAG)

    def _compiled(
        self,
        body: Sequence[ast.stmt],
        arguments: ast.arguments,
        shared: Sequence[str] = (),
    ) -> types.CodeType:
        """Compile a function that has the statements ``body``. The new function can use the same
        outer variables as the original function.

        To make this possible, the method compiles three things: an outer function, a class inside
        it, and the new function inside the class. The class has the same name as the class of the
        original function. The outer function has the free variables of the original function, and
        the variables named in ``shared``.
        """
        function = ast.AsyncFunctionDef(_FUNCTION, _without_values(arguments), [*body], [], None)
        factory = self._factory(function, (*self.plain.co_freevars, *shared))
        module = ast.Module([factory], [])
        _locate_all(module, self.definition)
        flags = self.plain.co_flags & _FUTURES
        # Python has already shown these warnings when it compiled the module.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            whole = compile(module, self.path, "exec", flags=flags, dont_inherit=True)
        code = next(part for part in _codes_in(whole) if part.co_name == _FUNCTION)
        code = code.replace(co_name=self.plain.co_name, co_qualname=self.name)
        return _renamed_inner(code, self.name)

    def _factory(self, function: ast.AsyncFunctionDef, enclosing: Sequence[str]) -> ast.FunctionDef:
        """Return the outer function of ``function``, with a class around ``function`` if the
        original function is in a class. The outer function has the variables ``enclosing``.
        """
        statement: ast.stmt = function
        head: list[ast.stmt] = []
        if self._class_name is not None:
            statement = ast.ClassDef(self._class_name, [], [], [function], [])
            if self._class_name not in self.plain.co_freevars:
                # The function may use the name of its class.
                head = [ast.Global([self._class_name])]
        names = dict.fromkeys(name for name in enclosing if name != "__class__")
        parameters = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
        factory = ast.FunctionDef(_FACTORY, parameters, [*head, statement], [], None)
        if sys.version_info >= (3, 12):
            for node in (function, statement, factory):
                node.type_params = []  # type: ignore[union-attr]
        return factory


def _hidden_variables(body: Sequence[ast.stmt]) -> set[str]:
    """Return the names of the hidden variables that the statements ``body`` assign."""
    return {
        node.id
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Store)
        and node.id.startswith(HIDDEN)
    }


def _assign_if_saved(name: str) -> ast.stmt:
    """Return a statement that assigns the saved value of a variable, if there is a saved value."""
    is_saved = ast.Compare(ast.Constant(name), [ast.In()], [load(SAVED)])
    value = ast.Subscript(load(SAVED), ast.Constant(name), ast.Load())
    return ast.If(is_saved, [assign(name, value)], [])


class _WithoutAnnotations(ast.NodeTransformer):
    """Removes annotations from assignments: ``x: int = 1`` becomes ``x = 1``. This is necessary
    because Python does not allow an annotation if ``x`` is a variable of an outer function.
    """

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if not isinstance(node.target, ast.Name):
            return node
        value = node.value
        plain: ast.stmt = ast.Pass() if value is None else ast.Assign([node.target], value)
        return ast.copy_location(plain, node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        return node


def _without_values(arguments: ast.arguments) -> ast.arguments:
    """Return a copy of ``arguments`` without annotations, and with None as each default value. The
    copy needs no default values, because the function object contains them.
    """
    plain = copy.deepcopy(arguments)
    for node in ast.walk(plain):
        if isinstance(node, ast.arg):
            node.annotation = None
    plain.defaults = [ast.Constant(None) for _ in plain.defaults]
    plain.kw_defaults = [default and ast.Constant(None) for default in plain.kw_defaults]
    return plain


def _locate_all(module: ast.Module, like: ast.AST) -> None:
    """Set the line of all nodes without a line to the first line of the function ``like``."""
    line = getattr(like, "lineno", 1)
    for node in ast.walk(module):
        if "lineno" in node._attributes and not hasattr(node, "lineno"):
            node.lineno = node.end_lineno = line  # type: ignore[attr-defined]
            node.col_offset = node.end_col_offset = 0  # type: ignore[attr-defined]


def _codes_in(code: types.CodeType) -> Iterator[types.CodeType]:
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield part
            yield from _codes_in(part)


def _renamed_inner(code: types.CodeType, qualname: str) -> types.CodeType:
    """Return a copy of ``code`` in which the inner functions have the same ``__qualname__`` as in
    the source.
    """
    parts: list[object] = []
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            inner = part.co_qualname.rpartition(f"{_FUNCTION}.<locals>.")[2]
            renamed = part.replace(co_qualname=f"{qualname}.<locals>.{inner}")
            parts.append(_renamed_inner(renamed, qualname))
        else:
            parts.append(part)
    return code.replace(co_consts=tuple(parts))


def _is_same(first: types.CodeType, second: types.CodeType) -> bool:
    """Return whether two code objects do the same thing. The comparison ignores line numbers."""
    if first.co_names != second.co_names:
        return False
    if first.co_code != second.co_code and _operations(first) != _operations(second):
        return False
    if first.co_varnames != second.co_varnames or len(first.co_consts) != len(second.co_consts):
        return False
    return all(map(_is_same_constant, first.co_consts, second.co_consts))


def _is_same_constant(first: object, second: object) -> bool:
    if isinstance(first, types.CodeType) and isinstance(second, types.CodeType):
        return _is_same(first, second)
    # NaN is not equal to itself, but its text is the same.
    return type(first) is type(second) and (first == second or repr(first) == repr(second))


def _operations(code: types.CodeType) -> list[tuple[str, object]]:
    """Return the instructions of a code object in a form that can be compared. Python compiles a
    call ``name.method()`` differently if the module has imported ``name``, but the result is the
    same in both cases.
    """
    jumps = {*dis.hasjrel, *dis.hasjabs}
    operations: list[tuple[str, object]] = []
    for instruction in dis.get_instructions(code):
        name = instruction.opname
        argument: object = instruction.argval
        if instruction.opcode in jumps or isinstance(argument, types.CodeType):
            argument = None
        if name not in _NO_OPERATION:
            operations.append((_SAME_OPERATION.get(name, name), argument))
    return operations


_SAME_OPERATION = {"LOAD_METHOD": "LOAD_ATTR"}
_NO_OPERATION = ("PUSH_NULL", "PRECALL", "NOP", "EXTENDED_ARG")


def _is_rewritten(code: types.CodeType) -> bool:
    """Return whether pytest has rewritten the assertions of a function. A rewritten function does
    the same as its source, but has different instructions.
    """
    return any(
        name.startswith("@py")
        for part in (code, *_codes_in(code))
        for name in part.co_names + part.co_varnames
    )


# -- the registry ----------------------------------------------------------------------------------


def _register(code: types.CodeType, entry: RoutineCode | CannotCompile) -> None:
    _codes.append(code)
    _by_code[id(code)] = entry


def known(code: types.CodeType) -> RoutineCode | CannotCompile | None:
    """Return the result of an earlier call of `compiled` for ``code``: a `RoutineCode` or an error.
    If there was no such call, return None.
    """
    return _by_code.get(id(code))


def compiled(code: types.CodeType, space: Mapping[str, Any]) -> RoutineCode | CannotCompile:
    """Return the `RoutineCode` for the code of a coroutine function, or the error if it cannot be
    compiled. ``space`` is the dict of the function's global variables.
    """
    entry = known(code)
    if entry is None:
        try:
            entry = RoutineCode(code, space)
        except CannotCompile as error:
            entry = error
        _register(code, entry)
    return entry


def mark_changed(path: str, body: Sequence[ast.stmt]) -> None:
    """Set `RoutineCode.outdated` for all compiled functions of the file ``path``. A function is
    outdated if its source has changed. ``body`` contains the statements of the changed file.

    Hot reload calls this function after a file has changed.
    """
    entries = [entry for entry in _by_code.values() if isinstance(entry, RoutineCode)]
    entries = [entry for entry in dict.fromkeys(entries) if entry.path == path]
    if entries:
        digests = digests_in(ast.Module([*body], []))
        for entry in entries:
            entry.outdated = entry.digest not in digests.get(entry.name, ())
