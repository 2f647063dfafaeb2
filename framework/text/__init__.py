"""Text: labels, fonts, markup, line breaks and glyph images.

Modules that work without graphics: markup shaping.
"""
