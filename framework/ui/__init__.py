"""User interface: widgets, layout, themes and focus.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: grid_cells commands flex navigation.
"""
