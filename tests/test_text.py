"""Labels: positions of letters, sharpness, fonts, styles, updates and errors."""

from __future__ import annotations

import math
import random
import re

import numpy as np
import pytest
from drawings import driven
from pictures import centroid
from PIL import Image, ImageDraw, ImageFont

import framework as fw
from framework import resources
from framework.gpu.graphics import Graphics
from framework.plane.batch_images import ImageList
from framework.plane.sprites import images_of
from framework.state.backend import backend_of
from framework.state.rows import table_of
from framework.text import fonts, glyph_images, markup, shaping
from framework.text.fonts import FontFace, LayoutOptions

TICK = 1 / 60
FONT = resources.folder("fonts") / "DejaVuSans.ttf"


def default_font(size, layout=ImageFont.Layout.BASIC):
    return ImageFont.truetype(str(FONT), size, layout_engine=layout)


def letters_of(batch):
    """Return the sprites of a batch's letters, once all are written."""
    batch._writer.flush()
    return batch._writer.sprites


def picture_count(batch):
    """Return the number of images of letters in a batch."""
    return len(images_of(letters_of(batch)))


def box(game):
    """Return (left, bottom, right, top) of the drawn pixels from the bottom left corner, or None
    if no pixel is drawn."""
    red = game.pixels()[..., :3].any(axis=2)
    if not red.any():
        return None
    rows, columns = np.nonzero(red)
    return columns.min(), len(red) - rows.max() - 1, columns.max() + 1, len(red) - rows.min()


def pillow_ink(text, size):
    """Return the ink of `text` as Pillow itself draws it, as grey (height, width)."""
    font = default_font(size)
    left, top, right, bottom = font.getbbox(text)
    image = Image.new("L", (int(right - left), int(bottom - top)))
    ImageDraw.Draw(image).text((-left, -top), text, font=font, fill=255)
    rows, columns = np.nonzero(np.asarray(image))
    return np.asarray(image)[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]


def show(game, text, size=20, **options):
    batch = game.add(fw.TextBatch(font_size=size))
    label = batch.add(text, **{"position": (100, 50), **options})
    game.advance(0)
    return batch, label


def test_a_letter_has_the_pixels_of_pillow(make):
    game = make()
    show(game, "R", size=40)
    left, bottom, right, top = box(game)
    ink = game.pixels()[100 - top : 100 - bottom, left:right, 0]
    np.testing.assert_allclose(ink.astype(int), pillow_ink("R", 40), atol=1)


@pytest.mark.parametrize("size", [12, 30])
def test_a_line_without_kerning_has_the_pixels_of_pillow(make, size):
    game = make(size=(400, 100))
    _, label = show(game, "minimum HHH", size=size, position=(10, 20))
    left, bottom, right, top = box(game)
    np.testing.assert_allclose(
        game.pixels()[100 - top : 100 - bottom, left:right, 0].astype(int),
        pillow_ink("minimum HHH", size),
        atol=1,
    )
    # and the space beside the outer letters
    assert label.size[0] == pytest.approx(right - left, abs=6)


@pytest.mark.parametrize(("size", "text"), [(20, "HH"), (47, "HH"), (20, "HH\ngg")])
def test_the_baseline_of_the_first_line_is_at_the_position(make, size, text):
    game = make()
    show(game, text, size=size, anchor=("left", "baseline"))
    rows = np.flatnonzero((game.pixels()[..., 0] > 128).any(axis=1))
    height = game.pixels().shape[0]
    # the lowest row of an H is directly above the baseline
    assert height - 1 - rows[rows < height - 50].max() == 50


def test_kerned_pairs_of_letters_are_closer(make):
    _, label = show(make(), "AV", size=60)
    basic = default_font(60)
    kerning = round(-131 / 2048 * 60)  # the kerning of the font
    assert label.size[0] == basic.getlength("A") + basic.getlength("V") + kerning


def test_ligatures_are_not_used(make):
    game = make()
    _, label = show(game, "fl", size=200)
    basic = default_font(200)  # with ligatures, the text would be 6 pixels shorter
    assert label.size[0] == pytest.approx(basic.getlength("f") + basic.getlength("l"), abs=1)


@pytest.mark.parametrize(("across", "x"), [("left", 100), ("center", 65), ("right", 30)])
@pytest.mark.parametrize(("up", "y"), [("bottom", 50), ("center", 38), ("top", 26)])
def test_the_anchor_is_the_point_of_the_text_at_the_position(make, across, up, x, y):
    game = make()
    _, label = show(game, "Hg", anchor=(across, up))
    width, height = label.size
    left, bottom, right, top = box(game)
    want_left = 100 - {"left": 0, "center": 0.5, "right": 1}[across] * width
    want_bottom = 50 - {"bottom": 0, "center": 0.5, "top": 1}[up] * height
    assert want_left - 1 <= left < want_left + 4
    assert want_left + width - 4 < right <= want_left + width + 1
    assert want_bottom - 1 <= bottom < want_bottom + 4
    assert top <= want_bottom + height + 1
    assert top - bottom > 0.7 * height


@pytest.mark.parametrize(("ratio", "sizes"), [(1, range(8, 40, 3)), (1.5, range(8, 40, 5))])
def test_distances_of_letters_do_not_depend_on_anchor_and_size(make, ratio, sizes):
    game = make(pixel_ratio=ratio)
    widths = set()
    heights = set()
    for size in sizes:
        batch = game.add(fw.TextBatch(font_size=size))
        anchors = [("left", "bottom"), ("center", "center"), ("right", "top")]
        labels = [batch.add("willy, g", anchor=anchor) for anchor in anchors]
        positions = letters_of(batch).position.reshape(3, -1, 2) * ratio
        away = positions - positions[:, :1]
        np.testing.assert_allclose(away, np.stack([away[0]] * 3), atol=1e-3)
        np.testing.assert_allclose(positions, np.round(positions), atol=1e-3)  # on whole pixels
        box = np.array(labels[0].size) * ratio
        for share, position in zip((0, 0.5, 1), positions, strict=True):
            assert np.abs(positions[0, 0] - share * box - position[0]).max() <= 0.501
        widths.add(round(box[0]) % 2)
        heights.add(round(box[1]) % 2)
    assert widths == heights == {0, 1}


@pytest.mark.parametrize("size", [10, 19, 22, 34])
def test_a_centered_line_has_the_pixels_of_a_left_aligned_line(make, size):
    game = make(size=(640, 120))
    text = "x p g Q j y HUD, illimitable"
    show(game, text, size=size, position=(10, 60))
    show(game, text, size=size, position=(320, 25), anchor=("center", "center"))
    pixels = game.pixels()[..., 0]
    ink = []
    for band in (pixels[:60], pixels[60:]):
        rows, columns = np.nonzero(band)
        ink.append(band[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1])
    np.testing.assert_array_equal(*ink)


def test_lines_are_below_one_another(make):
    game = make()
    _, label = show(game, "HHH\nH\n\nH", position=(10, 0), size=20)
    pixels = game.pixels()[..., 0]
    line = label.size[1] / 4
    assert [
        bool(pixels[round(100 - line * (k + 1)) : round(100 - line * k), 10:30].any())
        for k in range(4)
    ] == [
        True,
        False,
        True,
        True,
    ]
    assert label.size[0] == show(game, "HHH")[1].size[0]


@pytest.mark.parametrize("end", ["\r\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029"])
def test_every_kind_of_line_end_starts_a_line(make, end):
    game = make()
    _, label = show(game, "HHH\nH\n", position=(10, 10))
    want = game.pixels()
    size = label.size
    label.text = f"HHH{end}H{end}"
    game.advance(TICK)
    np.testing.assert_array_equal(game.pixels(), want)
    assert label.size == size
    assert label.text == f"HHH{end}H{end}"


@pytest.mark.parametrize("control", [*"\x00\x1b\x1c\x1d\x1e\x1f\x7f\x9b\u202e\ufeff"])
def test_control_characters_are_left_out(make, control):
    game = make()
    _, label = show(game, "HAVH", position=(10, 10))
    want = game.pixels()
    label.text = f"{control}HA{control}VH{control}"
    game.advance(TICK)
    np.testing.assert_array_equal(game.pixels(), want)


def test_text_is_the_same_with_and_without_raqm(make, monkeypatch):
    """Pillow on Windows has no Raqm: letters with marks are still shaped."""
    sizes = []
    for raqm in (True, False):
        monkeypatch.setattr(ImageFont.core, "HAVE_RAQM", raqm)
        fonts._opened.cache_clear()
        game = make(size=(400, 100))
        _, label = show(game, "AVATAR x\u0302\u0323 e\u0301", position=(10, 20))
        sizes.append((label.size, game.pixels().tobytes()))
    assert sizes[0] == sizes[1]
    assert label.size[0] < default_font(20).getlength("AVATAR x e") + 1  # marks add no width


def test_a_letter_with_marks_is_drawn_with_its_marks(make):
    """Marks are hinted like the letters beside them. If Unicode has a composed letter, that letter
    is drawn."""
    for apart, composed in (("e\u0301", "é"), ("AV\u0308", "AV\u0308"), ("İ x", "I\u0307 x")):
        games = [make(size=(60, 60)) for _ in range(2)]
        for game, text in zip(games, (apart, composed), strict=True):
            show(game, text, size=13, position=(9, 20))
        np.testing.assert_array_equal(games[0].pixels(), games[1].pixels())
    game = make(size=(60, 60))
    batch, label = show(game, "x", size=13, position=(9, 20))
    plain = game.pixels()
    count = picture_count(batch)
    label.text = "x\u0323"
    game.advance(TICK)
    baseline = np.flatnonzero((plain[..., 0] > 0).any(axis=1)).max() + 1
    np.testing.assert_array_equal(game.pixels()[:baseline], plain[:baseline])
    assert (game.pixels()[baseline:] != plain[baseline:]).any()  # the dot is below
    assert picture_count(batch) == count + 1
    assert label.character_count == 1


def test_a_new_text_leaves_no_pixels_of_the_old_text(make):
    fresh = {}
    for text in ("i", "", "Wi\nW", "WWWWWWWW"):
        game = make()
        show(game, text, position=(10, 50))
        fresh[text] = game.pixels()
    game = make()
    batch, label = show(game, "WWWWWW", position=(10, 50))
    for text, want in fresh.items():
        label.text = text
        game.advance(TICK)
        np.testing.assert_array_equal(game.pixels(), want)
    assert len(batch) == 1


def test_an_unchanged_text_is_neither_laid_out_nor_uploaded_again(make, monkeypatch):
    game = make()
    batch, label = show(game, "Score 120")
    game.advance(TICK)
    game.advance(TICK)
    before = driven(batch).uploaded_bytes
    monkeypatch.setattr(FontFace, "lay_out", lambda *_: pytest.fail("laid out"))
    for _ in range(3):
        label.text = "Score 120"
        label.text = "Score " + str(120)
        game.advance(TICK)
    assert driven(batch).uploaded_bytes == before


def test_a_counter_uploads_only_its_changed_letters(make):
    game = make()
    batch, label = show(game, "Score 120")
    second = batch.add("Unchanged " * 10, position=(0, 10))
    for _ in range(3):
        game.advance(TICK)
    before = driven(batch).uploaded_bytes
    label.text = "Score 121"
    game.advance(TICK)
    assert 0 < driven(batch).uploaded_bytes - before <= 1000
    assert second.text.startswith("Unchanged")


def test_a_moving_label_is_interpolated(make):
    game = make(tick_rate=10)
    _, label = show(game, "o", position=(20, 50))
    game.advance(0.1)
    game.update = lambda dt: setattr(label, "position", (120, 50))
    start = centroid(game.pixels())[0]
    game.advance(0.1)
    game.update = lambda dt: None
    game.advance(0.025)
    assert centroid(game.pixels())[0] - start == pytest.approx(25, abs=0.05)
    assert label.position == (120, 50)


def test_a_teleported_label_and_a_new_text_appear_at_once(make):
    game = make(tick_rate=10)
    _, label = show(game, "o", position=(20, 50))
    game.advance(0.1)

    def jump(dt):
        label.position = 150, 50
        label.teleport()

    game.update = jump
    game.advance(0.1)
    game.update = lambda dt: None
    game.advance(0.05)
    assert box(game)[0] >= 150
    # the earlier letter is one line higher now
    game.update = lambda dt: setattr(label, "text", "o\no")
    game.advance(0.05)
    game.update = lambda dt: None
    game.advance(0.04)
    at_once = game.pixels()
    game.advance(0.2)
    np.testing.assert_array_equal(game.pixels(), at_once)


@pytest.mark.parametrize("text", ["", " ", "\n", "   \n "])
def test_a_text_without_ink_draws_nothing(make, text):
    game = make()
    _, label = show(game, text)
    assert box(game) is None
    assert label.size[1] > 0
    label.text = "H"
    game.advance(TICK)
    assert box(game) is not None


@pytest.mark.filterwarnings("ignore:font:RuntimeWarning")
@pytest.mark.parametrize(
    "text", ["Äöß é ñ", "Ωπ Жя", "日本語", "—“”€", "e\u0301", "\t\x00\u200b", "🙂"]
)
def test_a_text_may_have_any_character(make, text):
    game = make()
    show(game, text + "H")
    assert box(game) is not None


def test_letters_that_the_font_lacks_give_one_warning(make):
    game = make()
    batch = game.add(fw.TextBatch())
    words = r"font: DejaVu Sans Book lacks 日 本 語, drawn as boxes.*fw\.TextBatch\("
    with pytest.warns(RuntimeWarning, match=words) as caught:
        label = batch.add("caf日, Spa本, 3 語, caf日\t\u00a0\u200b")
    assert len(caught) == 1
    label.text = "中"  # a second warning would be an error here
    batch.add("日")
    early = fw.TextBatch()
    early.add("日é")
    early.add("本|~ W")
    with pytest.warns(RuntimeWarning, match=r"lacks 日, drawn"):
        game.add(early)
    with pytest.warns(RuntimeWarning, match=r"lacks '\\ud800', drawn"):
        game.add(fw.TextBatch()).add("\ud800")
    game.add(fw.TextBatch()).add("".join(map(chr, range(127))))


def test_values_that_are_no_strings_are_shown_as_by_str(make):
    game = make()
    show(game, "3.5")
    want = game.pixels()
    game = make()
    _, label = show(game, 42)
    assert label.text == "42"
    label.text = 3.5
    game.advance(TICK)
    np.testing.assert_array_equal(game.pixels(), want)


def test_color_and_visibility_apply_to_all_current_and_later_letters(make):
    game = make()
    _, label = show(game, "HH", color=(1, 0, 0))
    pixels = game.pixels()
    assert pixels[..., 0].max() == 255
    assert not pixels[..., 1:3].any()
    assert label.color == (1, 0, 0, 1)
    label.color = 0, 1, 0, 0.5
    label.text = "HHHH"
    game.advance(TICK)
    pixels = game.pixels()
    assert pixels[..., 1].max() in (127, 128)
    assert not pixels[..., [0, 2]].any()
    label.visible = False
    label.text = "HHHHH"
    game.advance(TICK)
    assert box(game) is None
    label.visible = True
    game.advance(TICK)
    assert box(game) is not None


def test_at_a_pixel_ratio_of_2_letters_have_twice_the_resolution(make):
    edges = {}
    for ratio in (1, 2):
        game = make(pixel_ratio=ratio)
        show(game, "H", size=30, position=(10, 10))
        left, bottom, right, top = box(game)
        edges[ratio] = right - left, top - bottom
        if ratio == 2:
            ink = game.pixels()[200 - top : 200 - bottom, left:right, 0]
            np.testing.assert_allclose(ink.astype(int), pillow_ink("H", 60), atol=1)
    assert edges[2] == pytest.approx((2 * edges[1][0], 2 * edges[1][1]), abs=2)


def test_a_removed_label_is_not_drawn_and_raises_an_error(make):
    game = make()
    batch, label = show(game, "gone")
    stays = batch.add("H", position=(10, 10))
    label.remove()
    game.advance(TICK)
    assert box(game)[2] < 40
    assert len(batch) == 1
    uses = [
        label.remove,
        label.teleport,
        lambda: setattr(label, "text", "x"),
        lambda: setattr(label, "color", (1, 1, 1)),
        lambda: setattr(label, "position", (0, 0)),
        lambda: setattr(label, "visible", True),
    ]
    for use in uses:
        with pytest.raises(ValueError, match="label: 'gone' was removed from its batch"):
            use()
    assert repr(label) == "<Label 'gone'>"
    stays.text = "HH"
    game.advance(TICK)
    assert box(game)[2] > 30


def test_labels_added_before_their_batch_are_drawn(make):
    batch = fw.TextBatch()
    label = batch.add("early", position=(10, 10))
    label.text = "HH"
    early = label.size, label.character_count, label.line_height
    game = make()
    game.add(batch)
    game.advance(0)
    assert box(game) is not None
    once = box(game)
    size = label.size
    assert early == (size, 2, label.line_height)
    game.remove(batch)
    game = make(pixel_ratio=2)  # the letters are drawn again, for the resolution of the other game
    game.add(batch)
    game.advance(0)
    assert label.size == pytest.approx(size, abs=1)
    assert box(game) == pytest.approx([2 * edge for edge in once], abs=2)
    assert len(batch._writer.sprites) == 2  # no letter of the first game is left


def test_a_font_file_is_used_and_a_missing_or_broken_one_is_an_asset_error(make, tmp_path):
    path = tmp_path / "aileron.ttf"
    path.write_bytes(FONT.read_bytes())
    game = make()
    show(game, "File AV")
    want = game.pixels()
    game = make()
    game.add(fw.TextBatch(path)).add("File AV", position=(100, 50))
    game.advance(0)
    np.testing.assert_array_equal(game.pixels(), want)
    broken = tmp_path / "broken.ttf"
    broken.write_bytes(b"no font")
    with pytest.raises(fw.AssetError, match=r"no file 'ailerno\.ttf'"):
        game.add(fw.TextBatch("ailerno.ttf"))
    with pytest.raises(fw.AssetError, match=r"broken.ttf' cannot be read.*TrueType and OpenType"):
        game.add(fw.TextBatch(broken))
    before = game.pixels()
    game.advance(TICK)
    np.testing.assert_array_equal(game.pixels(), before)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"anchor": ("middle", "top")},
            "anchor: expected one of 'left', 'center', 'right', got 'middle'",
        ),
        ({"anchor": ("left", "middle")}, "anchor: expected one of 'bottom'"),
        ({"color": (1, 2)}, "color: expected 3 or 4 finite numbers"),
        ({"position": 5}, "position: expected two finite numbers, got 5"),
    ],
)
def test_a_label_refuses_invalid_values_and_does_not_change(options, words):
    batch = fw.TextBatch()
    with pytest.raises((TypeError, ValueError), match=words):
        batch.add("x", **options)
    assert len(batch) == 0


@pytest.mark.parametrize("size", [0, -1, 5000, math.nan])
def test_an_invalid_font_size_is_refused(size):
    with pytest.raises(ValueError, match="size: expected a finite number from 1 to 2048"):
        fw.TextBatch(font_size=size)


def test_a_text_that_cannot_be_drawn_does_not_change_the_label(make, monkeypatch):
    game = make()
    batch, label = show(game, "HHH")
    before = game.pixels()

    def full(images, pixels, anchor):
        raise fw.AssetError("The atlas has no room")

    monkeypatch.setattr(ImageList, "add_letter", full)
    with pytest.raises(fw.AssetError):
        label.text = "xyz"
    with pytest.raises(fw.AssetError):
        batch.add("xyz")
    game.advance(TICK)
    np.testing.assert_array_equal(game.pixels(), before)
    assert label.text == "HHH"
    assert len(batch) == 1


def test_a_label_may_be_in_a_picture_of_a_few_pixels(make):
    game = make(fw.Game, size=(16, 9), resolution=(960, 540))
    game.labels.add("smaller than a pixel", (5, 5))
    game.run(2)


def test_a_font_that_fails_at_a_letter_is_an_asset_error(make, monkeypatch):
    game = make(size=(100, 50))
    # a size at which no other game has drawn a Q
    label = game.labels.add("fine", position=(1, 1), font_size=23.7)
    game.advance(0)

    def broken(*args, **options):
        raise OSError("invalid outline")

    monkeypatch.setattr("PIL.ImageFont.FreeTypeFont.getbbox", broken)
    with pytest.raises(
        fw.AssetError, match=r"The font .*DejaVuSans\.ttf' cannot be read: invalid outline"
    ):
        label.text = "Q"
    assert label.text == "fine"
    game.advance(1 / 60)


def test_tags_set_color_and_bold_and_other_brackets_are_text():
    text = "a [#f80]b [b]c[/][/] [[b] [E] [/]"
    assert markup.runs(text, True) == [
        ("a ", None, False),
        ("b ", (1.0, 136 / 255, 0.0, 1.0), False),
        ("c", (1.0, 136 / 255, 0.0, 1.0), True),
        (" [b]", None, False),
        (" [E] [/]", None, False),
    ]
    assert markup.runs(text, False) == [(text, None, False)]


def test_bold_letters_use_the_bold_file_beside_the_font(make, tmp_path):
    fonts = resources.folder("fonts")
    for style in ("", "-Bold"):
        (tmp_path / f"Menu{style}.ttf").write_bytes(
            (fonts / f"SubtickPixel{style}.ttf").read_bytes()
        )
    (tmp_path / "Alone.ttf").write_bytes((fonts / "SubtickPixel.ttf").read_bytes())

    def width(font):
        batch = game.add(fw.TextBatch(font, 10), camera=game.hud)
        return batch.add("[b]llll[/]").size[0]

    game = make()
    assert width(tmp_path / "Menu.ttf") == width("Subtick Pixel") == 4 * (3 + 1)
    assert width(tmp_path / "Alone.ttf") == 4 * (2 + 1)  # drawn with a wider pen


def test_lines_wrap_at_spaces_hyphens_and_ideographs_and_long_words_anywhere():
    def wrapped(text, width):
        letters = list(text)
        return [
            text[start:stop] for start, stop in markup.wrapped(letters, [1.0] * len(letters), width)
        ]

    assert wrapped("one two three", 7) == ["one two", "three"]
    assert wrapped("self-made", 6) == ["self-", "made"]
    assert wrapped("abcdefgh i", 3) == ["abc", "def", "gh", "i"]
    assert wrapped("日本語。の本", 3) == ["日本", "語。の", "本"]
    assert wrapped("ab", 0.5) == ["a", "b"]
    assert wrapped("", 5) == [""]


def test_letters_are_grapheme_clusters():
    assert markup.clusters("e\u0301👩\u200d🚀🇩🇪x") == ["e\u0301", "👩\u200d🚀", "🇩🇪", "x"]
    assert markup.clusters("हिन्दी में") == ["हिन्दी", " ", "में"]


def test_a_text_is_wrapped_at_its_width_and_measured_before_it_is_drawn(make):
    game = make()
    batch = game.add(fw.TextBatch())
    label = batch.add("one two three four", width=115)
    assert label.size[0] == 115
    assert label.size[1] == 2 * batch.add("one").size[1]
    assert batch.measure("one two three four", width=115) == label.size
    label.width = None
    assert label.size[1] == batch.add("one").size[1]
    assert len(batch) == 3


def test_visible_characters_limits_the_letters(make):
    game = make()
    batch, label = show(game, "HHHH", position=(10, 10))
    widths = []
    for label.visible_characters in (0, 1, 3, None):
        game.advance(TICK)
        there = box(game)
        widths.append(there[2] - there[0] if there else 0)
    assert widths == sorted(set(widths))
    assert label.character_count == 4
    label.visible_characters = 2
    label.text = "iiii"
    game.advance(TICK)
    assert letters_of(batch).visible.sum() == 2


def test_a_label_is_rotated_and_scaled_about_its_anchor(make):
    game = make(size=(100, 100))
    show(game, "HHH", position=(50, 50), anchor=("center", "center"), angle=math.pi / 2)
    left, bottom, right, top = box(game)
    assert top - bottom > 2 * (right - left)
    assert (left + right) / 2 == pytest.approx(50, abs=2)
    assert (bottom + top) / 2 == pytest.approx(50, abs=2)


def test_shadow_and_outline_are_behind_the_letters(make):
    game = make()
    show(game, "I", size=60, outline="#0f0", outline_width=4, shadow="#00f", shadow_offset=(12, 0))
    row = game.pixels()[25, :, :3]
    assert [int(np.argmax(row[:, channel])) for channel in (1, 0, 2)] == sorted(
        int(np.argmax(row[:, channel])) for channel in (1, 0, 2)
    )
    assert (row == 255).all(axis=1).any()
    assert ((row == [0, 255, 0]).all(axis=1)).any()
    assert ((row == [0, 0, 255]).all(axis=1)).any()


def test_letters_use_the_first_font_that_has_them(make, tmp_path):
    game = make()
    with pytest.raises(fw.AssetError, match="no file 'No Such Font'"):
        game.add(fw.TextBatch(["No Such Font"]))
    batch = game.add(fw.TextBatch([FONT, FONT.with_name("DejaVuSans-Bold.ttf")]))
    assert batch.add("Ж").size == game.add(fw.TextBatch()).add("Ж").size


def test_emoji_use_a_color_font_and_other_letters_do_not():
    stack = fonts.FontStack([FONT], 20, (), False)
    letters = stack._fonts[0]
    pictures = stack._fonts[0]._replace(colored=True)
    for chosen in ([letters, pictures], [pictures, letters]):
        stack._fonts = chosen
        stack._chosen.clear()
        assert [
            one for one in ("A", "1", "©", "©\ufe0f", "Ж") if stack.font_of(one) is pictures
        ] == ["©\ufe0f"]
    marks = {
        "😀": True,
        "⚡": True,
        "⚡\ufe0e": False,
        "❤": False,
        "❤\ufe0f": True,
        "🇩🇪": True,
        "日": False,
    }
    assert {letter: markup.is_emoji(letter) for letter in marks} == marks


def test_the_outline_of_an_emoji_surrounds_its_image(make):
    # like those of color fonts
    strike = fonts.FontStack([FONT], 40, (), False)._fonts[0]._replace(scale=0.5)
    plain, heavy = (fonts._picture(strike, "H", stroke, False) for stroke in (0.0, 3.0))
    line = fonts._picture(strike, "H", 3.0, True)
    assert (heavy.pixels == plain.pixels).all()
    assert line.pixels.shape[:2] == tuple(side + 6 for side in plain.pixels.shape[:2])
    assert (line.left, line.bottom) == (plain.left - 3, plain.bottom - 3)
    assert (line.pixels[3:-3, 3:-3] >= plain.pixels).all()


@pytest.mark.filterwarnings("ignore:font.*lacks:RuntimeWarning")
def test_missing_emoji_are_boxes_within_the_width_of_the_label(make):
    game = make(size=(100, 40))
    _, label = show(game, "👩\u200d👩\u200d👧❤\ufe0f", position=(5, 5))
    assert np.flatnonzero(game.pixels()[..., 0].any(axis=0))[-1] <= 5 + label.size[0]


def test_removed_labels_leave_no_letters_behind(make):
    game = make(size=(64, 64))
    batch = game.add(fw.TextBatch())
    stays = batch.add("stays", (0, 10))
    for turn in range(300):
        label = batch.add(f"+{turn}")
        stays.text = "stays" + "!" * (turn % 7)
        letters_of(batch)  # writes the letters
        label.remove()
    assert len(letters_of(batch)) < 500
    assert letters_of(batch).visible.sum() == len(stays.text)


def test_a_million_letters_are_refused_and_the_label_keeps_its_text(make):
    game = make()
    _, label = show(game, "H")
    with pytest.raises(
        ValueError, match="text: a label has at most 100,000 letters, got 1,000,000"
    ):
        label.text = "x" * 10**6
    assert label.text == "H"
    with pytest.raises(ValueError, match="width: expected a finite number above 0"):
        label.width = math.nan


def test_a_style_set_later_looks_like_a_style_set_at_first(make):
    styles = {
        "anchor": ("right", "top"),
        "font_size": 30,
        "line_spacing": 1.5,
        "outline": "#0f0",
        "outline_width": 3,
        "shadow": "#00f",
        "shadow_offset": (4, -3),
        "markup": False,
        "width": 90,
        "align": "center",
    }
    game = make()
    _, label = show(game, "a [b]b[/]\nc d e", position=(150, 90))
    for name, value in styles.items():
        setattr(label, name, value)
    game.advance(TICK)
    expected = make()
    show(expected, "a [b]b[/]\nc d e", position=(150, 90), size=styles.pop("font_size"), **styles)
    np.testing.assert_array_equal(game.pixels(), expected.pixels())
    assert (label.anchor, label.font_size, label.outline) == (("right", "top"), 30, (0, 1, 0, 1))
    with pytest.raises(
        ValueError, match="anchor: expected one of 'left', 'center', 'right', got 'up'"
    ):
        label.anchor = "up", "left"
    assert label.anchor == ("right", "top")


def test_a_caret_is_between_letters_and_its_point_gives_its_index(make):
    game = make(size=(300, 200))
    text = "wi AV\n\none two three"
    _, label = show(
        game,
        text,
        position=(150, 120),
        anchor=("center", "center"),
        width=80,
        align="center",
        angle=0.3,
    )
    label.scale = 1.5
    positions = [label.caret_point(index) for index in range(len(text) + 1)]
    between = np.diff(positions, axis=0)
    assert between[0] == pytest.approx(
        np.array([math.cos(0.3), math.sin(0.3)]) * np.hypot(*between[0])
    )
    assert np.hypot(*between[0]) > 2 * np.hypot(*between[1])  # a w is wider than an i
    up = 0.5 * 1.5 * label.line_height * np.array([-math.sin(0.3), math.cos(0.3)])
    assert [label.index_at(position + up) for position in positions] == list(range(len(text) + 1))
    assert label.index_at((-999, 999)) == 0
    with pytest.raises(ValueError, match="index: expected a whole number from 0 to 20, got 21"):
        label.caret_point(21)
    early = fw.TextBatch().add(
        text, (150, 120), anchor=("center", "center"), width=80, align="center", angle=0.3
    )
    early.scale = 1.5  # also before the batch is in a game
    assert [early.caret_point(index) for index in range(len(text) + 1)] == positions
    label.text = ""
    assert label.caret_point(0) == pytest.approx(label.position - up, abs=1)


@pytest.mark.filterwarnings("ignore:font:RuntimeWarning")
def test_carets_of_right_to_left_text_go_to_the_left(make):
    game = make()
    _, label = show(game, "אבג", markup=False)
    x = [label.caret_point(index)[0] for index in range(4)]
    assert x == sorted(x, reverse=True)
    assert x[0] - x[3] == pytest.approx(label.size[0])


def written(drawing, stretch, monkeypatch):
    """Return the hash of a game with changing labels. `stretch` scales the widths of Pillow."""
    real = ImageFont.FreeTypeFont.getlength
    with monkeypatch.context() as patch:
        patch.setattr(
            ImageFont.FreeTypeFont,
            "getlength",
            lambda *args, **named: stretch * real(*args, **named),
        )
        with fw.Game(headless=True, size=(64, 36), drawing=drawing) as game:
            label = game.labels.add(
                "one [#f80]two[/] three", width=40, outline="#000", visible_characters=3
            )
            second = game.labels.add("gone", angle=1)
            for tick in range(3):
                label.text += f" {tick}"
                game.advance(1 / 60)
            second.remove()
            game.advance(1 / 60)
            return game.state_hash()


def test_the_hash_has_the_settings_of_a_label_but_not_its_layout(
    monkeypatch,
):
    first = written(True, 1.0, monkeypatch)
    assert first == written(True, 1.5, monkeypatch) == written(False, 1.0, monkeypatch)


def test_labels_changed_between_ticks_are_restored(make):
    game = make(fw.Game, size=(200, 100))
    label = game.labels.add("one two", (10, 50), width=50, color="#f00")

    def change():
        label.text = "a much longer text, for which other rows are taken"
        label.width = None
        label.color = "#0f0"
        label.position = (30, 20)
        label.visible_characters = 5
        label.outline = "#00f"
        game.labels.add("new", (100, 70), font_size=30)

    game.run_ticks()
    game.advance(0)
    picture = game.pixels()
    state = game.state_hash()
    snapshot = game.snapshot()
    change()
    game.run_ticks()
    game.advance(0)
    later = game.pixels()
    after = game.debug.state_values()
    assert (later != picture).any()
    game.restore(snapshot)
    assert (label.text, label.width, game.state_hash()) == ("one two", 50, state)
    game.advance(0)
    np.testing.assert_array_equal(game.pixels(), picture)
    assert len(game.labels) == 1
    change()
    game.run_ticks()
    game.advance(0)
    assert fw.first_difference(after, game.debug.state_values()) is None
    np.testing.assert_array_equal(game.pixels(), later)


def test_a_text_has_the_same_size_before_its_batch_is_in_a_game(make):
    batch = fw.TextBatch(font_size=30)
    game = make()
    labels = [
        batch.add("one [b]two[/]\nthree", **options)
        for options in ({}, {"width": 70}, {"outline": "#000"})
    ]
    early = [(label.size, label.character_count) for label in labels]
    assert batch.measure("one", font_size=60)[0] > batch.measure("one")[0] > 0
    with pytest.raises(fw.AssetError, match="no file 'None Such'"):
        fw.TextBatch("None Such").measure("x")
    game.add(batch)
    assert early == [(label.size, label.character_count) for label in labels]
    assert len(batch) == 3


@pytest.mark.filterwarnings("ignore:font:RuntimeWarning")
def test_letters_missing_in_all_fonts_are_boxes(make):
    game = make()
    _, label = show(game, "日語", size=40, position=(10, 20), outline="#f00", outline_width=2)
    ink = game.pixels()[..., 1]
    columns = ink.any(axis=0)
    assert np.count_nonzero(columns[1:] & ~columns[:-1]) == 2  # two boxes, side by side
    left, bottom, right, top = box(game)
    assert (top - bottom, right - left) == pytest.approx((33, label.size[0]), abs=6)
    middle = ink[100 - (bottom + top) // 2, left : (left + right) // 2] > 128
    assert np.count_nonzero(middle[1:] & ~middle[:-1]) == 2  # each box is hollow


@pytest.fixture
def small_album(monkeypatch):
    monkeypatch.setattr(glyph_images, "_MAX_PIXELS", 1 << 14)


def rare_letters(count):
    """Return letters of the default font, each with its own image."""
    return [chr(0x400 + turn) * 2 for turn in range(count)]


@pytest.mark.filterwarnings("ignore:font:RuntimeWarning")
def test_letters_that_always_change_do_not_fill_the_atlas(make, small_album):
    game = make(size=(100, 60))
    batch = game.add(fw.TextBatch())
    stays = batch.add("stays", (2, 30), outline="#00f")
    moves = batch.add("W", (0, 2))
    label = batch.add("", (40, 2))
    game.advance(TICK)
    want = None
    areas = []
    eras = set()

    def update(dt):
        moves.position = moves.position[0] + 0.2, 2

    game.update = update
    for text in rare_letters(120):
        label.text = text
        game.advance(TICK)
        areas.append(batch._writer._pictures._area)
        eras.add(batch._writer._pictures.era)
        x = table_of(batch).column("position").previous(table_of(batch).count)[moves._rows.start, 0]
        assert x == pytest.approx(moves.position[0] - 0.2, abs=1e-3)  # the label moves on as before
    assert max(areas) < 1.2 * (1 << 14)
    assert len(eras) > 2
    assert picture_count(batch) < 100
    want = game.pixels()
    fresh = make(size=(100, 60))
    again = fresh.add(fw.TextBatch())
    again.add("stays", (2, 30), outline="#00f")
    again.add("W", moves.position)
    again.add(label.text, (40, 2))
    fresh.advance(TICK)
    game.update = lambda dt: None
    game.advance(TICK)
    game.advance(TICK)
    np.testing.assert_array_equal(game.pixels(), fresh.pixels())
    assert want.any()
    assert stays.size[0] > 20


@pytest.mark.filterwarnings("ignore:font:RuntimeWarning")
def test_a_restored_text_has_its_letters_although_the_atlas_was_cleared(make, small_album):
    game = make(fw.Game, size=(100, 60))
    label = game.labels.add("stays", (2, 30))
    second = game.labels.add("x", (2, 2))
    game.run_ticks()
    game.advance(0)
    picture = game.pixels()
    snapshot = game.snapshot()
    state = game.state_hash()
    for text in rare_letters(60):
        second.text = text
        label.text = text[::-1]
        game.run_ticks()
        game.advance(0)
    game.restore(snapshot)
    assert game.state_hash() == state
    game.advance(0)
    np.testing.assert_array_equal(game.pixels(), picture)


def test_letters_are_sharp_at_the_zoom_of_the_camera(make):
    """At zoom 4 a capital has the edges of one with 4 times the font size, but the layout does not
    change."""
    game = make(size=(100, 100))
    batch = game.add(fw.TextBatch(font_size=12), camera=game.camera)
    label = batch.add("HI", (50, 50), anchor=("center", "center"))
    game.camera.position = 50, 50
    game.advance(TICK)
    plain = game.pixels()
    size = label.size
    snapshot = game.snapshot()
    game.camera.zoom = 4
    game.camera.teleport()
    game.advance(TICK)
    game.advance(TICK)
    near = game.pixels()[..., 0]
    soft = np.count_nonzero((near > 30) & (near < 225)) / np.count_nonzero(near > 30)
    assert soft < 0.25  # drawn from its letters of 12 pixels, the blur is more than half
    assert label.size == size
    before = driven(batch).uploaded_bytes
    for _ in range(3):
        game.advance(TICK)
    assert driven(batch).uploaded_bytes == before
    label.text = "IH"
    game.advance(TICK)
    assert (game.pixels()[..., 0] != near).any()
    game.restore(snapshot)
    game.advance(0)
    game.advance(TICK)
    # their reduced copies
    assert game.pixels()[..., 0].sum() == pytest.approx(plain[..., 0].sum(), rel=0.15)
    for _ in range(70):
        game.advance(TICK)
    # after a while at low zoom, letters of 12 pixels again
    np.testing.assert_array_equal(game.pixels(), plain)


@pytest.mark.parametrize(
    ("text", "sizes", "from_the_right"),
    [
        ("abc", "abc", False),
        ("אבג", "גבא", True),
        ("ab אב cd", "ab בא cd", False),
        ("אב ab גד", "דג ab בא", True),
        ("אב 12.5 גד", "דג 12.5 בא", True),
        ("ab אב 12 cd", "ab 12 בא cd", False),
        ("ab 12 אב", "ab 12 בא", False),
        ("אב (גד) ab", "ab )דג( בא", True),
        ("ab אב (גד) cd", "ab )דג( בא cd", False),
        ("אב (cd) גד", "דג )cd( בא", True),
        ("אב 50%!", "!50% בא", True),
        ("", "", False),
        ("(!)", "(!)", False),
        ("ab (אב", "ab (בא", False),
    ],
)
def test_right_to_left_text_is_drawn_from_the_right_but_its_numbers_are_not(
    text, sizes, from_the_right
):
    assert shaping.reads_from_the_right(text) == from_the_right
    order = shaping.in_order(text, from_the_right)
    assert "".join(text[at] for at, _ in order) == sizes  # brackets, before they are mirrored
    assert all(turned for at, turned in order if "א" <= text[at] <= "ת")


@pytest.fixture
def joining(monkeypatch):
    """Treat words of accented letters as words of a script with joined letters."""
    monkeypatch.setattr(markup, "_CLUSTER", re.compile(r"\w+|."))
    monkeypatch.setattr(markup, "_APART", re.compile("[^é]*"))
    monkeypatch.setattr(fonts, "joined_script", lambda text: "é" in text)


def test_joined_words_share_their_glyphs(make, joining):
    game = make(size=(300, 100))
    batch, label = show(game, "été", size=40, position=(10, 20), outline="#f00", outline_width=1)
    count = picture_count(batch)
    near = set()
    for text in ("tété", "éé té", "été", "ttttté"):
        label.text = text
        game.advance(TICK)
        near.add(picture_count(batch))
    assert max(near) <= count + 20  # each glyph at four positions within a pixel, and its outline
    label.text = "tété"
    label.outline = None
    game.advance(TICK)
    assert label.character_count == 1
    wide = default_font(40).getlength("tété")
    assert label.size[0] == pytest.approx(wide, abs=3)
    ours = game.pixels()[..., 0].astype(int)
    left, right = np.flatnonzero(ours.any(axis=0))[[0, -1]]
    low, high = np.flatnonzero(ours.any(axis=1))[[0, -1]]
    pillow = pillow_ink("tété", 40)
    assert (high - low, right - left) == pytest.approx(pillow.shape, abs=3)
    assert ours.sum() == pytest.approx(pillow.astype(int).sum(), rel=0.1)
    top = ours[low : (low + high) // 2].sum()
    bottom = ours[(low + high) // 2 :].sum()
    half = len(pillow) // 2
    assert top / bottom == pytest.approx(
        pillow[:half].astype(int).sum() / pillow[half:].astype(int).sum(), rel=0.2
    )


def test_a_grown_mask_is_larger_by_a_disc():
    dot = np.full((1, 1), 255, np.uint8)
    for radius in (1, 2.5, 9):
        mask, more = shaping.grown(dot, radius)
        assert mask.shape == (2 * more + 1, 2 * more + 1)
        assert mask.sum() / 255 == pytest.approx(1 + 4 * radius + math.pi * radius**2, rel=0.2)
    assert shaping.grown(dot, 0)[1] == 0


def test_a_plain_line_has_the_layout_of_general_text(make):
    """Most texts use the fast way for plain lines, other texts use the general layout."""
    batch = make().add(fw.TextBatch(font_size=17))
    for text in ("Score 120", "AV To. ~|", "", " ", "x"):
        face = batch._writer.face_at(17)
        plain = face.line(text)
        second = face.lay_out(
            markup.runs(text, True), fonts.LayoutOptions(None, 0.0, 1.0, 0.0), lambda: None
        )
        assert plain._replace(colors=second.colors) == second


def test_the_width_of_a_line_is_the_sum_of_its_advances(make):
    batch = make().add(fw.TextBatch(font_size=20))
    for text in ("AV minimum, To", "Größe Ωπ Жя", "fl e\u0301"):
        letters = markup.clusters(text)
        width = sum(batch._writer.face_at(batch.font_size).advances(letters))
        assert batch.measure(text, markup=False)[0] == pytest.approx(width)
        kern = default_font(20, ImageFont.Layout.RAQM).getlength(text, features=["-liga", "-clig"])
        # a letter's advance is a whole pixel
        assert width == pytest.approx(kern, abs=0.5 * len(letters))


def test_a_counter_needs_no_more_memory_however_often_it_changes(make):
    """The first 400 of 1,200 changes use all letters and pairs. Later changes must store nothing
    new."""
    game = make(fw.Game, size=(64, 36), drawing=False)
    label = game.labels.add("0")
    batch = game.labels
    face = game.labels._writer.face_at(game.labels.font_size)
    sizes = []
    for count in range(1200):
        label.text = str(count * 7919 % 10000)
        letters_of(batch)  # writes the letters
        if count % 400 == 399:
            snapshot = [
                face._pairs,
                face._chosen,
                face._glyphs,
                face._steps,
                face._words,
                batch._writer.dirty,
                batch._writer.faces,
            ]
            sizes.append(
                (
                    *map(len, snapshot),
                    len(letters_of(batch)),
                    picture_count(batch),
                    batch._writer._pictures._area,
                )
            )
    assert sizes[0] == sizes[1] == sizes[2]
    assert sizes[0][-2] == 10


SYSTEM_FONTS = {
    "emoji": ("🙂", ("NotoColorEmoji", "Apple Color Emoji", "seguiemj")),
    "chinese": ("你好", ("wqy-zenhei", "NotoSansCJK-Regular", "NotoSansSC", "msyh", "PingFang")),
    "hindi": ("हिन्दी", ("Noto Sans Devanagari", "Mangal", "Nirmala", "Lohit-Devanagari")),
    "arabic": ("مرحبا", ("Noto Sans Arabic", "NotoNaskhArabic-Regular", "arial", "GeezaPro")),
}


@pytest.mark.parametrize("script", SYSTEM_FONTS)
def test_scripts_of_the_world_are_drawn_with_fonts_of_the_system_by_name(make, script):
    text, names = SYSTEM_FONTS[script]
    game = make()
    for name in names:
        try:
            batch = game.add(fw.TextBatch(name, 30))
            break
        except fw.AssetError:
            continue
    else:
        pytest.skip(f"this system has none of {', '.join(names)}")
    label = batch.add(text, (10, 30))  # missing letters would give a warning
    game.advance(TICK)
    red, green, blue = np.moveaxis(game.pixels()[..., :3].astype(int), 2, 0)
    assert bool((abs(red - blue) > 60).any()) == (script == "emoji")
    assert green.max() > 180
    columns = np.flatnonzero(green.any(axis=0))
    assert label.size[0] == pytest.approx(columns[-1] - columns[0], abs=10)
    apart = batch.measure(" ".join(text))[0] - (len(text) - 1) * batch.measure(" ")[0]
    if script == "arabic":  # joined letters, narrower than the separate letters
        assert label.size[0] < apart
    assert label.character_count == (2 if script == "chinese" else 1)


def test_broken_and_huge_fonts_are_one_asset_error(make, tmp_path, monkeypatch):
    whole = FONT.read_bytes()
    game = make()
    cases = {
        "empty": b"",
        "text": b"no font at all\n" * 99,
        "cut": whole[:2000],
        "half": whole[: len(whole) // 2],
    }
    cases["zeros"] = whole[:4096] + bytes(len(whole) - 4096)
    for name, data in cases.items():
        path = tmp_path / f"{name}.ttf"
        path.write_bytes(data)
        try:
            batch = game.add(fw.TextBatch(path))
            label = batch.add("Hg é")
        except fw.AssetError as error:
            assert f"{name}.ttf" in str(error)  # noqa: PT017
        else:
            assert label.size[1] > 0
    monkeypatch.setattr(fonts, "_MAX_FILE", 1000)
    with pytest.raises(fw.AssetError, match=r"text\.ttf' has more than 0 MiB, the maximum"):
        game.add(fw.TextBatch(tmp_path / "text.ttf"))
    with pytest.raises(fw.AssetError, match="no file 'text'"):
        game.add(fw.TextBatch("text"))


def test_a_new_text_loses_the_colors_of_the_old_text() -> None:
    with fw.Game(headless=True, size=(96, 54)) as game:
        batch = game.add(fw.TextBatch())
        gold = batch.add("[#f00]gold[/] ab")
        lined = batch.add("gold ab", (0, 30), outline="#0f0")
        game.advance(1 / 60)
        gold.text = "gold ab"
        lined.outline = None
        lined.text = "ab gold"
        game.advance(1 / 60)
        table = table_of(batch)
        assert (table.column("color").current(table.count) == 1).all()


def test_plain_texts_laid_out_together_equal_texts_laid_out_alone() -> None:
    texts = ["12", "AVA To. Wa", "", " x ", "i" * 40, "AVA"]
    anchors = [("left", "bottom"), ("center", "top"), ("right", "baseline")]
    columns = "position", "offset", "rank", "image", "visible"
    with fw.Game(headless=True, size=(96, 54)) as game:
        expected, sized = (game.add(fw.TextBatch()) for _ in range(2))
        labels = [
            [
                batch.add("AVToWa. xi12", (at, at), font_size=9 + at % 2, anchor=anchors[at % 3])
                for at in range(len(texts))
            ]
            for batch in (expected, sized)
        ]
        for first, second, text in zip(*labels, texts, strict=True):
            first.text = second.text = text
            second._lay_out()  # laid out at once, alone
            assert first.size == second.size
            assert first.caret_point(len(text)) == second.caret_point(len(text))
        game.advance(1 / 60)
        for first, second in zip(*labels, strict=True):
            assert (first._count, first.character_count, first.size) == (
                second._count,
                second.character_count,
                second.size,
            )
            for name in columns:
                one, second_label = (
                    table_of(batch)
                    .column(name)
                    .current(table_of(batch).count)[label._rows.start :][: label._count]
                    .tolist()
                    for batch, label in ((expected, first), (sized, second))
                )
                assert one == second_label, name


def test_a_text_that_waits_for_its_tick_is_restored_although_the_atlas_was_cleared(make):
    game = make(fw.Game, size=(100, 60))
    fresh = make(fw.Game, size=(100, 60))
    label = game.labels.add("11 0", (2, 30), anchor=("left", "top"))
    game.labels.add("23", (2, 2))
    game.run_ticks()
    label.text = "23"
    snapshot = game.snapshot()
    # a text of another width, with more letters than the batch has rows
    for text in ("0123 210", "1"):
        label.text = text
        game.run_ticks()
    game.labels._writer._pictures.start_over()
    game.advance(TICK)
    game.restore(snapshot)
    assert (label.text, label.character_count, label.size) == ("23", 2, game.labels.measure("23"))
    fresh.labels.add("23", (2, 30), anchor=("left", "top"))
    fresh.labels.add("23", (2, 2))
    for each in (game, fresh):
        each.advance(TICK)
        each.advance(TICK)
    np.testing.assert_array_equal(game.pixels(), fresh.pixels())


def test_a_batch_may_leave_its_game_and_join_another_game(make):
    batch = fw.TextBatch()
    label = batch.add("12 3", (2, 30))
    second = batch.add("3", (2, 2))
    for ratio in (1, 2, 1):
        game, fresh = (make(size=(120, 60), pixel_ratio=ratio) for _ in range(2))
        game.add(batch)
        game.advance(TICK)
        label.text = second.text = "321"
        label.width = None
        game.advance(TICK)
        again = fresh.add(fw.TextBatch())
        again.add("321", (2, 30))
        again.add("321", (2, 2))
        fresh.advance(TICK)
        np.testing.assert_array_equal(game.pixels(), fresh.pixels())
        second.text = "23"  # the text waits for a tick that never comes
        game.close()
        label.text = "[b]ab[/] 1"
        second.width = 40
        assert (label.character_count, second.character_count, label.text) == (4, 2, "[b]ab[/] 1")
        assert second.size == batch.measure("23", width=40)


@pytest.mark.parametrize("order", ["text first", "move first", "text twice"])
@pytest.mark.parametrize("turn", [0.0, 0.4])
def test_a_new_text_of_a_moving_label_continues_its_motion(make, order, turn):
    game = make(size=(160, 96))
    batch = game.add(fw.TextBatch())
    label = batch.add("score 1111", (20, 60), anchor=("left", "top"))
    still = batch.add("score 2222", (20, 30))

    def update(dt):
        if order != "move first":
            label.text = "score 2222"
        label.position = (52, 60)
        label.angle = turn
        label.scale = 1.0 + turn
        if order != "text first":
            label.text = "score 3333"
        still.text = "score 4444"

    game.run_ticks(2)
    game.update = update
    game.advance(1 / 60)
    del game.update
    position, angle, scale = table_of(batch).pose(0.5)[:3]
    rows = slice(label._rows.start, label._rows.start + label._count)
    offset = table_of(batch).column("offset").current(table_of(batch).count)[rows]

    def placed(at, angle, scale):
        x, y = scale * offset.T
        return (
            np.stack(
                [x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle)], 1
            )
            + at
        )

    assert position[rows] == pytest.approx(
        (placed((20, 60), 0, 1) + placed((52, 60), turn, 1 + turn)) / 2, abs=1e-3
    )
    assert angle[rows] == pytest.approx(turn / 2)
    assert scale[rows, 0] == pytest.approx(scale[still._rows.start, 0] * (1 + turn / 2), rel=1e-5)
    old, new = table_of(batch).states(still._rows)
    assert all((a == b).all() for a, b in zip(old, new, strict=True))


def test_the_new_text_of_a_teleported_or_new_label_is_not_interpolated(make):
    game = make(size=(160, 96))
    batch = game.add(fw.TextBatch())
    there = batch.add("here", (20, 60))
    empty = batch.add("", (20, 30))

    def update(dt):
        there.position = (99, 60)
        there.text = "then"
        empty.position = (99, 30)
        empty.text = "something"
        there.teleport()

    game.run_ticks(2)
    game.update = update
    game.advance(1 / 60)
    old, new = table_of(batch).states(slice(0, table_of(batch).count))
    assert all((a == b).all() for a, b in zip(old, new, strict=True))


def test_a_label_is_added_with_its_opacity():
    batch = fw.TextBatch()
    assert batch.add("so", color="#f00", alpha=0.25).color == (1, 0, 0, 0.25)
    with pytest.raises(ValueError, match="alpha: expected"):
        batch.add("so", alpha=2)


def test_adding_a_batch_twice_is_refused_and_changes_nothing(make):
    game = make()
    label = game.labels.add("A", (2, 2))
    game.run(1)
    before = game.pixels()
    with pytest.raises(ValueError, match="TextBatch: it was added to a game already"):
        game.add(game.labels)
    game.run(1)
    assert (game.pixels() == before).all()
    label.text = "Another"
    game.run(1)
    assert (game.pixels() != before).any()


def test_a_tween_of_visible_characters_is_a_typewriter(make):
    game = make()
    label = game.labels.add("0123456789", visible_characters=0)
    game.tween(label, visible_characters=10, duration=20 / 60)
    sizes = []
    for _ in range(20):
        game.run_ticks(1)
        sizes.append(label.visible_characters)
    assert sizes == [at // 2 for at in range(1, 21)]


def test_labels_look_the_same_after_a_restore_and_in_a_second_game(make):
    game = make(size=(120, 60))
    batch, label = show(game, "Score 17", position=(5, 20), color="#f80")
    first = game.pixels()
    before = game.snapshot()
    label.text = "Über 9"
    label.position = (9, 25)
    second_label = batch.add("two", (5, 2))
    game.advance(TICK)
    second = game.pixels()
    assert (second != first).any()
    game.restore(before)
    assert second_label not in batch._labels
    game.advance(0)
    assert (game.pixels() == first).all()
    game.remove(batch)
    game.advance(0)
    assert box(game) is None
    game.add(batch)
    game.advance(0)
    assert (game.pixels() == first).all()
    game.close()
    again = make(size=(120, 60))
    again.add(batch)
    again.advance(0)
    assert (again.pixels() == first).all()


def test_a_batch_with_a_missing_font_can_be_added_once_the_file_exists(make, tmp_path):
    game = make(size=(120, 60))
    path = tmp_path / "mine.ttf"
    batch = fw.TextBatch(path)
    label = batch.add("R", (5, 5))
    with pytest.raises(fw.AssetError):
        game.add(batch)
    assert backend_of(batch) is backend_of(batch._writer.sprites) is None
    path.write_bytes(FONT.read_bytes())
    game.add(batch)
    game.advance(0)
    assert box(game) is not None
    assert label.size[0] > 5


def test_a_batch_whose_label_could_not_be_laid_out_can_be_added_later(make, monkeypatch):
    game = make(size=(120, 60))
    batch = fw.TextBatch()
    batch.add("R", (5, 5))

    def broken(*_):
        raise fw.AssetError("broken")

    with monkeypatch.context() as patch:
        patch.setattr(FontFace, "line", broken)
        with pytest.raises(fw.AssetError, match="broken"):
            game.add(batch)
    assert backend_of(batch) is backend_of(batch._writer.sprites) is None
    game.add(batch)
    game.advance(0)
    assert box(game) is not None


def top_color(game):
    """Return the color, red or green, of most bright pixels in a game with two overlapping labels."""
    pixels = game.pixels().astype(int)
    red, green = (int((pixels[..., channel] > 200).sum()) for channel in (0, 1))
    return "green" if green > red else "red"


def test_a_later_label_stays_above_an_earlier_one_that_gets_longer(make):
    game = make(size=(160, 60))
    below = game.labels.add("MMM", (5, 5), color=(1, 0, 0), font_size=40)
    above = game.labels.add("MMM", (5, 5), color=(0, 1, 0), font_size=40)
    game.advance(1 / 60)
    saved = game.snapshot()
    for change in (
        lambda: setattr(below, "text", "MMMMMMMM"),
        lambda: setattr(below, "text", "M"),
        lambda: setattr(below, "outline", "#f00"),
        lambda: setattr(above, "text", "MMMMM"),
        lambda: setattr(below, "width", 400),
        lambda: game.restore(saved),
        lambda: setattr(below, "text", "MMMMMMMMMMMMMM"),
    ):
        change()
        game.advance(1 / 60)
        game.advance(1 / 60)
        assert top_color(game) == "green"


def test_a_plain_label_is_drawn_above_an_earlier_colored_label(make):
    game = make(size=(160, 60))
    game.labels.add("[#f00]MMM[/]", (5, 5), font_size=40)
    game.labels.add("MMM", (5, 5), color=(0, 1, 0), font_size=40)
    game.advance(1 / 60)
    game.advance(1 / 60)
    assert top_color(game) == "green"


@pytest.mark.parametrize("position", [(20.5, 20), (20, 20.5), (20.25, 20.75)])
def test_a_resting_label_between_two_pixels_is_sharp(make, position):
    game = make(size=(200, 61))
    label = game.labels.add("Illumination", (20, 20), font_size=14)
    game.advance(1 / 60)
    whole = np.sort(game.pixels(), axis=None)
    label.position = position
    game.advance(1 / 60)
    game.advance(1 / 60)
    assert np.array_equal(np.sort(game.pixels(), axis=None), whole)


def test_a_moving_label_is_drawn_between_two_pixels(make):
    game = make(size=(200, 61), tick_rate=10)
    label = game.labels.add("Illumination", (20, 20), font_size=14)
    game.advance(0.1)
    first = centroid(game.pixels())[0]
    game.update = lambda dt: setattr(label, "x", label.x + 1)
    game.advance(0.1)
    game.advance(0.025)
    assert centroid(game.pixels())[0] - first == pytest.approx(0.25, abs=0.02)


def test_a_resting_label_is_drawn_between_two_pixels_while_the_camera_moves(make):
    game = make(size=(200, 61), tick_rate=10)
    label = fw.TextBatch(font_size=14)
    game.add(label)
    label.add("Illumination", (20, 20))
    game.advance(0.1)
    first = centroid(game.pixels())[0]
    game.update = lambda dt: setattr(game.camera, "x", game.camera.x - 1)
    game.advance(0.1)
    game.advance(0.025)
    assert centroid(game.pixels())[0] - first == pytest.approx(0.25, abs=0.02)


def test_only_scripts_with_joined_letters_are_joined():
    assert [*map(markup.joined_script, ("سلام", "abc", "é"))] == [True, False, False]


def test_a_word_of_joined_letters_is_shaped_only_by_a_font_that_has_them():
    font = fonts.FontStack((str(FONT),), 20.0, (), False)._fonts[0]
    assert not fonts._is_word(font, "سلام")  # the built-in font has no Arabic


def test_letters_without_a_bold_font_are_drawn_with_a_pen_that_scales():
    graphics = Graphics(None, drawing=False)
    pens = [
        fonts.FontFace((str(FONT),), size, graphics, None, 1.0, True)._heavy for size in (14, 56)
    ]
    assert pens == [1.0, 2.0]


def test_a_letter_of_one_color_is_drawn_as_coverage():
    """`Pillow` could draw colors, but the letter has none."""
    font = default_font(20)
    box = (0, -20, 20, 5)
    plain, is_plain = fonts._painted(font, "A", box, {}, False)
    pixels, is_colored = fonts._painted(font, "A", box, {}, True)
    assert (is_plain, is_colored) == (False, False)
    assert plain.shape == (25, 20)
    np.testing.assert_array_equal(pixels, plain)


def test_the_box_of_a_missing_letter_is_as_wide_as_its_text():
    font = fonts.FontStack((str(FONT),), 20.0, (), False)._fonts[0]
    plain, outlined = (fonts._boxes(font, "xx", stroke).pixels for stroke in (0.0, 2.0))
    wide = round(font.basic.getlength(fonts._NO_LETTER))
    assert wide > 3
    assert plain.shape[1] == 2 * wide + 2
    columns = np.flatnonzero(plain.any(axis=0))
    grown = np.flatnonzero(outlined.any(axis=0))
    assert (grown[0], grown[-1]) == (columns[0], columns[-1] + 4)  # 2 pixels more on each side


def test_of_two_fonts_with_one_name_the_first_folder_counts(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "My Font.ttf").touch()
    (tmp_path / "a" / "read me.txt").touch()
    found = fonts._system_fonts((tmp_path / "a", tmp_path / "b"))
    assert found == {"myfont": tmp_path / "a" / "My Font.ttf"}


def test_line_ends_count_in_the_indices_of_letters():
    parts = [markup.StyledText("ab\nc", None, False), markup.StyledText("d\n\ne", None, False)]
    paragraphs, count = fonts._paragraphs(parts, None, lambda: None)
    assert [[row[:2] for row in paragraph] for paragraph in paragraphs] == [
        [("a", 0), ("b", 1)],
        [("c", 3), ("d", 4)],
        [],
        [("e", 7)],
    ]
    assert count == 8


def test_a_new_color_of_an_outlined_label_keeps_its_outline(make):
    game = make()
    _, label = show(game, "I", size=60, outline="#0f0", outline_width=4)
    label.color = "#f00"
    game.advance(TICK)
    row = game.pixels()[25, :, :3]
    assert (row == [255, 0, 0]).all(axis=1).any()
    assert (row == [0, 255, 0]).all(axis=1).any()


def test_an_outline_of_half_a_pixel_is_half_as_strong():
    mask, added = shaping.grown(np.full((1, 1), 200, np.uint8), 0.5)
    assert added == 1
    assert mask.tolist() == [[17, 100, 17], [100, 200, 100], [17, 100, 17]]


def test_pixel_art_text_keeps_its_letters_at_a_high_zoom(make):
    game = make(pixel_art=True, resolution=(100, 60))
    batch = game.add(fw.TextBatch())
    batch.add("near", (10, 10))
    game.camera.zoom = 4.0
    game.advance(1 / 60)
    assert batch._writer._pictures.density == 1


def test_plain_text_is_laid_out_like_any_text(make):
    game = make(fw.Game, size=(160, 120))
    writer = game.labels.add("x", (0, 0))._batch._writer
    chance = random.Random(7)
    words = [
        "gold",
        "[b]bold[/]",
        "[#f80]or[/]",
        "a-b",
        " ",
        "AVA",
        "[[b]",
        "Ty.",
        "[b]x[#0f0]y[/][/]",
    ]
    for _ in range(150):
        text = " ".join(chance.choice(words) for _ in range(chance.randint(0, 6)))
        face = writer.face_at(chance.choice([12.0, 17.5, 20.0]))
        shape = LayoutOptions(
            chance.choice([None, 20.0, 60.0]), chance.choice([0, 0.5]), 1.3, chance.choice([0, 2])
        )
        parts = markup.runs(text, chance.random() < 0.8)

        def bold(face=face):
            return writer.face_at(face._pixels, True)

        plain = face._plain_laid_out(parts, shape, bold)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(FontFace, "_plain_laid_out", lambda *_: None)
            letters = face.lay_out(parts, shape, bold)
        assert plain is not None
        assert plain._replace(colors=plain.colors or [None] * len(plain.images)) == letters


def test_a_bracket_in_a_wrapped_text_is_not_read_as_a_tag(make):
    game = make(fw.Game, size=(160, 120))
    label = game.labels.add("a", (0, 0))
    game.labels.add("[[b]", (0, 50), width=90)
    game.run(1)
    label.text = "[b]a[/]"
    assert label.character_count == 1
