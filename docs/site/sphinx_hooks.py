"""Sphinx hooks: choose the members that Sphinx shows, and convert their docstrings."""

from __future__ import annotations

import functools
import inspect
import posixpath
from collections.abc import Callable
from typing import Any

from docstrings import code_marked, is_shown
from sphinx.ext.napoleon import Config, NumpyDocstring
from sphinx.search.en import SearchEnglish
from sphinx.util.inspect import stringify_signature

_NUMPY_STYLE = Config(
    napoleon_use_param=False,
    napoleon_use_rtype=False,
    napoleon_custom_sections=["Columns"],
)


class _CachedEnglish(SearchEnglish):
    """The language of the search index, with a cache for the stems of words. Most words are on many
    pages, and computing the stems took a tenth of the build.
    """

    def __init__(self, options: dict[str, str]) -> None:
        super().__init__(options)
        self.stem = functools.cache(super().stem)  # type: ignore[method-assign]


def setup(app: Any) -> None:
    """Connect the functions of this module to Sphinx."""
    app.connect("autodoc-skip-member", _skips)
    app.connect("autodoc-process-docstring", _convert)
    app.connect("autodoc-process-signature", _constructor)
    # before the theme, which calls the function `toctree` of the page
    app.connect("html-page-context", _share_navigation, priority=400)
    app.add_search_language(_CachedEnglish)


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


# For each folder and options: the menu of all pages, as HTML.
_menus: dict[tuple[Any, ...], str] = {}


def _share_navigation(
    app: Any, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Compute the menu only once for all pages of a folder that are not in the menu.

    These pages, such as the pages of the reference, have the same menu, because no entry is the
    current page. Computing the menu of each page took a sixth of the build.
    """
    if page == app.config.root_doc or any(page in pages for pages in _listed(app)):
        return
    toctree: Callable[..., str] | None = context.get("toctree")
    if toctree is None:
        return
    folder = posixpath.dirname(page)

    def shared(**options: Any) -> str:
        key = folder, *sorted(options.items())
        if key not in _menus:
            _menus[key] = toctree(**options)
        return _menus[key]

    context["toctree"] = shared


def _listed(app: Any) -> list[list[str]]:
    """Return the pages that each page lists in its menu."""
    return [*app.env.toctree_includes.values()]
