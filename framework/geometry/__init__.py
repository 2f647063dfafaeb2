"""Geometry: shapes, collisions, rays, rotations, meshes, paths, easing curves.

The next line lists the modules that load neither pyglet nor moderngl.

Without graphics: all.
"""
