"""Changed packets, for tests of hostile peers."""

from __future__ import annotations

import random


def mutated(numbers: random.Random, data: bytes) -> bytes:
    """Return the packet changed in one of several ways, or unchanged."""
    kind = numbers.randrange(7)
    changed = bytearray(data)
    if kind == 0:
        for _ in range(numbers.randrange(1, 5)):
            changed[numbers.randrange(len(changed))] ^= 1 << numbers.randrange(8)
    elif kind == 1:
        del changed[numbers.randrange(len(changed)) :]
    elif kind == 2:
        changed += numbers.randbytes(numbers.randrange(1, 1201 - len(changed)))
    elif kind == 3:
        changed[numbers.randrange(len(changed)) :] = data[numbers.randrange(len(data)) :]
    elif kind == 4:
        changed[:] = numbers.randbytes(numbers.randrange(1300))
    elif kind == 5:
        start = numbers.randrange(len(changed))
        changed[start : start + 4] = b"\xff" * len(changed[start : start + 4])
    return bytes(changed)
