"""User interface: widgets, layout, themes and focus.

Without graphics: grid_cells commands flex navigation.
"""
