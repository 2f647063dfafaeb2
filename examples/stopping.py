"""What the examples "ticks" and "cubes" share: keys that stop, step and slow time, and a line that
says how it runs.
"""

import framework as fw


def press(time, symbol):
    """Up and down change the speed of a game's time, space stops it, and the right arrow then goes
    on by one tick.
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
