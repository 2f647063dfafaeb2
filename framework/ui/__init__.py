"""User interface: widgets, layout, themes and focus.

The modules in the next list do not import pyglet or moderngl.

Without graphics: grid_cells commands flex navigation.
"""
