"""Particles: emitters, presets, and their drawing in the plane and in space.

Without graphics: births emitters flights particle_presets particle_simulation particle_system
sprays.
"""
