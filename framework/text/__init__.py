"""Text: labels, fonts, markup, line breaks and glyph images.

Without graphics: markup shaping.
"""
