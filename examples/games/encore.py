"""Encore: wind back your last seconds, and an echo plays them again beside you. Five levels.

Run with the arrow keys, A and D, or a gamepad's stick, and jump with space or the A button. Hold E
or the X button to wind back. When you let go, an echo walks the path that you took back: it holds
plates down, lures thumpers and carries you on its head. P or Escape pauses.

The modules of the game are in the folder `encore`, and its levels are text files.
"""

from encore.game import Encore

import framework as fw

if __name__ == "__main__":
    fw.run(Encore, title="Encore", size=(960, 540))
