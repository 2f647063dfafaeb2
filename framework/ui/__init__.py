"""User interface: menus and other widgets, their layout, themes and keyboard focus.

The next line lists the modules that import neither pyglet nor moderngl.

Without graphics: grid_cells commands flex navigation.
"""
