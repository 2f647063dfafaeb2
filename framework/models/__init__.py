"""3D models: files of glTF, OBJ, STL and PLY, with materials, skins and animations.

The modules in the next list load neither pyglet nor moderngl.

Without graphics: all.
"""
