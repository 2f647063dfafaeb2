"""Rigid bodies: Physics2D by pymunk and Physics3D by Rapier, over the rows of batches.

Without graphics: all.
"""
