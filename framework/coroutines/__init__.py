"""Restorable coroutines: capture the state of a suspended coroutine, and continue a copy of the
coroutine.

This package exists because Python cannot copy a coroutine. The framework compiles the source of
each ``async def`` two more times (`routine_code`). The first version does the same as the original
function. The second version of the function can restore a captured coroutine. The second version
skips forward to the ``await`` at which the captured coroutine was suspended.

The module `frames` captures and restores suspended coroutines. The module `iterators` captures and
restores the iterators of loops. The module `adoption` replaces the code of functions with the
compiled code.

All modules of this package work without graphics.
"""
