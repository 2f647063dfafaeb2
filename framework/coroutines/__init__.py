"""Coroutines that can be restored: capture the state of a suspended coroutine, and continue a copy.

Python cannot copy a coroutine. So the framework compiles the source of each ``async def`` two more
times (`routine_code`). The first version does the same as the function that the author wrote. The
second version restores a captured coroutine: it skips forward to the await where this coroutine was
suspended.

`frames` captures and restores suspended coroutines. `iterators` does the same for the iterators of
their loops. `adoption` puts the compiled code into the function objects.

Without graphics: all.
"""
