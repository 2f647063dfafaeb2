"""Error messages for users of other engines: Subtick's names for games, scenes and displays."""

from __future__ import annotations

from .other_names import other_names, words
from .other_options import other_options

_BACKGROUND = "write game.background = '#123'"
_PAUSED = "write game.timestep.paused = True, or push a scene, which pauses the scenes below it"
_RATE = "Game(tick_rate=…) sets the ticks per second, and game.debug.frame_stats has frame times"
_TIME_SCALE = "write game.timestep.time_scale = 0.5"
_TITLE = "write Game(title=…), or game.display.title = … while the game runs"

diagnostics_names = other_names(
    "debug",
    {
        **words("print log show", "write fw.debug.log('hp', hp), or print(…)"),
        **words(
            "draw_line draw_circle draw draw_rect",
            "write self.world.lines.add(start, end) in 3D, or fw.Shapes() in 2D",
        ),
    },
    settings={
        **words("fps", "write game.debug.frame_stats, or press F3"),
    },
)

display_names = other_names(
    "display",
    {
        **words("set_fullscreen toggle_fullscreen", "write game.display.fullscreen = True"),
        **words("set_title set_caption", "write game.display.title = 'My game'"),
        **words(
            "resize set_size",
            "write fw.run(MyGame, size=(1280, 720)), or game.display.fullscreen = True",
        ),
        **words(
            "hide_cursor show_cursor set_mouse_visible", "write game.display.mouse_visible = False"
        ),
    },
    settings={
        **words("caption", "write game.display.title = 'My game'"),
        **words(
            "size width height resolution",
            "write fw.run(MyGame, size=(1280, 720)); game.size has the size",
        ),
        **words("cursor_visible", "write game.display.mouse_visible = False"),
        **words("fps fps_limit max_frame_rate", "write game.display.max_fps = 60"),
    },
)

_SCREENSHOT = "write fw.run(MyGame, frames=60, screenshot='out.png')"

game_options = other_options(
    **words("out screenshot", _SCREENSHOT),
    frames="write fw.run(MyGame, frames=60)",
    saves="Game.saves_folder names the folder of the saves; in a test on Linux, write "
    "monkeypatch.setenv('XDG_DATA_HOME', str(tmp_path))",
    _="write Game(size=(1280, 720), title='My game')",
)

drawable_options = other_options(
    **words(
        "position pos color scale rotation angle x y",
        "write batch = self.add(drawable) and batch.add(position=…, color=…)",
    ),
)

scene_names = other_names(
    "scene",
    {
        "add_sprite": "write self.sprites.add(image, position=…)",
        "add_label": "write self.labels.add(text, position)",
        "add_child": "write self.add(batch) or self.sprites.add(image)",
        **words(
            "has_save save_exists exists_save is_saved saved_exists",
            "write game.saves.exists(slot)",
        ),
        **words("center center_point middle", "write x, y = self.size[0] / 2, self.size[1] / 2"),
        "draw_text": "write self.labels.add(text, position) once, and then label.text = …",
        "play_sound": "write fw.Sound('jump.wav').play()",
        "get_key": "write self.keys['space']",
        "key_pressed": "write self.keys.just_pressed('space')",
        "is_key_pressed": "write self.keys['space']",
        "mouse_position": "write self.mouse.position",
        "change_scene": "write game.show(scene)",
        "show_view": "write game.show(scene)",
        "show_scene": "write game.show(scene)",
        **words(
            "start_recording begin_recording record_to record_replay",
            "write game.recording.start('one.replay') before the first tick",
        ),
        **words("stop_recording end_recording", "write game.recording.stop()"),
        **words("replay play_replay load_replay", "write fw.Replay.open('one.replay')"),
        **words(
            "save_game save_highscore save_high_score",
            "write saved = ('score',) in the class, then game.save('slot 1')",
        ),
        **words(
            "load_game load_highscore load_high_score",
            "write saved = ('score',) in the class, then game.load('slot 1')",
        ),
        **words("center_window", "the framework puts a new window on the middle of the screen"),
        **words("mouse_x mouse_y", "write self.mouse.x and self.mouse.y"),
        **words("mouse_pos", "write self.mouse.position"),
        **words("set_cursor set_mouse_cursor", "write self.game.display.mouse_cursor = 'hand'"),
        **words(
            "undo take_back undo_move redo",
            "write self.history.append(self.game.saves.pack()) before a move, and "
            "self.game.saves.unpack(self.history.pop()) to take it back",
        ),
        **words("slow_motion set_time_scale set_speed", _TIME_SCALE),
        **words("sprite_at get_sprites_at_point pick", "write batch.pick((x, y))"),
        **words("keyboard key", "write self.keys['space'], or fw.key.SPACE"),
        **words("rng", "write self.random.integers(1, 7)"),
        **words("advance_ticks step_ticks run_frames", "write game.run_ticks(60)"),
        **words("frame frames frame_number", "write game.tick, the number of the current tick"),
        **words("step", "write game.run_ticks(1)"),
        **words(
            "storage preferences player_prefs",
            "write saved = ('score',) in the class, then game.save('slot 1') and "
            "game.load('slot 1')",
        ),
        **words(
            "camera3d camera_3d camera3D main_camera world_camera", "write self.world.camera in 3D"
        ),
        **words("world3d scene3d", "write self.world"),
        **words("physics physics3d", "write self.physics = fw.Physics3D(self) in setup"),
        **words("sun sunlight", "write self.world.sun_direction = (1, 2, 1), toward the sun"),
        **words("light lights", "write self.world.lights.add((0, 3, 0)), or fw.Lights2D() in 2D"),
        **words("fov", "write self.world.camera.fov"),
        **words("add_mesh add_model add_cube", "write self.add(fw.MeshBatch(fw.Mesh.cube()))"),
        **words("mouse_locked lock_mouse", "write self.game.display.mouse_captured = True"),
        **words("window", "write self.game.display"),
        **words("deltaTime delta", "it is the argument dt of update(self, dt)"),
        "set_scene": "write game.show(scene)",
        "quit": "write game.exit()",
        "push_scene": "write game.push(scene)",
        "pop_scene": "write game.pop()",
        "restart": "write game.show(Level()), with the class of your first scene",
        "load_json": "write saved = ('score',) in the class, then game.load('slot 1')",
        "save_json": "write saved = ('score',) in the class, then game.save('slot 1')",
        **words(
            "switch_to goto load_scene goto_scene start_scene change_view set_view",
            "write game.show(Level()), or game.push(Pause())",
        ),
        **words(
            "reset restart_game", "write game.show(Level()), with the class of your first scene"
        ),
        **words("close_window close_game stop_game terminate", "write game.exit()"),
        **words("pause pause_game", _PAUSED),
        **words(
            "unpause resume unpause_game continue_game",
            "write game.timestep.paused = False, or game.pop() if a scene pauses the game",
        ),
        **words("set_caption set_title", "write game.display.title = 'My game'"),
        **words("toggle_fullscreen set_fullscreen", "write game.display.fullscreen = True"),
        **words(
            "set_mouse_visible hide_mouse show_mouse", "write game.display.mouse_visible = False"
        ),
        **words(
            "set_size resize get_size screen_size",
            "write self.size, or fw.run(MyGame, size=(1280, 720))",
        ),
        **words("screen surface", "write self.size; the framework draws all added objects"),
        **words(
            "clear_screen blit draw_rect draw_rectangle draw_circle draw_line draw_polygon",
            "write shapes = self.add(fw.Shapes()) and shapes.add_box(…) once, in setup",
        ),
        **words("draw_sprite draw_image draw_texture", "write self.sprites.add(image, position=…)"),
        **words("text write print_text create_text", "write self.labels.add(text, position)"),
        **words(
            "after later delay wait_for timer create_timer call_later invoke set_timeout schedule_call",
            "write self.schedule.once(function, 1.0)",
        ),
        **words("wait sleep wait_seconds", "write await self.seconds(1) in a routine"),
        **words("every repeat set_interval", "write self.schedule.interval(function, 1.0)"),
        **words(
            "start_coroutine coroutine create_task run_async", "write self.start(self.intro())"
        ),
        **words(
            "time elapsed elapsed_time total_time game_time now",
            "write self.schedule.time, the seconds of game time, or game.tick",
        ),
        **words("clock dt", "it is the argument dt of update(self, dt)"),
        **words("input", "write self.keys, self.mouse, self.pads, or fw.Actions"),
        **words("is_key_down is_key_held key_down get_axis", "write self.keys['left']"),
        **words(
            "load_image load_texture load_sprite add_image", "write self.sprites.add('ship.png')"
        ),
        **words("load_sound", "write fw.Sound('jump.wav')"),
        **words("load_map load_tilemap load_tiled", "write self.add(fw.TileMap('level.tmx'))"),
        **words(
            "instantiate spawn create_sprite new_sprite add_entity", "write self.sprites.add(image)"
        ),
        **words("remove_sprite destroy_sprite", "write sprite.remove()"),
        **words(
            "find_object find_objects find_with_tag get_tree get_node get_children",
            "keep objects in attributes, or write self.tagged('enemy')",
        ),
        **words("add_ui_element", "write self.ui.column()"),
        **words("emit_signal send_event dispatch_event", "write game.emit('hit')"),
        **words("connect add_listener", "write game.subscribe('hit', function)"),
        **words("fade_in fade_out transition", "write game.show(Level(), transition=fw.Fade(0.4))"),
        **words("screenshake shake shake_screen", "write self.camera.shake(12, ticks=30)"),
        **words("create_tween tween_to animate", "write self.tween(sprite, x=400, duration=1)"),
        **words("queue_free destroy remove_scene close_scene", "write game.pop()"),
        "delta_time": "it is the argument dt of update(self, dt)",
        "frame_count": "game.tick counts ticks, and game.debug.frames counts frames",
    },
    free={
        "background": "write self.game.background = '#123'",
        **dict.fromkeys(("time_scale", "timescale", "game_speed"), _TIME_SCALE),
        **dict.fromkeys(("paused", "is_paused"), _PAUSED),
        **dict.fromkeys(("title", "caption", "window_title"), _TITLE),
        **dict.fromkeys(
            ("background_color", "bg_color", "clear_color", "background_colour"), _BACKGROUND
        ),
        **dict.fromkeys(("fps", "target_fps", "update_rate", "tick_rate"), _RATE),
        "shadows": "write self.world.shadows = True",
        "sky": "write self.world.sky = True",
        "zoom": "write self.camera.zoom = 2",
    },
)

testing_names = other_names(
    "testing",
    {
        **words(
            "hold key_down keydown press_key down key",
            "write game.testing.press('w'), and later game.testing.release('w')",
        ),
        **words("key_up keyup release_key up", "write game.testing.release('w')"),
        **words(
            "tap press_and_release key_press",
            "write game.testing.press('w'), game.run_ticks(1) and game.testing.release('w')",
        ),
        **words("move_mouse mouse_move move", "write game.mouse.move(x, y)"),
        **words(
            "mouse_press mouse_down click_at",
            "write game.testing.click(x, y), or game.testing.press('mouse:left')",
        ),
        **words(
            "click_button press_button click_text click_on get_by_text",
            "write game.testing.click('Play')",
        ),
        **words("scroll mouse_scroll wheel", "write game.mouse.scroll(x, y)"),
        **words(
            "double_click doubleclick",
            "write game.testing.click(x, y), game.run_ticks(2) and game.testing.click(x, y)",
        ),
        **words("right_click click_right", "write game.testing.click(x, y, 'right')"),
        **words(
            "drag drag_to drag_and_drop drop",
            "write game.mouse.move(x, y), game.testing.press('mouse:left'), game.run_ticks(1), "
            "game.mouse.move(x2, y2), game.run_ticks(1) and game.testing.release('mouse:left')",
        ),
        **words("resize set_size", "write game.testing.feed([('on_resize', 800, 600)])"),
        **words("mouse", "write game.mouse.move(x, y)"),
        **words("keys keyboard", "write game.testing.press('space')"),
        **words("pads pad gamepad", "write game.testing.press('pad:a')"),
        **words("write type_text enter_text", "write game.testing.type('hello')"),
        **words("wait step run run_ticks tick advance", "write game.run_ticks(60)"),
        **words("screenshot image", "write game.screenshot('a.png'), or game.pixels()"),
    },
)

replay_names = other_names(
    "replay",
    {
        **words("load from_file read", "write fw.Replay.open('one.replay')"),
        **words("play run start", "write with replay.playing(MyGame) as (game, playback)"),
    },
)

recording_advice = words(
    "save write stop_and_save to_file",
    "write game.recording.start('one.replay') before the first tick; stop() closes the file",
)
