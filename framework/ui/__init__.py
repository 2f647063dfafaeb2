"""User interface: menus and other widgets, their layout, themes and keyboard focus.

The modules listed below do not import pyglet or moderngl.

Without graphics: grid_cells commands flex navigation.
"""
