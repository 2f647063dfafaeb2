"""User interface: widgets, layout, themes and focus.

Without graphics: cells commands flex focus.
"""
