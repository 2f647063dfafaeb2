"""Shared fixtures. Tests need neither a GPU nor a display: pictures are drawn off screen in software."""

from __future__ import annotations

from collections.abc import Iterator

import moderngl
import pytest


@pytest.fixture
def ctx() -> Iterator[moderngl.Context]:
    context = moderngl.create_context(standalone=True, backend="egl")  # type: ignore[call-overload]
    yield context
    assert context.error == "GL_NO_ERROR"
    context.release()
