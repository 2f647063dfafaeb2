from __future__ import annotations

from typing import Any

import moderngl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from framework.errors import AssetError
from framework.gpu.atlas import (
    SPACING,
    TABLE_WIDTH,
    Atlas,
    Packing,
    _shelves,
    reduced_rectangles,
)


def random_images(*sizes: tuple[int, int], seed: int = 0) -> list[np.ndarray]:
    """Return random pixels of these (width, height)."""
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 256, (height, width, 4), dtype=np.uint8) for width, height in sizes]


def assert_holds(atlas: Atlas, images: list[np.ndarray]) -> None:
    """Check that each region of the texture has the pixels of its image."""
    texels = np.frombuffer(atlas.texture.read(), np.uint8).reshape(atlas.texture.height, -1, 4)
    assert len(atlas) == len(images)
    for (x, y, width, height), image in zip(atlas.rectangles.astype(int), images, strict=True):
        np.testing.assert_array_equal(texels[y : y + height, x : x + width][::-1], image)


def table_of(atlas: Atlas) -> np.ndarray:
    texels = np.frombuffer(atlas.table.read(), np.float32).reshape(-1, 4)
    return texels[: 2 * len(atlas)].reshape(-1, 2, 4)


def assert_apart(corners: list[Any], sizes: list[tuple[int, int]], width: int, height: int) -> None:
    low = np.array(corners)
    size = np.array(sizes)
    assert (low >= 0).all()
    assert (low + size <= (width, height)).all()
    # Of two rectangles, one must lie beyond the other plus the spacing, along x or along y.
    beyond = low[:, None] >= (low + size + SPACING)[None]
    apart = (beyond | beyond.swapaxes(0, 1)).any(axis=2)
    np.fill_diagonal(apart, True)
    assert apart.all()


# packing

edges = st.integers(1, 70)


@given(sizes=st.lists(st.tuples(edges, edges), min_size=1, max_size=60), start=st.integers(1, 100))
@settings(deadline=None)
def test_rectangles_are_apart_inside_the_area(sizes: list[tuple[int, int]], start: int) -> None:
    packing = Packing(start, 4096)
    corners = [packing.place(*size) for size in sizes]
    assert_apart(corners, sizes, packing.width, packing.height)


@given(sizes=st.lists(st.tuples(edges, edges), min_size=1, max_size=60), limit=st.integers(1, 130))
@settings(deadline=None)
def test_a_full_packing_stays_usable(sizes: list[tuple[int, int]], limit: int) -> None:
    packing = Packing(16, limit)
    placed: dict[int, tuple[int, int]] = {}
    for i, size in enumerate(sizes):
        before = packing.width, packing.height
        try:
            placed[i] = packing.place(*size)
        except AssetError:
            assert (packing.width, packing.height) == before
    assert packing.width <= limit
    assert packing.height <= limit
    if placed:
        assert_apart(
            list(placed.values()), [sizes[i] for i in placed], packing.width, packing.height
        )


def test_an_image_as_large_as_the_limit_fits() -> None:
    packing = Packing(256, 1000)
    assert packing.place(1000, 1000) == (0, 0)
    assert (packing.width, packing.height) == (1000, 1000)


def test_an_atlas_grows_once_for_a_large_image() -> None:
    packing = Packing(16, 1024)
    packing.place(10, 10)
    packing.place(600, 900)
    assert (packing.width, packing.height) == (1024, 1024)


def test_a_thousand_images_pack_well() -> None:
    sizes = np.random.default_rng(0).integers(4, 33, (1000, 2)).tolist()
    packing = Packing(256, 16384)
    for width, height in sizes:
        packing.place(width, height)
    assert packing.width * packing.height <= 1024 * 512


# the atlas


def test_an_image_comes_back_upside_down_to_the_texture(ctx: moderngl.Context) -> None:
    atlas = Atlas(ctx)
    image = np.zeros((2, 3, 4), np.uint8)
    image[0] = 255  # the top row is white
    assert atlas.add(image) == 0
    texels = np.frombuffer(atlas.texture.read(), np.uint8).reshape(256, 256, 4)
    x, y = atlas.rectangles[0, :2].astype(int)
    assert (texels[y + 1, x : x + 3] == 255).all()
    assert (texels[y, x : x + 3] == 0).all()
    atlas.release()


def test_regions_keep_their_position_and_pixels_when_the_atlas_grows(ctx: moderngl.Context) -> None:
    sizes = [tuple(size) for size in np.random.default_rng(1).integers(1, 60, (80, 2)).tolist()]
    images = random_images(*sizes)
    atlas = Atlas(ctx, size=32)
    textures = {atlas.texture.glo}
    for i, image in enumerate(images):
        before = atlas.rectangles.copy()
        assert atlas.add(image) == i
        textures.add(atlas.texture.glo)
        np.testing.assert_array_equal(atlas.rectangles[:i], before)
    assert atlas.texture.width > 200
    assert_holds(atlas, images)
    assert_apart(atlas.rectangles[:, :2].astype(int).tolist(), sizes, *atlas.texture.size)
    np.testing.assert_array_equal(atlas.sizes, sizes)
    atlas.release()


def test_growth_ignores_scissor_and_bound_framebuffer(ctx: moderngl.Context) -> None:
    target = ctx.simple_framebuffer((8, 8))
    target.use()
    target.scissor = ctx.scissor = (0, 0, 1, 1)
    images = random_images((30, 30), (30, 30), (5, 60))
    atlas = Atlas(ctx, size=32)
    for image in images:
        atlas.add(image)
    assert_holds(atlas, images)
    atlas.release()
    target.release()


def test_add_many_keeps_the_order_and_makes_one_new_texture(
    ctx: moderngl.Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    images = random_images((3, 4), (50, 60), (7, 7), (60, 50), (3, 4), (1, 1), (64, 2), (2, 64))
    atlas = Atlas(ctx, size=16)
    creations = []
    original = Atlas._new_texture
    monkeypatch.setattr(Atlas, "_new_texture", lambda self: creations.append(1) or original(self))
    first = atlas.add(images[0], (1, 2))
    assert not creations
    assert atlas.add_many(images[1:], [None, (0, 0), *[None] * 5]) == list(range(1, 8))
    assert len(creations) == 1
    assert first == 0
    assert_holds(atlas, images)
    np.testing.assert_array_equal(atlas.anchors[:3], [(1, 2), (25, 30), (0, 0)])
    assert atlas.add_many([]) == []
    atlas.release()


def test_the_table_holds_rectangles_and_anchors_across_rows(ctx: moderngl.Context) -> None:
    atlas = Atlas(ctx)
    images = random_images(*[(1 + i % 5, 1 + i % 3) for i in range(300)])
    atlas.add(images[0], (0.5, -2))
    atlas.flush()
    assert atlas.table.size == (TABLE_WIDTH, 1)
    np.testing.assert_array_equal(table_of(atlas), [[atlas.rectangles[0], (0.5, -2, 0, 0)]])
    for image in images[1:]:
        atlas.add(image)
    atlas.flush()
    table = table_of(atlas)
    np.testing.assert_array_equal(table[:, 0], atlas.rectangles)
    np.testing.assert_array_equal(table[:, 1, :2], atlas.anchors)
    np.testing.assert_array_equal(table[:, 1, 2:], 0)
    np.testing.assert_array_equal(atlas.anchors[1:], atlas.sizes[1:] / 2)
    # Texel 2i lies at (2i % TABLE_WIDTH, 2i // TABLE_WIDTH).
    rows = np.frombuffer(atlas.table.read(), np.float32).reshape(-1, TABLE_WIDTH, 4)
    i = 200
    np.testing.assert_array_equal(
        rows[2 * i // TABLE_WIDTH, 2 * i % TABLE_WIDTH], atlas.rectangles[i]
    )
    assert atlas.table.filter == (moderngl.NEAREST, moderngl.NEAREST)
    atlas.release()


# reductions


@given(width=st.integers(1, 300), height=st.integers(1, 300))
def test_reductions_need_half_the_area_of_an_image(width: int, height: int) -> None:
    rectangles = [(0, 0, width, height), *reduced_rectangles(width, height)]
    corners = [rectangle[:2] for rectangle in rectangles]
    sizes = [rectangle[2:] for rectangle in rectangles]
    assert sizes[-1] == (1, 1)
    across, up = np.add(corners, sizes).max(axis=0).tolist()
    assert_apart(corners, sizes, across, up)
    assert up <= height + -(-height // 2) + 2 + len(rectangles)
    assert across <= max(width, 2 * len(rectangles))


@pytest.mark.parametrize(
    "size", [(1, 1), (2, 1), (9, 7), (64, 64), (1, 40), (301, 33), (1000, 700)]
)
def test_the_reductions_of_an_image_are_its_means(
    ctx: moderngl.Context, size: tuple[int, int]
) -> None:
    atlas = Atlas(ctx, mipmaps=True)
    across, up = np.meshgrid(np.linspace(0, 255, size[0]), np.linspace(0, 255, size[1]))
    image = np.dstack(
        [across, up, np.full_like(up, 77), np.indices(across.shape).sum(axis=0) % 2 * 255]
    )
    atlas.add(random_images((5, 5))[0])
    atlas.add(image.astype(np.uint8))
    atlas.add(random_images((300, 300))[0])  # the texture grows
    atlas.flush()
    rectangles = reduced_rectangles(*size)
    assert table_of(atlas)[:, 1, 2].tolist() == [2, len(rectangles), 8]
    texels = np.frombuffer(atlas.texture.read(), np.uint8).reshape(atlas.texture.height, -1, 4)
    left_edge, bottom = atlas.rectangles[1, :2].astype(int)
    for x, y, width, height in rectangles:
        texels_of_level = texels[bottom + y :, left_edge + x :][:height, :width].astype(float)
        if min(size) > 1:
            np.testing.assert_allclose(
                texels_of_level[..., :2].mean(axis=(0, 1)), 127.5, atol=8
            )  # in the middle of the gradient
            np.testing.assert_allclose(
                texels_of_level[..., 3], 127.5, atol=1500 / min(size) ** 2 + 6
            )
        assert (np.diff(texels_of_level[0, :, 0]) >= 0).all()
        assert (np.diff(texels_of_level[:, 0, 1]) <= 0).all()
        np.testing.assert_allclose(texels_of_level[..., 2], 77, atol=0)
    atlas.release()


def test_an_image_of_even_size_is_halved_exactly(ctx: moderngl.Context) -> None:
    atlas = Atlas(ctx, mipmaps=True)
    image = random_images((64, 16))[0]
    atlas.add(image)
    texels = np.frombuffer(atlas.texture.read(), np.uint8).reshape(atlas.texture.height, -1, 4)
    left_edge, bottom = atlas.rectangles[0, :2].astype(int)
    for level, (x, y, width, height) in enumerate(reduced_rectangles(64, 16)[:4], 1):
        level_texels = texels[bottom + y :, left_edge + x :][:height, :width][::-1]
        want = image.reshape(height, 2**level, width, 2**level, 4).mean(axis=(1, 3))
        np.testing.assert_allclose(level_texels, want, atol=0.51 * level)
    atlas.release()


def test_an_image_without_room_for_reductions_is_added_without_them(ctx: moderngl.Context) -> None:
    atlas = Atlas(ctx, size=16, limit=64, mipmaps=True)
    images = random_images((64, 64))
    atlas.add(images[0])
    assert_holds(atlas, images)
    atlas.flush()
    assert table_of(atlas)[0, 1, 2] == 0
    with pytest.raises(AssetError, match="no room for an image of 9×9 pixels: it holds 1"):
        atlas.add(random_images((9, 9))[0])
    atlas.release()
    atlas = Atlas(ctx, size=16, limit=64, mipmaps=True)
    atlas.add_many(random_images(*[(31, 30 - i) for i in range(4)]))
    assert not table_of(atlas)[:, 1, 2].any()
    atlas.release()


def test_flush_uploads_only_what_changed(ctx: moderngl.Context) -> None:
    atlas = Atlas(ctx)
    atlas.add(random_images((3, 3))[0])
    atlas.flush()
    atlas.table.write(np.zeros((1, TABLE_WIDTH, 4), np.float32))
    atlas.flush()
    assert not table_of(atlas).any()
    atlas.add(random_images((2, 2))[0])
    atlas.flush()
    np.testing.assert_array_equal(table_of(atlas)[:, 0], atlas.rectangles)
    atlas.release()


def test_a_shader_finds_an_image_through_the_table(ctx: moderngl.Context) -> None:
    """A shader that reads the texels of region 1 through the table draws its image."""
    program = ctx.program(
        vertex_shader="""#version 330 core
            void main() {
                gl_Position = vec4(vec2(gl_VertexID % 2, gl_VertexID / 2) * 4.0 - 1.0, 0.0, 1.0);
            }""",
        fragment_shader="""#version 330 core
            uniform sampler2D image;
            uniform sampler2D table;
            out vec4 color;
            void main() {
                vec4 region = texelFetch(table, ivec2(2, 0), 0);
                vec2 texel = clamp(gl_FragCoord.xy, vec2(0.5), region.zw - 0.5) + region.xy;
                color = texture(image, texel / vec2(textureSize(image, 0)));
            }""",
    )
    images = random_images((20, 9), (6, 5), (30, 30))
    images[0][:] = 255
    images[2][:] = 255
    atlas = Atlas(ctx, size=16)
    atlas.add_many(images)
    target = ctx.simple_framebuffer((6, 5), components=4)
    target.use()
    program["image"] = 3
    program["table"] = 5
    atlas.flush()
    atlas.texture.use(3)
    atlas.table.use(5)
    vertices = ctx.vertex_array(program, [])
    vertices.render(vertices=3)
    drawn = np.frombuffer(target.read(components=4), np.uint8).reshape(5, 6, 4)
    np.testing.assert_array_equal(drawn[::-1], images[1])
    for resource in (vertices, target, program, atlas):
        resource.release()


@pytest.mark.parametrize(
    ("name", "constant"), [("linear", moderngl.LINEAR), ("nearest", moderngl.NEAREST)]
)
def test_the_filter_is_kept_when_the_atlas_grows(
    ctx: moderngl.Context, name: str, constant: int
) -> None:
    atlas = Atlas(ctx, filter=name, size=8)
    for image in [None, *random_images((8, 8), (8, 8))]:
        if image is not None:
            atlas.add(image)
        assert atlas.texture.filter == (constant, constant)
        assert not atlas.texture.repeat_x
        assert not atlas.texture.repeat_y
    assert atlas.texture.size != (8, 8)
    atlas.release()


def test_views_are_read_only(ctx: moderngl.Context) -> None:
    atlas = Atlas(ctx)
    atlas.add(random_images((3, 2))[0])
    for view in (atlas.rectangles, atlas.sizes, atlas.anchors):
        assert view.dtype == np.float32
        with pytest.raises(ValueError, match="read-only"):
            view[:] = 0
    atlas.release()


def test_an_image_may_repeat_a_row_or_a_color_without_a_copy(ctx: moderngl.Context) -> None:
    row = random_images((9, 1))[0]
    images = [np.broadcast_to(row, (5, 9, 4)), np.broadcast_to(row[:, :1], (4, 3, 4))]
    atlas = Atlas(ctx)
    assert atlas.add_many(images) == [0, 1]
    assert_holds(atlas, images)


def test_pixels_need_not_be_contiguous(ctx: moderngl.Context) -> None:
    image = random_images((9, 8))[0]
    atlas = Atlas(ctx)
    atlas.add(image[::-1, ::2])
    assert_holds(atlas, [image[::-1, ::2]])
    atlas.release()


# errors


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"filter": "cubic"}, "filter: expected one of 'linear', 'nearest', got 'cubic'"),
        ({"size": 0}, "size: expected a whole number of at least 1, got 0"),
        ({"size": 2.5}, "size: expected a whole number, got 2.5"),
        ({"limit": -1}, "limit: expected a whole number of at least 1, got -1"),
    ],
)
def test_wrong_options_are_errors(
    ctx: moderngl.Context, options: dict[str, Any], words: str
) -> None:
    with pytest.raises((ValueError, TypeError), match=f"^{words}"):
        Atlas(ctx, **options)


def test_wrong_images_and_anchors_are_errors(ctx: moderngl.Context) -> None:
    atlas = Atlas(ctx)
    good = random_images((3, 2))[0]
    for bad in (np.zeros((2, 2, 3), np.uint8), np.zeros((2, 2, 4)), np.zeros((0, 2, 4), np.uint8)):
        with pytest.raises(ValueError, match=r"^pixels: expected "):
            atlas.add_many([good, bad])
    with pytest.raises(TypeError, match=r"^pixels: expected an array, got 'ship.png'"):
        atlas.add("ship.png")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^anchor: expected a finite number, got nan"):
        atlas.add(good, (0, float("nan")))
    with pytest.raises(ValueError, match=r"^anchors: expected one for each of 2 images, got 1"):
        atlas.add_many([good, good], [None])
    assert len(atlas) == 0
    atlas.release()


def test_an_image_above_the_limit_does_not_change_the_atlas(ctx: moderngl.Context) -> None:
    limit = ctx.info["GL_MAX_TEXTURE_SIZE"]
    atlas = Atlas(ctx)
    with pytest.raises(
        AssetError, match=rf"{limit + 1}×1 pixels is larger .*\({limit}×{limit}\). Scale"
    ):
        atlas.add(np.zeros((1, limit + 1, 4), np.uint8))
    assert atlas.texture.size == (256, 256)
    images = random_images((3, 2))
    atlas.add(images[0])
    assert_holds(atlas, images)
    atlas.release()


def test_a_full_atlas_adds_all_images_or_none(ctx: moderngl.Context) -> None:
    atlas = Atlas(ctx, size=16, limit=64)
    images = random_images((30, 30))
    atlas.add(images[0])
    size = atlas.texture.size
    with pytest.raises(
        AssetError, match=r"no room for an image of 30×\d+ pixels.* at most 64×64. Use"
    ):
        atlas.add_many(random_images(*[(30, 30 - i) for i in range(9)]))
    assert len(atlas) == 1
    assert atlas.texture.size == size
    with pytest.raises(
        AssetError, match="no room for an image of 60×60 pixels: it holds 1 images, is 32×32"
    ):
        atlas.add(random_images((60, 60))[0])
    images += random_images((30, 30), (30, 30), seed=1)
    atlas.add_many(images[1:])
    assert_holds(atlas, images)
    atlas.release()


@pytest.mark.parametrize(("height", "width"), [(15, 15), (31, 7), (7, 31)])
def test_a_grid_of_images_may_fill_the_atlas_to_its_edges(
    ctx: moderngl.Context, height: int, width: int
) -> None:
    atlas = Atlas(ctx, size=16, limit=63)  # between the images is a space of one pixel
    images = random_images(*[(height, width)] * (64 * 64 // (height + 1) // (width + 1)))
    assert atlas.add_grid(np.stack(images), (0, 0)) == 0
    assert atlas.texture.size == (63, 63)
    assert_holds(atlas, images)
    atlas.release()


def test_release_may_be_called_twice(ctx: moderngl.Context) -> None:
    atlas = Atlas(ctx)
    atlas.release()
    atlas.release()


# letters, which are uploaded later


@pytest.mark.parametrize("mipmaps", [False, True])
def test_letters_are_packed_like_images(
    ctx: moderngl.Context, mipmaps: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(4)
    sizes = [
        (5, 8),
        (7, 9),
        (5, 8),
        (1, 1),
        (12, 3),
        (5, 8),
        (5, 8),
        (30, 31),
        (5, 8),
        (16, 16),
    ] * 3
    letters = [rng.integers(0, 256, (high, wide), dtype=np.uint8) for wide, high in sizes]
    letters[4] = rng.integers(0, 256, (3, 12, 4), dtype=np.uint8)  # a color glyph
    colors = [x if x.ndim == 3 else np.repeat(x[..., None], 4, axis=2) for x in letters]
    ordinary = Atlas(ctx, size=32, mipmaps=mipmaps)
    ordinary.add_many(colors, [(1, 2)] * len(colors))
    atlas = Atlas(ctx, size=32, mipmaps=mipmaps)
    written: list[object] = []
    monkeypatch.setattr(Atlas, "_grow_texture", lambda atlas: written.append(1) or grow(atlas))
    indices = [atlas.add_letter(letter, (1, 2)) for letter in letters[:20]]
    assert not written  # the upload is in the next flush
    np.testing.assert_array_equal(atlas.sizes, ordinary.sizes[:20])
    atlas.flush()
    assert not atlas.changed
    indices += [atlas.add_letter(letter, (1, 2)) for letter in letters[20:]]
    assert indices == list(range(len(letters)))
    for name in ("sizes", "anchors", "halvings"):
        np.testing.assert_array_equal(getattr(atlas, name), getattr(ordinary, name))
    assert len(atlas.rectangles) == len(
        letters
    )  # reading the rectangles uploads the waiting letters
    assert_holds(atlas, colors)
    np.testing.assert_array_equal(blocks_of(atlas), blocks_of(ordinary))
    atlas.flush()
    np.testing.assert_array_equal(table_of(atlas)[:, 0], atlas.rectangles)
    for either in (atlas, ordinary):
        either.release()


grow = Atlas._grow_texture


def blocks_of(atlas: Atlas) -> np.ndarray:
    """Return the texels of all images and of their smaller copies, one after another."""
    rectangles = atlas.rectangles.astype(int).tolist()
    texels = np.frombuffer(atlas.texture.read(), np.uint8).reshape(atlas.texture.height, -1, 4)
    parts = []
    for (x, y, width, height), times in zip(rectangles, atlas.halvings.astype(int), strict=True):
        blocks = [(0, 0, width, height), *reduced_rectangles(width, height)[:times]]
        parts += [texels[y + up : y + up + h, x + at : x + at + w] for at, up, w, h in blocks]
    return np.concatenate([part.reshape(-1, 4) for part in parts])


def test_other_calls_upload_waiting_letters_first(ctx: moderngl.Context) -> None:
    coverage = np.arange(48, dtype=np.uint8).reshape(8, 6)
    letter = np.repeat(coverage[..., None], 4, axis=2)
    image, larger = random_images((4, 4), (9, 9))
    atlas = Atlas(ctx, size=16)
    atlas.add_letter(coverage, (0, 0))
    atlas.add(image)
    atlas.add_letter(coverage, (0, 0))
    copied = atlas.copy()
    assert_holds(copied, [letter, image, letter])
    atlas.add_letter(coverage, (0, 0))
    atlas.replace({1: larger}, {1: None})
    assert_holds(atlas, [letter, larger, letter, letter])
    atlas.add_letter(coverage, (0, 0))
    atlas.add_grid(np.stack([image, image]), (0, 0))
    assert_holds(atlas, [letter, larger, *[letter] * 3, image, image])
    atlas.add_letter(coverage, (0, 0))
    table = np.frombuffer(atlas.table_of(np.array([7])).read(), np.float32)
    np.testing.assert_array_equal(table[:4], atlas.rectangles[7])
    atlas.add_letter(coverage, (0, 0))  # this letter is never uploaded
    for either in (copied, atlas):
        either.release()


def test_a_letter_without_room_is_an_error_at_once(ctx: moderngl.Context) -> None:
    atlas = Atlas(ctx, size=16, limit=64)
    large = np.zeros((40, 40), np.uint8)
    small = np.zeros((7, 7), np.uint8)
    atlas.add_letter(large, (0, 0))

    def add_all() -> None:
        for _ in range(200):
            atlas.add_letter(small, (0, 0))

    with pytest.raises(AssetError, match="no room"):
        add_all()
    assert 1 < len(atlas) < 64 * 64 / 49
    atlas.flush()
    assert_apart(atlas.rectangles[:, :2].tolist(), atlas.sizes.tolist(), *atlas.texture.size)
    atlas.release()


@given(sizes=st.lists(st.tuples(edges, edges), min_size=1, max_size=60))
@settings(deadline=None)
def test_shelves_are_apart(sizes: list[tuple[int, int]]) -> None:
    area = sum((height + SPACING) * (width + SPACING) for height, width in sizes)
    corners, width, height = _shelves(sizes, area)
    turned = [(wide, high) for high, wide in sizes]
    assert_apart(corners, turned, width, height)
    assert width * height <= 4 * max(area, max(sizes)[0] ** 2, max(turned)[0] ** 2)
