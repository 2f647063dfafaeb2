"""Create a block of memory that two processes share.

The memory has no name in the file system, so the operating system frees it when both processes have
ended, even after a crash. On Linux, it is a memfd, which is an anonymous file. On macOS, it is a
temporary file that is deleted right after it was opened. On Windows, it is a file mapping with a
random name.
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
    """A block of memory that two processes can use at the same time.

    `create` allocates new memory, which is filled with zeros. The other process opens the memory
    with `open_file` and a file descriptor. On Windows, the other process uses `open_name` instead.
    """

    def __init__(self, mapping: mmap.mmap, fd: int = -1, name: str = "") -> None:
        self._mapping = mapping
        self.fd = fd
        """The file descriptor to send to the other process. On Windows, ``fd`` is -1."""
        self.name = name
        """The name of the memory on Windows. The other process opens the memory with ``name``."""

    @classmethod
    def create(cls, size: int) -> SharedMemory:
        """Allocate at least ``size`` bytes. On Linux and macOS, a page does not use physical memory
        until a program writes to it.
        """
        size = max(size, mmap.PAGESIZE)
        if sys.platform == "win32":  # pragma: no cover
            name = f"subtick-{os.getpid()}-{secrets.token_hex(8)}"
            return cls(mmap.mmap(-1, size, tagname=name), name=name)
        fd = _anonymous_file()
        os.ftruncate(fd, size)
        return cls(mmap.mmap(fd, size), fd)

    @classmethod
    def open_file(cls, fd: int, size: int) -> SharedMemory:
        """Open shared memory from a file descriptor of another process, and then close the file
        descriptor.
        """
        try:
            return cls(mmap.mmap(fd, max(size, mmap.PAGESIZE)))
        finally:
            os.close(fd)

    @classmethod
    def open_name(cls, name: str, size: int) -> SharedMemory:  # pragma: no cover
        """Open shared memory with the ``name`` that another process has chosen. Only on Windows
        does shared memory have a name.
        """
        if sys.platform != "win32":
            raise OSError("memory with a name exists only on Windows")
        return cls(mmap.mmap(-1, max(size, mmap.PAGESIZE), tagname=name))

    def array(self, offset: int, dtype: DTypeLike, shape: tuple[int, ...]) -> NDArray[Any]:
        """Return an array in the shared memory. ``offset`` is the position of the array's first
        byte. The memory is not freed while the array exists.
        """
        count = int(np.prod(shape, dtype=np.int64))
        return np.frombuffer(self._mapping, dtype, count, offset).reshape(shape)


def _anonymous_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("subtick", os.MFD_CLOEXEC)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
