"""Particles: emitters, presets and particle systems, in the plane and in space.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: emitters particle_motion particle_presets particle_rows particle_simulation
particle_system spawn_options.
"""
