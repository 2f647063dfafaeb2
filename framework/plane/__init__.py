"""The plane: sprites, shapes, polygons, ribbons, and the 2D camera.

Without graphics: batch_images camera2d follow_all point_lists polygon_meshes.
"""
