"""Particles: emitters, presets, and how they are drawn in the plane and in space.

Without graphics: births emitters flights particle_presets particle_simulation particle_system
sprays.
"""
