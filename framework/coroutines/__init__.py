"""Coroutines that can be restored: captures a suspended coroutine, and continues a copy of it later.

Python cannot copy a coroutine. Therefore each ``async def`` is compiled a second time from its
source, into two functions (`routine_code`): one runs as written, one skips forward to the await at
which a captured coroutine was suspended. `frames` captures and restores suspended coroutines,
`iterators` captures the iterators of their loops, and `adoption` exchanges functions for compiled
ones.

Without graphics: all.
"""
