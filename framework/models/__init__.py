"""3D models: read glTF, OBJ, STL and PLY files, with materials, skins and animations.

The modules listed below do not import pyglet or moderngl.

Without graphics: all.
"""
