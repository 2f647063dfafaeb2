"""Assets: read files of images, sounds and clips into arrays.

Without graphics: all.
"""
