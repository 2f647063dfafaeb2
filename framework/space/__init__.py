"""Space: meshes, models, lights, shadows, sky, and the 3D camera.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: picking playback.
"""
