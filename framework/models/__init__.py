"""3D models from glTF, OBJ, STL and PLY files, with materials, skins and animations.

All modules of this package work without graphics: they do not import pyglet or moderngl.
"""
