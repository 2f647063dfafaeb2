"""Sphinx hooks: choose the members that Sphinx shows, and convert their docstrings."""

from __future__ import annotations

import inspect
from typing import Any

from docstrings import code_marked, is_shown
from sphinx.ext.napoleon import Config, NumpyDocstring
from sphinx.util.inspect import stringify_signature

_NUMPY_STYLE = Config(
    napoleon_use_param=False,
    napoleon_use_rtype=False,
    napoleon_custom_sections=["Columns"],
)


def setup(app: Any) -> None:
    """Connect the functions of this module to Sphinx."""
    app.connect("autodoc-skip-member", _skips)
    app.connect("autodoc-process-docstring", _convert)
    app.connect("autodoc-process-signature", _constructor)


def _skips(app: Any, what: str, name: str, value: object, skip: bool, options: Any) -> bool | None:
    if not is_shown(value):
        return True
    origin = getattr(value, "__module__", None) or ""
    if inspect.isroutine(value) and origin.partition(".")[0] not in ("framework", ""):
        return True  # inherited from a library
    return None


def _constructor(
    app: Any, what: str, name: str, value: Any, options: Any, signature: str, returns: str
) -> tuple[str, str | None] | None:
    """Return the signature of a class, from its constructor. Without this function, Sphinx shows
    the parameters of the metaclass: ``(*arguments, **options)``.
    """
    if what != "class" or not inspect.isclass(value) or type(value) is type:
        return None
    constructor = inspect.signature(value.__init__)
    parameters = list(constructor.parameters.values())[1:]
    shown = constructor.replace(parameters=parameters, return_annotation=inspect.Signature.empty)
    return stringify_signature(shown, unqualified_typehints=True), None


def _convert(app: Any, what: str, name: str, value: object, options: Any, lines: list[str]) -> None:
    """Convert a docstring in NumPy's style to reStructuredText."""
    # The extension sphinx.ext.napoleon must not run by itself: it reads attributes of all objects,
    # and a removed sprite then raises an error. `what` is not passed to napoleon. Otherwise, in the
    # docstring of an attribute, napoleon would use the text before a colon as the type.
    lines[:] = NumpyDocstring(
        [*code_marked(lines)], _NUMPY_STYLE, app, "", name, value, options
    ).lines()
