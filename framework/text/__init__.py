"""Text: fonts, glyphs, markup, line breaking, labels.

Without graphics: markup shaping.
"""
