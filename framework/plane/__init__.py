"""The plane: sprites, shapes, polygons, ribbons, and the 2D camera.

Without graphics: camera2d follow_all imagelist patches.
"""
