"""Shared memory: anonymous memory that two processes use at the same time.

The memory has no name in the file system, so the operating system frees the memory when both
processes have ended, even if one of them was killed. On Linux the memory is a memfd, on other POSIX
systems an unlinked temporary file, and on Windows a mapping with a random name that no file has.
"""

from __future__ import annotations

import mmap
import os
import secrets
import sys
import tempfile
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class SharedMemory:
    """Memory of ``size`` bytes that another process can map too.

    `create` makes new memory, filled with zeros. The other process calls `open_file` with the file
    descriptor that it received, or `open_name` on Windows.
    """

    def __init__(self, mapping: mmap.mmap, fd: int = -1, name: str = "") -> None:
        self._mapping = mapping
        self.fd = fd
        """The file descriptor to send to the other process, which closes it. -1 on Windows."""
        self.name = name
        """The name with which the other process opens the memory on Windows."""

    @classmethod
    def create(cls, size: int) -> SharedMemory:
        """Allocate memory. Pages that are never written take no room on POSIX systems."""
        size = max(size, mmap.PAGESIZE)
        if sys.platform == "win32":  # pragma: no cover
            name = f"subtick-{os.getpid()}-{secrets.token_hex(8)}"
            return cls(mmap.mmap(-1, size, tagname=name), name=name)
        fd = _anonymous_file()
        os.ftruncate(fd, size)
        return cls(mmap.mmap(fd, size), fd)

    @classmethod
    def open_file(cls, fd: int, size: int) -> SharedMemory:
        """Map the memory of a received file descriptor, and close the descriptor."""
        try:
            return cls(mmap.mmap(fd, max(size, mmap.PAGESIZE)))
        finally:
            os.close(fd)

    @classmethod
    def open_name(cls, name: str, size: int) -> SharedMemory:  # pragma: no cover
        """Map the memory with a name that another process created on Windows."""
        if sys.platform != "win32":
            raise OSError("memory with a name exists only on Windows")
        return cls(mmap.mmap(-1, max(size, mmap.PAGESIZE), tagname=name))

    def array(self, offset: int, dtype: DTypeLike, shape: tuple[int, ...]) -> NDArray[Any]:
        """Return the memory from the byte ``offset`` on as an array. The array keeps the memory
        mapped.
        """
        count = int(np.prod(shape, dtype=np.int64))
        return np.frombuffer(self._mapping, dtype, count, offset).reshape(shape)


def _anonymous_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("subtick", os.MFD_CLOEXEC)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
