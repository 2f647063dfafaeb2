"""3D models: files of glTF, OBJ, STL and PLY, with materials, skins and animations.

Without graphics: all.
"""
