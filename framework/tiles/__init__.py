"""Tile maps: load Tiled and LDtk files, and draw tile layers and backdrops.

The modules listed below do not import pyglet or moderngl.

Without graphics: autotile ldtk map_data map_loading tile_numbers tiled map_files tiled_objects
tiled_sets tiled_templates tiled_xml tile_stacks.
"""
