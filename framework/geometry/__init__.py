"""Geometry: shapes, collisions, rays, rotations, meshes, paths, easing curves.

The modules in the next list do not import pyglet or moderngl.

Without graphics: all.
"""
