"""Geometry: shapes, collisions, rays, rotations, meshes, paths, easing curves.

Without graphics: all.
"""
