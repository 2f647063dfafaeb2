"""Shapes, collisions, rays, rotations, meshes, paths and easing curves.

All modules of this package work without graphics: they do not import pyglet or moderngl.
"""
