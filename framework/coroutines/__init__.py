"""Coroutines that can be restored: captures a suspended coroutine, and continues a copy of it later.

Python cannot copy a coroutine. Therefore the framework compiles each ``async def`` two more times
from its source (`routine_code`). The first version runs as the author wrote it. The second version
skips forward to the await at which a captured coroutine was suspended. `frames` captures and
restores suspended coroutines, `iterators` captures the iterators of their loops, and `adoption`
gives coroutine functions their compiled code.

Without graphics: all.
"""
