"""Geometry: shapes, collisions, rays, rotations, meshes, paths, easing curves.

The modules listed below do not import pyglet or moderngl.

Without graphics: all.
"""
