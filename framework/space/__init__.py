"""Space: meshes, models, lights, shadows, sky, and the 3D camera.

Without graphics: picking playback.
"""
