"""Tile maps, which are loaded from Tiled and LDtk files or built from arrays, and backdrops.

The modules in the next line import neither pyglet nor moderngl.

Without graphics: autotile ldtk map_data map_loading tile_numbers tiled map_files tiled_objects
tiled_sets tiled_templates tiled_xml tile_stacks.
"""
