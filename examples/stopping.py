"""Keys of the examples "ticks" and "cubes": pause, single ticks and slow motion, with a line of
help.
"""

import framework as fw


def press(time, symbol):
    """Handle a key: up and down change the speed of time, space pauses, and then the right arrow
    runs one tick.
    """
    if symbol == fw.key.SPACE:
        time.paused = not time.paused
    elif symbol == fw.key.RIGHT and time.paused:
        time.step()
    elif symbol in (fw.key.UP, fw.key.DOWN):
        time.time_scale = min(max(time.time_scale * (2 if symbol == fw.key.UP else 0.5), 1 / 16), 4)
    return words(time)


def words(time):
    pace = "stopped" if time.paused else f"time runs at {time.time_scale:g}x"
    return f"{pace}   (up, down, space, right)"
