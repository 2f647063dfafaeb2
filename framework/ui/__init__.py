"""Menus and other widgets, with their layout, their themes and the keyboard focus.

The modules in the next line import neither pyglet nor moderngl.

Without graphics: grid_cells commands flex navigation.
"""
