"""Particles: draw fire, smoke, rain and other effects, in 2D and 3D.

The modules listed below do not import pyglet or moderngl.

Without graphics: emitters particle_motion particle_presets particle_rows particle_simulation
particle_system spawn_options.
"""
