"""The interface: widgets, layout, themes, focus.

Without graphics: cells commands flex focus.
"""
