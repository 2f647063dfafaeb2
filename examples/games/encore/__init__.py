"""The modules of the game Encore. `framework run encore` starts ../encore.py."""
