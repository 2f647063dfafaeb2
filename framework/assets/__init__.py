"""Assets: files of images, sounds and clips, read into plain data.

Without graphics: all.
"""
