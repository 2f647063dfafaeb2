"""3D drawing: meshes, models, lights, shadows, sky, and the 3D camera.

The modules in the next line import neither pyglet nor moderngl.

Without graphics: picking playback.
"""
