"""The game itself: its window, its scenes and its main loop.

The modules in the next line import neither pyglet nor moderngl.

Without graphics: art clipboard debug engine_state game_audio gamepads part_properties pointer
reserved_names restoring resimulation rules save_files save_log saving scene_routines shipping
subsystems tick_effects views.
"""
