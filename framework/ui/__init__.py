"""User interface: widgets, layout, themes and focus.

Modules that work without graphics: grid_cells commands flex navigation.
"""
