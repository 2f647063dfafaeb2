"""Geometry: shapes, collisions, rays, rotations, meshes, paths, easing curves.

Each room lists its modules that import neither pyglet nor moderngl.

Without graphics: all.
"""
