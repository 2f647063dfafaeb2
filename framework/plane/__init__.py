"""The plane: sprites, shapes, polygons, ribbons, and the 2D camera.

Without graphics: camera2d contours follow_all imagelist patches.
"""
