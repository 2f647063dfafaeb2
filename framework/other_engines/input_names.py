"""Error messages for users of other engines: Subtick's names for keys, mouse and gamepads."""

from __future__ import annotations

from .other_names import other_names, words

actions_names = other_names(
    "actions",
    {
        **words(
            "is_pressed is_down down pressed is_action_pressed get_button active",
            "write actions.held('jump')",
        ),
        **words(
            "is_action_just_pressed was_pressed get_button_down",
            "write actions.just_pressed('jump')",
        ),
        **words("is_action_just_released", "write actions.just_released('jump')"),
        **words(
            "get_axis axis get_vector vector get value",
            "write actions['move'], with move=fw.Axis('left right') or fw.Stick('a d s w')",
        ),
        **words(
            "add add_action map bind",
            "write fw.Actions(jump=['space', 'pad:a']), or actions.rebind('jump', 'x')",
        ),
    },
)

buttons_names = other_names(
    "keys",
    {
        **words(
            "is_down is_pressed is_held is_key_pressed key_pressed get_key get_pressed get isdown",
            "write keys['space'], mouse['left'] or pad['a']",
        ),
        **words(
            "just_down was_pressed is_just_pressed get_key_down is_action_just_pressed pressed_now wasPressed",
            "write keys.just_pressed('space'), or mouse.just_pressed('left')",
        ),
        **words(
            "just_up was_released get_key_up is_just_released", "write keys.just_released('space')"
        ),
        **words(
            "vector get_vector direction",
            "write keys.axis('left', 'right') and keys.axis('down', 'up'), or "
            "fw.Actions(move=fw.Stick('left right down up'))",
        ),
        **words("is_action_pressed", "write keys['space'], or fw.Actions(jump=['space'])"),
        **words("get_axis", "write keys.axis('left', 'right')"),
    },
)

keys_names = other_names(
    "keys",
    {
        **words(
            "left right up down_ space LEFT RIGHT UP DOWN SPACE A D W S a d w s enter escape",
            "write keys['left']: each key has its name as an index",
        ),
        **words(
            "shift ctrl control alt modifiers mods get_mods",
            "write keys['lshift'] or keys['lctrl'], or fw.Actions(undo=['ctrl+z'])",
        ),
    },
)

mouse_names = other_names(
    "mouse",
    {
        **words("get_pos", "write self.mouse.position"),
        **words("hide", "write game.display.mouse_visible = False"),
        **words("click", "write game.testing.click(x, y)"),
        **words(
            "left right middle", "write self.mouse['left'], or self.mouse.just_pressed('left')"
        ),
        **words("clicked", "write self.mouse.just_pressed('left')"),
        **words(
            "right_pressed right_clicked right_click left_pressed",
            "write self.mouse.just_pressed('right')",
        ),
        **words(
            "double_click double_clicked doubleclick just_double_clicked is_double_click clicks "
            "click_count",
            "write self.actions = fw.Actions(open=['double:mouse:left']) in setup, and "
            "self.actions.just_pressed('open')",
        ),
        **words(
            "over hovers is_over hover hovered",
            "write batch.pick(self.camera.screen_to_world(self.mouse.position)), or "
            "sprite.contains(point) for a point of the world",
        ),
        **words(
            "drag dragging is_dragging dragged",
            "write if self.mouse['left'], and self.mouse.dx and self.mouse.dy; or "
            "on_mouse_drag(self, x, y, dx, dy, buttons, modifiers)",
        ),
    },
    settings={
        **words("pos xy", "write self.mouse.position"),
        **words(
            "world_position world_x world_y world_pos",
            "write self.camera.screen_to_world(self.mouse.position)",
        ),
        **words("buttons", "write self.mouse['left']"),
        **words("wheel scroll_delta", "write self.mouse.scroll_y"),
        **words("visible", "write game.display.mouse_visible = False"),
        **words("cursor", "write game.display.mouse_cursor = 'hand'"),
        **words("locked captured", "write game.display.mouse_captured = True"),
    },
)

gamepad_names = other_names(
    "pad",
    {
        **words("button get_button", "write pad['a'], or pad.just_pressed('a')"),
        **words("a b x y start", "write pad['a'], or pad.just_pressed('a')"),
        **words("vibrate set_vibration", "write pad.rumble(0.5, 0.2)"),
        **words("get_axis axes leftx lefty left_x left_y", "write x, y = pad.leftstick"),
        **words("rightx righty right_x right_y", "write x, y = pad.rightstick"),
        **words("buttons", "write pad['a'], or pad.just_pressed('a')"),
        **words("left_stick left_thumbstick", "write x, y = pad.leftstick"),
        **words("right_stick right_thumbstick", "write x, y = pad.rightstick"),
        **words("left_trigger", "write pad.lefttrigger"),
        **words("right_trigger", "write pad.righttrigger"),
    },
)

gamepads_names = other_names(
    "pads",
    {
        **words(
            "a b x y start leftstick rightstick just_pressed",
            "write self.pads[0]['a']: self.pads has all gamepads",
        ),
    },
)

OTHER_KEYS = {
    **words("esc", "'escape'"),
    **words("ctrl control", "'lctrl' or 'rctrl'"),
    **words("shift", "'lshift' or 'rshift'"),
    **words("alt", "'lalt' or 'ralt'"),
    **words("option", "'loption' or 'roption'"),
    **words("cmd command", "'lcommand' or 'rcommand'"),
    **words("win windows super", "'lwindows' or 'rwindows'"),
    **words("meta", "'lwindows' or 'lcommand'"),
    **words("del", "'delete'"),
    **words("ins", "'insert'"),
    **words("pgup page_up", "'pageup'"),
    **words("pgdn page_down", "'pagedown'"),
    **words("spacebar space_bar", "'space'"),
    **words("left_shift leftshift", "'lshift'"),
    **words("left_control left_ctrl leftctrl", "'lctrl'"),
    **words("left_alt leftalt", "'lalt'"),
    **words("left_arrow leftarrow arrow_left arrowleft", "'left'"),
    **words("right_arrow rightarrow arrow_right arrowright", "'right'"),
    **words("up_arrow uparrow arrow_up arrowup", "'up'"),
    **words("down_arrow downarrow arrow_down arrowdown", "'down'"),
}
"""Key names of other engines, and the names that mean the same key here."""

OTHER_SIGNS = {
    "+": "'plus'",
    "-": "'minus'",
    "=": "'equal'",
    ",": "'comma'",
    ".": "'period'",
    "/": "'slash'",
    ";": "'semicolon'",
    "`": "'grave'",
    "'": "'apostrophe'",
    "[": "'bracketleft'",
    "]": "'bracketright'",
    "\\": "'backslash'",
}
"""Signs on keys, and the names of these keys."""

OTHER_CONTROLS = {
    **words("cross", "'a'"),
    **words("circle", "'b'"),
    **words("square", "'x'"),
    **words("triangle", "'y'"),
    **words("lb l1 left_bumper left_shoulder", "'leftshoulder'"),
    **words("rb r1 right_bumper right_shoulder", "'rightshoulder'"),
    **words("lt l2 left_trigger", "'lefttrigger'"),
    **words("rt r2 right_trigger", "'righttrigger'"),
    **words("l3 left_stick_press", "'leftstick'"),
    **words("r3 right_stick_press", "'rightstick'"),
    **words("select share view", "'back'"),
    **words("options menu", "'start'"),
    **words("dpad_up up d_up", "'dpup'"),
    **words("dpad_down down d_down", "'dpdown'"),
    **words("dpad_left left d_left", "'dpleft'"),
    **words("dpad_right right d_right", "'dpright'"),
}
"""Names of gamepad controls on other gamepads and in other engines, and the names here."""
