"""Find the framework class of each expression in a program, for `framework upgrade`.

`Program` reads the text of a program without running it. It infers types from the assignments in
the program and from the framework's annotations. For example, after
``self.ships = self.add(fw.SpriteBatch(image))``, ``self.ships`` is a `SpriteBatch`.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import functools
import importlib
import inspect
import pkgutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any, TypeVar, get_args, get_origin

from ..checks import Setting
from ..game.reserved_names import is_read_only, is_taken
from ..moved_names import CLASSES, FUNCTIONS, HasMoved, Moved, MovedSetting

_PACKAGE = __name__.partition(".")[0]
_MAX_DEPTH = 40  # the maximum nesting depth of an expression whose type is inferred
# Containers whose elements have the type of the last argument, as in dict[str, int].
_ELEMENT_LAST = (dict, Mapping)


@dataclass
class ProgramClass:
    """A class that the program defines."""

    name: str
    bases: list[type | ProgramClass]
    attributes: dict[str, Type] = field(default_factory=dict)
    """The types of the attributes that methods of the class set on ``self``."""
    names: set[str] = field(default_factory=set)
    """The names of the methods and attributes that the class defines."""
    reserved: set[str] = field(default_factory=set)
    """The names in `names` that a program can no longer use for itself, because the framework now
    uses them.
    """
    results: dict[str, Type | None] = field(default_factory=dict)
    """The type that each method of the class returns."""
    parameters: dict[str, set[str]] = field(default_factory=dict)
    """The names of the parameters of each method."""

    def framework_bases(self) -> Iterator[type]:
        """Yield the framework classes that this class inherits from."""
        for base in self.bases:
            if isinstance(base, ProgramClass):
                yield from base.framework_bases()
            else:
                yield base

    def defines(self, name: str) -> bool:
        """Return whether the program defines the attribute ``name`` in this class or in one of its
        base classes.
        """
        return name in self.names or any(
            isinstance(base, ProgramClass) and base.defines(name) for base in self.bases
        )

    def definer(self, name: str) -> ProgramClass | None:
        """Return the class of the program that defines the attribute ``name``: this class or one of
        its base classes.
        """
        bases = (base for base in self.bases if isinstance(base, ProgramClass))
        return (
            self
            if name in self.names
            else next((base.definer(name) for base in bases if base.defines(name)), None)
        )

    def has_reserved(self, name: str) -> bool:
        """Return whether the program defines ``name`` in this class or in a base class, although
        the framework now uses ``name`` itself.
        """
        return name in self.reserved or any(
            isinstance(base, ProgramClass) and base.has_reserved(name) for base in self.bases
        )

    def has_parameter(self, method: str, name: str) -> bool:
        """Return whether the method ``method`` of this class has a parameter ``name``."""
        if method in self.parameters:
            return name in self.parameters[method]
        bases = (base for base in self.bases if isinstance(base, ProgramClass))
        return any(base.has_parameter(method, name) for base in bases)

    def type_of(self, name: str) -> Type | None:
        """Return the type of this class's attribute or method, or None if the type is unknown."""
        if name in self.attributes:
            return self.attributes[name]
        if name in self.results:
            return Type(ProgramFunction(self.results[name]))
        inherited = (base.type_of(name) for base in self.bases if isinstance(base, ProgramClass))
        return next((base_type for base_type in inherited if base_type is not None), None)


@dataclass(frozen=True)
class ProgramFunction:
    """A function or method that the program defines."""

    result: Type | None
    """The type of the value that the function returns, or None if it is unknown."""


@dataclass(frozen=True)
class Type:
    """The type of an expression: an instance of a class, or the class itself."""

    of: object
    """The class of the expression. It can also be a module, a function or a type variable. For a
    class or function that the program defines, it is a `ProgramClass` or a `ProgramFunction`.
    """
    arguments: tuple[Type | None, ...] = ()
    is_class: bool = False
    receiver: Type | None = None
    """For a method ``x.method``, the type of ``x``. Otherwise None."""
    module: str = ""
    """The name of a function's module, such as "collide"."""


Scope = dict[str, Type | None]
"""The types of the variables in a function, class or module, by name. The type is None if the
program assigns to the variable but the type is unknown.
"""

Visit = Callable[[ast.AST, Type | None], None]
"""A function that `Program.walk` calls with a node of the program and a type. The type belongs to:

- the object, if the node is an attribute.
- the function, if the node is a call.
- the class, if the node is a definition in a class.
- the module, if the node is a name in an import.
- the variable, if the node is a variable.
"""


class Program:
    """A Python program. `Program` finds the types of the program's expressions without running the
    program.
    """

    def __init__(
        self,
        tree: ast.Module,
        conventions: Mapping[str, type],
        variables: Mapping[str, Type | None],
    ) -> None:
        """``conventions`` maps variable names, such as "game", to the class that such variables
        usually have. ``conventions`` is used only for variables whose type is unknown.
        ``variables`` contains the types of variables that the program uses without assigning to
        them.
        """
        self._tree = tree
        self._conventions = conventions
        self.variables: Scope = dict(variables)
        """The types of the module's variables. `walk` adds the variables of the program."""
        self._classes: dict[ast.ClassDef, ProgramClass] = {}
        self._visit: Visit = _ignore
        self._scopes: list[Scope] = []
        self._functions: dict[str, Type] = {}
        """The functions of the program by name. A program may call a function before defining it.
        """
        self._result: Type | None = None
        """The return type of the current function."""
        self._framework = framework_classes()
        # The first pass finds the attributes. The second pass finds their types, even if the method
        # that sets an attribute comes later.
        for _ in range(2):
            self._block(tree.body, [dict(variables)])

    def attributes(self) -> dict[str, Type]:
        """Return the types of all attributes that methods set on ``self``, in any class."""
        attributes: dict[str, Type] = {}
        for cls in self._classes.values():
            attributes |= cls.attributes
        return attributes

    def walk(self, visit: Visit) -> None:
        """Call ``visit`` for each node of the program that may contain an old name. See `Visit`."""
        self._visit = visit
        self._block(self._tree.body, [self.variables])
        self._visit = _ignore

    # -- statements --------------------------------------------------------------------------------

    def _block(self, body: list[ast.stmt], scopes: list[Scope]) -> None:
        for statement in body:
            self._statement(statement, scopes)

    def _statement(self, node: ast.stmt, scopes: list[Scope]) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node, scopes[-1])
        elif isinstance(node, ast.ClassDef):
            self._class(node, scopes)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._function(node, scopes, None)
        else:
            self._expressions(node, scopes)
            self._assign_types(node, scopes)
            self._nested_blocks(node, scopes)

    def _assign_types(self, node: ast.stmt, scopes: list[Scope]) -> None:
        """Record the types of the variables and attributes that a statement sets, and the type of
        the value that it returns.
        """
        if isinstance(node, ast.Return):
            self._result = self._result or self._infer(node.value, scopes)
        elif isinstance(node, ast.Assign):
            value_type = self._infer(node.value, scopes)
            for target in node.targets:
                self._assign(target, value_type, scopes, node.value)
        elif isinstance(node, ast.AnnAssign):
            self._strings(node.annotation, scopes)
            declared = self._annotated(node.annotation, scopes)
            value_type = self._infer(node.value, scopes) if node.value else None
            self._assign(node.target, declared or value_type, scopes, None)
        elif isinstance(node, ast.For | ast.AsyncFor):
            self._assign(node.target, self._element(node.iter, scopes), scopes, None)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                if item.optional_vars is not None:
                    entered = self._infer(item.context_expr, scopes)
                    self._assign(item.optional_vars, entered, scopes, None)

    def _nested_blocks(self, node: ast.stmt, scopes: list[Scope]) -> None:
        for name in ("body", "orelse", "finalbody"):
            self._block(getattr(node, name, []), scopes)
        for handler in getattr(node, "handlers", []):
            if handler.type is not None:
                self._expression(handler.type, scopes)
            self._block(handler.body, scopes)
        for case in getattr(node, "cases", []):
            self._expression(case.pattern, scopes)
            if case.guard is not None:
                self._expression(case.guard, scopes)
            self._block(case.body, scopes)

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] == _PACKAGE:
                    whole = alias.name if alias.asname else _PACKAGE
                    scope[alias.asname or _PACKAGE] = Type(sys.modules.get(whole, _root()))
        elif not node.level and (node.module or "").partition(".")[0] == _PACKAGE:
            module = sys.modules.get(node.module or "")
            for alias in node.names:
                self._visit(alias, Type(module or _root()))
                imported = _of_module(module or _root(), alias.name)
                if imported is not None:
                    scope[alias.asname or alias.name] = imported

    def _class(self, node: ast.ClassDef, scopes: list[Scope]) -> None:
        cls = self._classes.setdefault(node, ProgramClass(node.name, []))
        bases = [self._infer(base, scopes) for base in node.bases]
        cls.bases = [
            base.of
            for base in bases
            if base is not None and base.is_class and isinstance(base.of, type | ProgramClass)
        ]
        scopes[-1][node.name] = Type(cls, is_class=True)
        for part in [*node.bases, *node.keywords]:
            self._expression(part, scopes)
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                self._define(statement, statement.name, cls)
                self._function(statement, scopes, cls)
                continue
            for target in _targets(statement):
                if isinstance(target, ast.Name):
                    self._define(target, target.id, cls)
            self._statement(statement, [*scopes, {}])
        for decorator in node.decorator_list:
            self._expressions(decorator, scopes)

    def _define(self, node: ast.AST, name: str, cls: ProgramClass) -> None:
        """Record a name that a class in the program defines."""
        cls.names.add(name)
        if any(is_taken(base, name) for base in cls.framework_bases()) and not _extends(node):
            cls.reserved.add(name)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            cls.parameters[name] = {argument.arg for argument in _arguments(node)}
        self._visit(node, Type(cls))

    def _function(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        scopes: list[Scope],
        cls: ProgramClass | None,
    ) -> None:
        scope = self._parameters(node, scopes)
        arguments = _arguments(node)
        if cls is not None and arguments:
            scope[arguments[0].arg] = Type(cls)
            scope["super"] = Type(_super, receiver=Type(ProgramClass("super", cls.bases)))
        for decorator in node.decorator_list:
            self._expressions(decorator, scopes)
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if default is not None:
                self._expressions(default, scopes)
        outer = self._result
        self._result = self._annotated(node.returns, scopes) if node.returns is not None else None
        self._block(node.body, [*scopes, scope])
        result = self._result
        self._result = outer
        is_property = any(getattr(part, "id", "") == "property" for part in node.decorator_list)
        if cls is None:
            function = Type(ProgramFunction(result))
            scopes[-1][node.name] = self._functions[node.name] = function
        elif not is_property:
            cls.results[node.name] = result
        elif result is not None:
            cls.attributes[node.name] = result

    def _parameters(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, scopes: list[Scope]
    ) -> Scope:
        """Return the types of a function's parameters, and visit all its annotations."""
        scope: Scope = {}
        for argument in _arguments(node):
            # On a documentation page, a method may be outside a class.
            if argument.arg != "self":
                scope[argument.arg] = None
            if argument.annotation is not None:
                self._annotation(argument.annotation, scopes)
                scope[argument.arg] = self._annotated(argument.annotation, scopes)
        for unnamed in (node.args.vararg, node.args.kwarg):
            if unnamed is not None and unnamed.annotation is not None:
                self._annotation(unnamed.annotation, scopes)
        if node.returns is not None:
            self._annotation(node.returns, scopes)
        return scope

    def _assign(
        self, target: ast.expr, known: Type | None, scopes: list[Scope], value: ast.expr | None
    ) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
            known_parts = known.arguments if known is not None and known.of is tuple else ()
            for index, part in enumerate(target.elts):
                matching = values[index] if index < len(values) else None
                inner = known_parts[index] if index < len(known_parts) else None
                self._assign(part, inner, scopes, matching)
        elif isinstance(target, ast.Name):
            scopes[-1][target.id] = known
        elif isinstance(target, ast.Attribute):
            owner = self._infer(target.value, scopes)
            if owner is not None and isinstance(owner.of, ProgramClass) and not owner.is_class:
                self._set(owner.of, target.attr)
                if known is not None:
                    owner.of.attributes.setdefault(target.attr, known)

    def _set(self, cls: ProgramClass, name: str) -> None:
        """Record the type of an attribute that a method sets on ``self``. Settings that the
        framework defines are not recorded.
        """
        for base in cls.framework_bases():
            if is_read_only(base, name):
                cls.reserved.add(name)
            elif _is_setting(inspect.getattr_static(base, name, None)):
                return
        cls.names.add(name)

    # -- expressions -------------------------------------------------------------------------------

    def _expressions(self, node: ast.AST, scopes: list[Scope]) -> None:
        """Visit the expressions of a statement, but not the statements in its body."""
        for child in ast.iter_child_nodes(node) if isinstance(node, ast.stmt) else [node]:
            if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
                continue
            self._expression(child, scopes)

    def _expression(self, node: ast.AST, scopes: list[Scope]) -> None:
        if isinstance(node, ast.Lambda):
            scopes = [*scopes, {}]
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            scopes = [*scopes, {}]
            for generator in node.generators:
                self._assign(generator.target, self._element(generator.iter, scopes), scopes, None)
        elif isinstance(node, ast.NamedExpr):
            self._assign(node.target, self._infer(node.value, scopes), scopes, None)
        for child in ast.iter_child_nodes(node):
            self._expression(child, scopes)
        self._scopes = scopes
        if isinstance(node, ast.Attribute):
            self._visit(node, self._infer(node.value, scopes))
        elif isinstance(node, ast.Call):
            self._visit(node, self._infer(node.func, scopes))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            self._visit(node, self._infer(node, scopes))

    def _annotation(self, node: ast.expr, scopes: list[Scope]) -> None:
        """Visit the expressions in an annotation, which can be an expression or a string."""
        self._expression(node, scopes)
        self._strings(node, scopes)

    def _strings(self, node: ast.expr, scopes: list[Scope]) -> None:
        for part in ast.walk(node):
            inner = _in_string(part)
            if inner is not None:
                self._annotation(inner, scopes)

    def type_of(self, node: ast.expr) -> Type | None:
        """Return the type of an expression. Call `type_of` only in ``visit``, while `walk` is
        running.
        """
        return self._infer(node, self._scopes)

    def _infer(self, node: ast.expr | None, scopes: list[Scope], depth: int = 0) -> Type | None:
        if node is None or depth > _MAX_DEPTH:
            return None
        if isinstance(node, ast.Name):
            scope: Scope = next((scope for scope in reversed(scopes) if node.id in scope), {})
            variable = scope.get(node.id) or self._by_convention(node.id)
            return variable or (None if node.id in scope else self._functions.get(node.id))
        if isinstance(node, ast.Attribute):
            member = self._member(self._infer(node.value, scopes, depth + 1), node.attr)
            return member or self._by_convention(node.attr)
        if isinstance(node, ast.Call):
            return self._call(node, scopes, depth)
        if isinstance(node, ast.Subscript):
            return self._subscript(self._infer(node.value, scopes, depth + 1), node.slice)
        if isinstance(node, ast.Await | ast.NamedExpr):
            return self._infer(node.value, scopes, depth + 1)
        if isinstance(node, ast.IfExp):
            chosen = self._infer(node.body, scopes, depth + 1)
            return chosen or self._infer(node.orelse, scopes, depth + 1)
        if isinstance(node, ast.BoolOp):
            parts = [self._infer(value, scopes, depth + 1) for value in node.values]
            return next((part for part in parts if part is not None), None)
        if isinstance(node, ast.Tuple):
            return Type(tuple, tuple(self._infer(part, scopes, depth + 1) for part in node.elts))
        if isinstance(node, ast.List | ast.Set):
            first = self._infer(node.elts[0], scopes, depth + 1) if node.elts else None
            return Type(list, (first,))
        if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
            inner = [*scopes, {}]
            for generator in node.generators:
                self._assign(generator.target, self._element(generator.iter, inner), inner, None)
            return Type(list, (self._infer(node.elt, inner, depth + 1),))
        if isinstance(node, ast.Dict):
            value = self._infer(node.values[0], scopes, depth + 1) if node.values else None
            return Type(dict, (None, value))
        return None

    def _by_convention(self, name: str) -> Type | None:
        convention = self._conventions.get(name)
        return Type(convention) if convention is not None else None

    def _element(self, node: ast.expr, scopes: list[Scope]) -> Type | None:
        """Return the type of the elements of an iterable expression, or None if it is unknown."""
        iterated = self._infer(node, scopes)
        if iterated is None:
            return None
        if iterated.of is dict or iterated.of is Mapping:
            return iterated.arguments[0] if iterated.arguments else None
        return self._subscript(iterated)

    def _member(self, owner: Type | None, name: str) -> Type | None:
        if owner is None:
            return None
        if isinstance(owner.of, ModuleType):
            return _of_module(owner.of, name)
        if isinstance(owner.of, ProgramClass):
            own = owner.of.type_of(name)
            if own is not None or owner.of.defines(name):
                return own
            results = (self._member(Type(base), name) for base in owner.of.framework_bases())
            inherited = next((result for result in results if result is not None), None)
            return (
                inherited
                if inherited is None or inherited.receiver is None
                else _bound(inherited, owner)
            )
        if not isinstance(owner.of, type):
            return None
        return self._member_of_class(owner, owner.of, name)

    def _member_of_class(self, owner: Type, cls: type, name: str) -> Type | None:
        static = inspect.getattr_static(cls, name, None)
        if isinstance(static, Moved):
            result: Type | None = None if static.is_call else owner
            for step in static.new.split("."):
                result = self._member(result, step)
            return result
        if isinstance(static, staticmethod | classmethod):
            static = static.__func__
        if owner.is_class:
            instance = Type(owner.of)
            is_function = isinstance(static, FunctionType)
            return Type(unwrapped(static), receiver=instance) if is_function else None
        if isinstance(static, property) and isinstance(static.fget, FunctionType):
            returned = self._returned(static.fget, owner)
            if returned is not None:
                return returned
        if isinstance(static, FunctionType):
            method = unwrapped(static)
            if name != "__init__" and getattr(method, "__name__", "") == "__init__":
                # A method that creates a widget, such as `Group.label`.
                created = self._returned(static, owner)
                return Type(created.of, is_class=True) if created is not None else None
            return Type(method, receiver=owner)
        if isinstance(static, Setting):
            return self._checked(static)
        for base in cls.__mro__:
            annotation = inspect.get_annotations(base).get(name)
            annotation = annotation or _set_by_init(base).get(name)
            if isinstance(annotation, str):
                return self._parsed(annotation, vars(sys.modules[base.__module__]))
        return None

    def _checked(self, setting: Setting[Any]) -> Type | None:
        """Return the type of a setting's value: the return type of the setting's check function."""
        if isinstance(setting.check, functools.partial):
            kind = setting.check.keywords.get("kind")
            return Type(kind) if isinstance(kind, type) else None
        check: object = setting.check
        return self._returned(check, None) if isinstance(check, FunctionType) else None

    def _call(self, node: ast.Call, scopes: list[Scope], depth: int) -> Type | None:
        function = self._infer(node.func, scopes, depth + 1)
        if function is None:
            return None
        if function.is_class:
            return Type(function.of)
        if isinstance(function.of, ProgramFunction):
            return function.of.result
        if function.of is _super:
            return function.receiver
        if not isinstance(function.of, FunctionType):
            return None
        result = self._returned(function.of, function.receiver)
        if result is not None and isinstance(result.of, TypeVar):
            return self._argument_of(result.of, function, node, scopes, depth)
        return result

    def _argument_of(
        self, variable: TypeVar, function: Type, node: ast.Call, scopes: list[Scope], depth: int
    ) -> Type | None:
        """If a function returns its argument unchanged, such as `Game.add`, return the type of the
        argument. Such a function is recognized by its annotations: the argument and the result have
        the same type variable.
        """
        assert isinstance(function.of, FunctionType)
        skipped = 1 if function.receiver is not None else 0
        names = function.of.__code__.co_varnames[skipped : function.of.__code__.co_argcount]
        for index, name in enumerate(names):
            annotation = function.of.__annotations__.get(name)
            if annotation == variable.__name__ and index < len(node.args):
                return self._infer(node.args[index], scopes, depth + 1)
        return None

    def _subscript(self, owner: Type | None, index: ast.expr | None = None) -> Type | None:
        """Return the type of one element of a container, as in ``ships[0]``. If ``index`` is None,
        the program loops over the container.
        """
        if owner is None or isinstance(index, ast.Slice):
            return None
        if owner.of is tuple:
            return _of_tuple(owner.arguments, index)
        if owner.arguments and not isinstance(owner.of, ProgramClass):
            return owner.arguments[-1 if owner.of in _ELEMENT_LAST else 0]
        for cls in _real_classes(owner):
            getter = inspect.getattr_static(cls, "__getitem__", None)
            if isinstance(getter, FunctionType):
                return self._returned(getter, Type(cls))
        return None

    # -- annotations -------------------------------------------------------------------------------

    def _returned(self, function: FunctionType, receiver: Type | None) -> Type | None:
        annotation = function.__annotations__.get("return")
        result = (
            self._parsed(annotation, function.__globals__) if isinstance(annotation, str) else None
        )
        if result is not None and result.of is _SELF:
            return receiver
        if result is not None and isinstance(result.of, TypeVar) and receiver is not None:
            return self._bound_variable(result.of, receiver) or result
        return result

    def _bound_variable(self, variable: TypeVar, receiver: Type) -> Type | None:
        """Return the class that a subclass substitutes for a type variable. For example, the base
        class ``Handled["Sprite"]`` substitutes `Sprite`.
        """
        generic_bases = [
            generic
            for cls in _real_classes(receiver)
            for base in cls.__mro__
            for generic in vars(base).get("__orig_bases__", ())
        ]
        for generic in generic_bases:
            parameters = getattr(get_origin(generic), "__parameters__", ())
            if variable in parameters:
                argument = get_args(generic)[parameters.index(variable)]
                name = getattr(argument, "__forward_arg__", getattr(argument, "__name__", ""))
                bound = self._framework.get(name)
                return Type(bound) if bound is not None else None
        return None

    def _parsed(self, annotation: str, names: Mapping[str, object]) -> Type | None:
        try:
            node = ast.parse(annotation, mode="eval").body
        except SyntaxError:
            return None
        return self._of_annotation(node, names)

    def _annotated(self, node: ast.expr, scopes: list[Scope]) -> Type | None:
        """Return the type that an annotation in the program describes, or None if the type is
        unknown.
        """
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self._annotated(ast.parse(node.value, mode="eval").body, scopes)
        if isinstance(node, ast.Subscript):
            base = self._annotated(node.value, scopes)
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            arguments = tuple(self._annotated(part, scopes) for part in parts)
            return Type(base.of if base is not None else list, arguments)
        if isinstance(node, ast.BinOp):
            return self._annotated(node.left, scopes) or self._annotated(node.right, scopes)
        annotated = self._infer(node, scopes)
        if annotated is not None and annotated.is_class:
            return Type(annotated.of)
        if isinstance(node, ast.Name) and isinstance(getattr(builtins, node.id, None), type):
            return Type(getattr(builtins, node.id))
        return None

    def _of_annotation(self, node: ast.expr, names: Mapping[str, object]) -> Type | None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self._parsed(node.value, names)
        if isinstance(node, ast.BinOp):
            return self._of_annotation(node.left, names) or self._of_annotation(node.right, names)
        if isinstance(node, ast.Subscript):
            base = self._of_annotation(node.value, names)
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            arguments = tuple(self._of_annotation(part, names) for part in parts)
            return Type(base.of if base is not None else list, arguments)
        name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
        if name == "Self":
            return Type(_SELF)
        value = names.get(name) or _imported_for_types(str(names.get("__name__"))).get(name)
        value = value or self._framework.get(name, getattr(builtins, name, None))
        is_type = isinstance(value, type | TypeVar) and value not in (Any, object)
        return Type(value) if is_type else None


_SELF = object()
"""The marker for ``typing.Self`` in an annotation."""


def _real_classes(owner: Type) -> list[type]:
    """Return the class of an object. For a class of the program, return its base classes in the
    framework.
    """
    if isinstance(owner.of, ProgramClass):
        return [*owner.of.framework_bases()]
    return [owner.of] if isinstance(owner.of, type) else []


def _targets(statement: ast.AST) -> list[ast.expr]:
    if isinstance(statement, ast.Assign):
        return statement.targets
    return [statement.target] if isinstance(statement, ast.AnnAssign) else []


def _of_tuple(arguments: tuple[Type | None, ...], index: ast.expr | None) -> Type | None:
    """Return the type of the tuple element at an index. If the index is unknown, return the type
    that all elements share.
    """
    position = getattr(index, "value", None)
    if isinstance(position, int) and position < len(arguments):
        return arguments[position]
    return arguments[0] if arguments and arguments.count(arguments[0]) == len(arguments) else None


def _is_setting(static: object) -> bool:
    """Return whether programs may set this attribute of a framework class. ``static`` is the value
    of this attribute in the class.
    """
    if isinstance(static, Moved):
        return isinstance(static, MovedSetting)
    return static is not None


def _super() -> None:
    """Return a placeholder for the type of the function ``super``. Calling the placeholder returns
    an object of the base class.
    """


def _arguments(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def _in_string(node: ast.AST) -> ast.expr | None:
    """Parse a string without line breaks as an expression, and return the expression. The positions
    in the returned expression are positions in the program.
    """
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return None
    try:
        inner = ast.parse(node.value, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    length = (node.end_col_offset or 0) - node.col_offset
    quote = (length - len(node.value.encode())) // 2
    is_plain = length == len(node.value.encode()) + 2 * quote and quote in (1, 3)
    if node.end_lineno != node.lineno or not is_plain:
        return None
    for part in ast.walk(inner):
        if isinstance(part, ast.expr):
            part.lineno = part.end_lineno = node.lineno
            part.col_offset += node.col_offset + quote
            part.end_col_offset = (part.end_col_offset or 0) + node.col_offset + quote
    return inner


def unwrapped(function: object) -> object:
    """Return the original function inside decorators such as `renamed_options`."""
    return inspect.unwrap(function) if callable(function) else function


@functools.cache
def _imported_for_types(module_name: str) -> dict[str, object]:
    """Return the classes that a framework module imports only for type checkers, under
    ``if TYPE_CHECKING``, as a dict by name.
    """
    module = sys.modules.get(module_name)
    if module is None or module_name.partition(".")[0] != _PACKAGE:
        return {}
    statements = (
        statement
        for node in _source_tree(module)
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        for statement in node.body
    )
    values: dict[str, object] = {}
    for statement in statements:
        if isinstance(statement, ast.ImportFrom) and statement.level:
            path = "." * statement.level + (statement.module or "")
            with contextlib.suppress(ImportError):
                source = importlib.import_module(path, module.__package__)
                for alias in statement.names:
                    values[alias.asname or alias.name] = getattr(source, alias.name, None)
    return values


def _source_tree(code: ModuleType | type) -> list[ast.stmt]:
    """Return the statements in the source of a module or class, or an empty list if the source is
    not available.
    """
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(code))).body
    except (OSError, TypeError, SyntaxError):
        return []


@functools.cache
def _set_by_init(cls: type) -> dict[str, str]:
    """Return the annotations of the attributes that the constructor of a framework class sets. For
    an attribute without an annotation, use the annotation of the parameter that the constructor
    assigns to the attribute, or the class that the constructor calls to create the value.
    """
    if cls.__module__.partition(".")[0] != _PACKAGE:
        return {}
    annotations: dict[str, str] = {}
    statements = _source_tree(cls)
    body = getattr(statements[0], "body", []) if statements else []
    for method in body:
        if not isinstance(method, ast.FunctionDef) or method.name != "__init__":
            continue
        parameters = {argument.arg: argument.annotation for argument in _arguments(method)}
        for node in ast.walk(method):
            targets = _targets(node)
            target = targets[0] if len(targets) == 1 else None
            annotation = _annotation_of_value(node, parameters)
            if isinstance(target, ast.Attribute) and annotation is not None:
                annotations.setdefault(target.attr, ast.unparse(annotation))
    return annotations


def _annotation_of_value(
    node: ast.AST, parameters: Mapping[str, ast.expr | None]
) -> ast.expr | None:
    """Return the annotation of an assignment: the annotation in the statement, the annotation of
    the assigned parameter, or the class that is called. Return None if there is none.
    """
    if isinstance(node, ast.AnnAssign):
        return node.annotation
    value = getattr(node, "value", None)
    if isinstance(value, ast.Name):
        return parameters.get(value.id)
    return value.func if isinstance(value, ast.Call) else None


def _extends(node: ast.AST) -> bool:
    """Return whether a method calls ``super()``."""
    names = (part.id for part in ast.walk(node) if isinstance(part, ast.Name))
    return "super" in names


def _ignore(node: ast.AST, known: Type | None) -> None:
    """Visit nothing."""


def _bound(method: Type, receiver: Type) -> Type:
    return Type(method.of, method.arguments, method.is_class, receiver)


def page_variables(cls: ProgramClass) -> dict[str, Type | None]:
    """Return the types of the variables that code on a documentation page can use: ``fw`` is the
    package, and ``self`` is an object of ``cls``.
    """
    return {"fw": Type(_root()), "self": Type(cls)}


def _root() -> ModuleType:
    return sys.modules[_PACKAGE]


def renamed_in_module(module: ModuleType, name: str) -> str | None:
    """Return the new name of a function or class in a module, or None if it was not renamed."""
    if module is _root():
        return CLASSES.get(name)
    return FUNCTIONS.get(module.__name__.rpartition(".")[2], {}).get(name)


def _of_module(module: ModuleType, name: str) -> Type | None:
    value = getattr(module, renamed_in_module(module, name) or name, None)
    if isinstance(value, type):
        return Type(value, is_class=True)
    if isinstance(value, FunctionType):
        return Type(unwrapped(value), module=module.__name__.rpartition(".")[2])
    return Type(value) if isinstance(value, ModuleType) else None


def framework_classes() -> Mapping[str, type]:
    """Return the classes of all framework modules, as a dict by name. If several classes have the
    same name, the dict contains the public class. If none of these classes is public, the dict
    contains the first class with renamed attributes.
    """
    _load_all_modules()
    return _classes_of(
        tuple(name for name in list(sys.modules) if name.partition(".")[0] == _PACKAGE)
    )


@functools.cache
def _load_all_modules() -> None:
    """Import every framework module, so that the list of renamed names does not depend on the
    modules that were already imported.
    """
    for module in pkgutil.walk_packages(_root().__path__, f"{_PACKAGE}."):
        try:
            importlib.import_module(module.name)
        # The module needs a library from an extra that is not installed.
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] == _PACKAGE:
                raise


@functools.lru_cache(1)  # cached, because all programs and pages need the same classes
def _classes_of(module_names: tuple[str, ...]) -> Mapping[str, type]:
    root = _root()
    # `getattr` loads the module of the name.
    public = {name: getattr(root, name) for name in root.__all__}
    classes = {name: value for name, value in public.items() if isinstance(value, type)}
    by_name: dict[str, type] = {}
    # Sorted, because programs import modules in different orders.
    for module_name in sorted(module_names):
        for name, value in list(vars(sys.modules[module_name]).items()):
            if isinstance(value, type) and value.__module__ == module_name:
                is_better = issubclass(value, HasMoved) and not issubclass(
                    by_name.get(name, object), HasMoved
                )
                if is_better or name not in by_name:
                    by_name[name] = value
    classes |= {name: value for name, value in by_name.items() if name not in classes}
    return MappingProxyType(classes)
