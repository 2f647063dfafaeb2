"""Find out whether an expression is a file path or a name, for `framework upgrade`.

With this information, `upgrade` replaces ``game.save(path)`` with ``game.save(path=path)`` in
programs for earlier versions.
"""

from __future__ import annotations

import ast

_PATH_CLASSES = ("Path", "PurePath", "PosixPath", "WindowsPath")
# Functions and methods that return paths which contain a folder.
_PATH_FUNCTIONS = (
    *("join", "abspath", "realpath", "expanduser", "mkstemp", "joinpath", "home", "cwd"),
    *("with_name", "with_suffix", "with_stem", "absolute", "resolve", "relative_to", "as_posix"),
)
_TEXT_FUNCTIONS = ("str", "fspath")
_MAX_DEPTH = 20


class ProgramPaths:
    """The paths and names in the text of a program."""

    def __init__(self, tree: ast.Module) -> None:
        self._values: dict[str, list[ast.expr]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._assign(target, node.value)
            elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
                self._assign(node.target, node.value)
            elif isinstance(node, ast.arg):
                # The class in an annotation shows whether the argument is a path.
                unknown = ast.Constant(None)
                self._add(node.arg, unknown if node.annotation is None else node.annotation)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name | ast.Attribute):
            self._add(_word(target), value)

    def _add(self, name: str, value: ast.expr) -> None:
        self._values.setdefault(name, []).append(value)

    def is_path(self, node: ast.expr, depth: int = 0) -> bool | None:
        """Return True if an expression is a path that contains a folder, or False if it is a name
        without a folder. Return None if the text of the program does not show whether the
        expression is a path or a name.
        """
        if depth > _MAX_DEPTH:
            return None
        if isinstance(node, ast.Constant):
            return _has_folder(node.value) if isinstance(node.value, str) else None
        if isinstance(node, ast.JoinedStr):
            texts = [part.value for part in node.values if isinstance(part, ast.Constant)]
            return any(map(_has_folder, map(str, texts))) if texts else None
        if isinstance(node, ast.BinOp):
            return self._of_operation(node, depth)
        if isinstance(node, ast.Call):
            return self._of_call(node, depth)
        if isinstance(node, ast.IfExp):
            return self._common([node.body, node.orelse], depth)
        if isinstance(node, ast.Name | ast.Attribute):
            if _word(node) in _PATH_CLASSES:  # the annotation of an argument
                return True
            return self._common(self._values.get(_word(node), []), depth)
        return None

    def _common(self, values: list[ast.expr], depth: int) -> bool | None:
        kinds = {self.is_path(value, depth + 1) for value in values}
        return kinds.pop() if len(kinds) == 1 else None

    def _of_operation(self, node: ast.BinOp, depth: int) -> bool | None:
        if isinstance(node.op, ast.Div):  # folder / "a.save"
            return True
        if isinstance(node.op, ast.Mod):  # "slot %d" % number
            return self.is_path(node.left, depth + 1)
        kinds = [self.is_path(part, depth + 1) for part in (node.left, node.right)]
        return True if True in kinds else False if False in kinds else None

    def _of_call(self, node: ast.Call, depth: int) -> bool | None:
        word = _word(node.func)
        if word in _PATH_CLASSES:
            # In earlier versions, Path("a.save") meant a file in the folder for save files, like
            # the string "a.save".
            kinds = [self.is_path(part, depth + 1) for part in node.args]
            return None if kinds == [False] else True
        if word in _PATH_FUNCTIONS:
            return True
        if word in _TEXT_FUNCTIONS and node.args:
            return self.is_path(node.args[0], depth + 1)
        if word == "format" and isinstance(node.func, ast.Attribute):
            return self.is_path(node.func.value, depth + 1)
        return None


def _word(node: ast.expr) -> str:
    name: str = getattr(node, "attr", getattr(node, "id", ""))
    return name


def _has_folder(text: str) -> bool:
    return "/" in text or "\\" in text
