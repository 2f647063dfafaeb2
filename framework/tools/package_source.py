"""Package source: find out from where pip installed the framework, to install it again from there.

This module imports only Python's standard library, so that `framework doctor` can use it.
"""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from ..version import __version__

__all__ = ["NEWEST", "pip_command", "requirement_end"]

NEWEST = " @ https://github.com/subtick/subtick/archive/refs/heads/main.zip"
"""The newest files of the framework, as the end of a requirement: ``pip install "subtick @ URL"``.
The templates of new games contain this text.
"""


def requirement_end() -> str:
    """Return the end of a requirement, after "subtick", for ``pip install`` on other computers.

    If pip installed the framework from a package index, the result is a minimum version, such as
    ">=0.2.0". If pip installed it from a URL, the result contains this URL, such as " @ git+URL".
    Other computers do not have the folders and files of this computer. So if pip installed the
    framework from a folder or file, the result is `NEWEST`.
    """
    origin = _origin()
    if origin is None:
        return f">={__version__}"
    url: str = origin.get("url", "")
    if not url.startswith("https://"):
        return NEWEST
    repository = origin.get("vcs_info", {})
    if repository:
        if not repository.keys() >= {"vcs", "commit_id"}:  # not written by pip
            return NEWEST
        url = f"{repository['vcs']}+{url}@{repository['commit_id']}"
    subfolder = origin.get("subdirectory")
    return f" @ {url}" if subfolder is None else f" @ {url}#subdirectory={subfolder}"


def pip_command(*options: str) -> str:
    """Return the command that installs the framework on this computer again, from the same source:
    from its folder, file or URL, or from the package index.
    """
    return " ".join(["pip install", *options, _local_requirement()])


def _local_requirement() -> str:
    origin = _origin() or {}
    url = urlsplit(origin.get("url", ""))
    path = Path(url2pathname(url.path))
    if url.scheme == "file" and path.exists():
        editable = origin.get("dir_info", {}).get("editable", False)
        return f'-e "{path}"' if editable else f'"{path}"'
    end = requirement_end()
    return "subtick" if end.startswith(">=") else f'"subtick{end}"'


def _origin() -> dict[str, Any] | None:
    """Return the contents of the file ``direct_url.json``, in which pip stores the URL of a package
    (PEP 610). Return None if pip installed the framework from a package index. Return an empty dict
    if the file is broken, because `framework doctor` must also run in a broken installation.
    """
    try:
        text = importlib.metadata.distribution("subtick").read_text("direct_url.json")
    except importlib.metadata.PackageNotFoundError:  # imported from a folder in PYTHONPATH
        return {}
    if text is None:
        return None
    try:
        origin = json.loads(text)
    except ValueError:
        return {}
    return origin if isinstance(origin, dict) else {}
