"""Rigid body physics: `Physics2D` (pymunk) and `Physics3D` (Rapier) for the rows of batches.

Without graphics: all.
"""
