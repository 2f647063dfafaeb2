"""Coroutines whose state can be captured and restored, for snapshots, rewind and saves.

Python cannot copy a suspended coroutine. Therefore, the framework compiles the source of each
``async def`` two more times (`routine_code`). The first version does the same as the original
function, but allows its state to be captured. The second version recreates a captured coroutine: it
skips forward to the ``await`` at which the coroutine was suspended.

The module `frames` captures and restores suspended coroutines, and `iterators` does the same with
the iterators of their loops. The module `adoption` replaces the code of the game's functions with
the compiled code.

All modules of this package work without graphics.
"""
