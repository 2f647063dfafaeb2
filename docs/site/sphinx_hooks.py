"""What Sphinx does with each docstring: which members are shown, and how their text is read."""

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
    """Return the options of a class from its constructor.

    Sphinx would show ``(*arguments, **options)``, which is how the metaclass receives them.
    """
    if what != "class" or not inspect.isclass(value) or type(value) is type:
        return None
    constructor = inspect.signature(value.__init__)
    parameters = list(constructor.parameters.values())[1:]
    shown = constructor.replace(parameters=parameters, return_annotation=inspect.Signature.empty)
    return stringify_signature(shown, unqualified_typehints=True), None


def _convert(app: Any, what: str, name: str, value: object, options: Any, lines: list[str]) -> None:
    """Convert a docstring in NumPy's style to reStructuredText."""
    # The extension sphinx.ext.napoleon itself reads attributes of all objects, and a removed sprite
    # refuses that.
    # "what" is not passed on: in a docstring of an attribute, text before a colon would be its type.
    lines[:] = NumpyDocstring(
        [*code_marked(lines)], _NUMPY_STYLE, app, "", name, value, options
    ).lines()
