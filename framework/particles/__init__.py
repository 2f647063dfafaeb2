"""Particles: emitters, presets and particle systems, in 2D and 3D.

Modules that work without graphics: emitters particle_motion particle_presets particle_rows
particle_simulation particle_system spawn_options.
"""
