"""Geometry: shapes, collisions, rays, rotations, meshes, paths, easing curves.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: all.
"""
