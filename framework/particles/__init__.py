"""Fire, smoke, rain and other particle effects, in 2D and 3D.

The modules in the next line import neither pyglet nor moderngl.

Without graphics: emitters particle_motion particle_presets particle_rows particle_simulation
particle_system spawn_options.
"""
