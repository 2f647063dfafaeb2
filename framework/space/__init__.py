"""3D drawing: meshes, models, lights, shadows, sky, and the 3D camera.

The modules listed below do not import pyglet or moderngl.

Without graphics: picking playback.
"""
