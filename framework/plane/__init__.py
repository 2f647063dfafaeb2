"""2D drawing: sprites, shapes, polygons, ribbons, and the 2D camera.

The modules in the next line import neither pyglet nor moderngl.

Without graphics: batch_images camera2d follow_all point_lists polygon_meshes.
"""
