"""Games: the window, the scenes and the main loop of a game.

The next line lists the modules in this folder that import neither pyglet nor moderngl.

Without graphics: art clipboard debug engine_state game_audio gamepads part_properties pointer
reserved_names restoring resimulation rules save_files save_log saving scene_routines shipping
subsystems tick_effects views.
"""
