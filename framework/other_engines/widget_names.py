"""Error messages for users of other engines: Subtick's names for attributes of widgets."""

from __future__ import annotations

from .other_names import other_names, words

_COLORS = "write widget.theme = self.ui.theme.with_"
_PLACE = "a layout places the widgets: write self.ui.column(anchor='top left', padding=20)"

creators_names = other_names(
    "group",
    {
        **words("text add_label add_text", "write menu.label('Paused')"),
        **words("add_button", "write menu.button('Go', self.go)"),
        **words("checkbox check_box add_checkbox", "write menu.toggle('Sound', settings, 'sound')"),
        **words(
            "input textbox text_box text_input entry line_edit",
            "write menu.text_field('', self.rename)",
        ),
        **words("health_bar progress", "write menu.progress_bar(0.5)"),
        **words("spacer separator", "write menu.space()"),
        **words("vbox", "write menu.column()"),
        **words("hbox", "write menu.row()"),
        **words("append pack add_widget insert", "write menu.add(widget)"),
        **words("heading title header", "write menu.label('Paused', font_size=32)"),
        **words("icon picture add_image", "write menu.image('coin.png', width=32)"),
        **words("list listbox list_box", "write menu.dropdown('Level', names, self.go)"),
        **words(
            "radio radio_buttons select", "write menu.choice('Speed', ['low', 'high'], self.go)"
        ),
        **words("table", "write menu.grid(2)"),
    },
)

progress_bar_names = other_names(
    "bar",
    {
        **words("set_value set_progress update_value", "write bar.value = hp / max_hp"),
        **words("set_color", "write bar.fill = 'red'"),
    },
    settings={
        **words("color colour bar_color fill_color full_color", "write bar.fill = 'red'"),
        **words(
            "max maximum max_value progress percent fraction share fullness",
            "a bar shows numbers from 0 to 1: write bar.value = hp / max_hp",
        ),
    },
)

widget_names = other_names(
    "widget",
    {
        **words("hide", "write widget.visible = False"),
        **words("show", "write widget.visible = True"),
        **words("disable", "write widget.enabled = False"),
        **words("enable", "write widget.enabled = True"),
        **words("destroy kill delete queue_free", "write widget.remove()"),
        **words("set_text", "write widget.text = 'Paused'"),
        **words(
            "connect bind on_clicked add_listener",
            "write menu.button('Go', self.go), which calls self.go() when it is pressed",
        ),
        **words("click", "in a test, write game.testing.click('Play')"),
        **words("clicked is_pressed was_clicked", "write menu.button('Go', self.go)"),
        **words("set_position move_to center_on_screen", _PLACE),
        **words("focus grab_focus set_focus", "write self.ui.set_focus(widget)"),
    },
    settings={
        **words("x y pos position left top center", _PLACE),
        **words(
            "on_click onclick command callback", "did you mean on_press? write button.on_press"
        ),
        **words(
            "on_change on_changed", "the widget sets target.attribute itself, or calls on_edit"
        ),
        **words("text_size fontsize", "did you mean font_size?"),
        **words("colour text_color font_color fg foreground", "did you mean color?"),
        **words("background background_color bg bg_color", f"{_COLORS}(control='#802020')"),
        **words("border border_color outline", f"{_COLORS}(edge='white', edge_width=2)"),
        **words("radius corner_radius border_radius", f"{_COLORS}(radius=4)"),
        **words(
            "font font_name font_family bold italic",
            "all widgets have the font of the theme: write self.ui.theme = "
            "self.ui.theme.with_(font='menu.ttf')",
        ),
        **words(
            "opacity alpha", "the colors of a theme have an alpha value: control=(0.5, 0, 0, 0.5)"
        ),
        **words("disabled active", "did you mean enabled?"),
        "shown": "did you mean visible?",
        **words("shortcut hotkey", "did you mean action? write menu.button('Go', f, action='f5')"),
        **words("icon", "did you mean image?"),
        **words("caption string", "did you mean text?"),
    },
    free={
        **words(
            "selected checked",
            "a toggle and a choice store a value: write menu.toggle('Sound', value=True); "
            "self.ui.set_focus(widget) selects a widget",
        ),
    },
)

text_names = other_names(
    "label", {}, settings={"value": "did you mean text? write label.text = 'Score 3'"}
)
