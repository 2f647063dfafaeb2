"""Draw effects and transitions over the whole screen.

Each effect or transition reads a texture, and draws into the next texture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import ExitStack
from typing import TypeVar
from weakref import WeakSet

from ..arrays import Pixels
from ..resources import Folder, Reloadable
from . import shaders
from .gl import Releasable, moderngl
from .graphics import FRAME_BINDING, Graphics, shared_of
from .sampled import Sampled, SampledTexture, texture_of
from .scaled import ScaledFramebuffer
from .screen_effects import AnyTexture, Effect, Textures, look_of
from .uniforms import Shaded, Uniforms, Value, uniforms_of

_SOURCE_UNIT = 0
_MAX_PROGRAMS = 64
_OVERLAY_MAIN = "void main() {\n    color = over(v_place);\n}\n"
_IDLE_FRAMES = 8  # number of frames after which an unused framebuffer is released

Size = tuple[int, int]


class ScreenShader:
    """A shader program that draws over the whole viewport. A `ScreenShader` stores the values of
    its uniforms, and writes only values that have changed.
    """

    def __init__(
        self, ctx: moderngl.Context, fragment: str, folders: Sequence[Folder] = ()
    ) -> None:
        self.program = shaders.program(ctx, "scaled.vert", fragment, folders=folders)
        self._array = ctx.vertex_array(self.program, [])
        self._written: dict[str, Value] = {}
        self._uniforms = {
            name: member
            for name in self.program
            if isinstance(member := self.program[name], moderngl.Uniform)
        }
        block = self.program.get("Frame", None)
        if isinstance(block, moderngl.UniformBlock):
            block.binding = FRAME_BINDING

    def set(self, name: str, value: Value) -> None:
        """Set a uniform of the shader program. If the shader does not have the uniform, do nothing."""
        if name in self._uniforms and self._written.get(name) != value:
            self._written[name] = value
            self._uniforms[name].value = value

    def draw(self, textures: Textures) -> None:
        """Draw over the whole viewport of the bound framebuffer. ``textures`` is a dict from the
        names of sampler uniforms to textures.
        """
        for unit, (name, texture) in enumerate(textures.items()):
            texture.use(unit)
            self.set(name, unit)
        self._array.render(moderngl.TRIANGLE_STRIP, vertices=4)

    def release(self) -> None:
        """Release the program."""
        self._array.release()
        self.program.release()


class Target:
    """A texture with a framebuffer, so that passes can draw into the texture. The texture uses a
    linear filter and does not repeat.
    """

    def __init__(
        self, ctx: moderngl.Context, size: Size, dtype: str = "f1", components: int = 4
    ) -> None:
        self.size = size
        self.dtype = dtype
        self.texture = ctx.texture(size, components, dtype=dtype)
        self.texture.repeat_x = self.texture.repeat_y = False
        self.texture.filter = moderngl.LINEAR, moderngl.LINEAR
        self.framebuffer = ctx.framebuffer([self.texture])

    def use(self) -> None:
        """Bind the framebuffer, so that the next draw calls draw into the texture."""
        self.framebuffer.use()

    def release(self) -> None:
        """Release the texture and its framebuffer."""
        self.framebuffer.release()
        self.texture.release()


class EffectHistory:
    """The stored image from the last frame, which an effect such as `Afterimage` reads. The history
    contains two framebuffers and the time of the last image.
    """

    def __init__(self, ctx: moderngl.Context, size: Size, dtype: str) -> None:
        self.time = 0.0
        self.cuts = -1
        self._targets = [Target(ctx, size, dtype) for _ in range(2)]
        for target in self._targets:
            # floats of new textures may be NaN, and NaN times 0 is NaN
            target.framebuffer.clear()

    def swap(self, time: float, cuts: int) -> list[Target]:
        """Return two framebuffers: the first contains the last image, and the second is for the
        next image.

        ``cuts`` is the number of snapshots that the game has restored so far. If ``cuts`` has
        changed since the last frame, the effect ignores the last image.
        """
        self.time = time
        self.cuts = cuts
        self._targets.reverse()
        return list(self._targets)

    def release(self) -> None:
        """Release the two framebuffers."""
        for target in self._targets:
            target.release()


class Over:
    """A transition that is drawn over the image of the new scenes."""

    not_state = True

    def __init__(
        self,
        uniforms: Uniforms,
        progress: float,
        old: moderngl.Texture,
        plain: moderngl.Framebuffer | None = None,
    ) -> None:
        self.uniforms = uniforms
        self.progress = progress
        self.old = old
        self._plain = plain
        self.drawn = False
        """Whether the last pass of the effects has already drawn the transition."""

    def copy_old_image(self, ctx: moderngl.Context, target: moderngl.Framebuffer) -> bool:
        """Copy the image of the old scenes to ``target``. Copying is possible only for transitions
        that change nothing except the opacity of the old image.

        Copying takes half as much GPU time as a shader that reads the old image. Return whether the
        image was copied.
        """
        if (
            self._plain is None
            or target.samples
            or tuple(target.viewport) != (0, 0, *self._plain.size)
        ):
            return False
        ctx.copy_framebuffer(target, self._plain)
        return True


R = TypeVar("R", bound=Releasable)


class TextureCache:
    """A cache of framebuffers and textures. The cache releases objects that have not been used for
    some frames.
    """

    not_state = True

    def __init__(self) -> None:
        self._frame = 0
        self._cached: dict[object, tuple[Releasable, object, int]] = {}

    def get(self, key: object, make: Callable[[], R], holder: object = None) -> R:
        """Return the object that is cached under ``key``. If there is no such object, create it
        with ``make()`` and cache it.

        The cache also stores a reference to ``holder``. The reference keeps ``holder`` alive, so
        that no other object can get its id. Therefore ``key`` may contain this id.
        """
        cached = self._cached.get(key)
        item: R = make() if cached is None else cached[0]  # type: ignore[assignment]  # as it was made
        self._cached[key] = item, holder, self._frame
        return item

    def begin_frame(self) -> None:
        """Start a new frame. Release objects that have not been used for some frames."""
        self._frame += 1
        for key in [
            key for key, (_, _, used) in self._cached.items() if self._frame - used > _IDLE_FRAMES
        ]:
            self._cached.pop(key)[0].release()

    def release(self) -> None:
        """Release all cached framebuffers and textures."""
        items = self._cached
        self._cached = {}
        with ExitStack() as ending:
            for item, _, _ in items.values():
                ending.callback(item.release)


class EffectChain:
    """The object that draws all screen effects of a game. The chain also creates and releases the
    shader programs, and the framebuffers between two effects.

    Some effects compute each pixel from only one pixel of their input image. The chain draws such
    an effect in the same pass as the previous effect. Effects that read several pixels need a new
    pass, and so do the game's own shaders.
    """

    not_state = True

    def __init__(self, graphics: Graphics) -> None:
        self.ctx = graphics.ctx
        self._folders = graphics.folders
        self._working = graphics.working
        self._passes: dict[object, ScreenShader] = {}
        self._sources: dict[object, str] = {}  # the source code of each pass
        self._own_uniforms: WeakSet[Uniforms] = WeakSet()  # the uniforms of the game's own shaders
        Reloadable.add(self, EffectChain.renew)
        self._textures = TextureCache()
        self.begin_frame = self._textures.begin_frame
        self.time = 0.0
        self.units = (1.0, 1.0)
        self.in_space = False
        """True if the image has colors above white, like the images of 3D worlds."""
        self._owner: object = None
        # The effects in the current list that need their last image. An effect that is in the
        # current list twice is also in this list twice.
        self._history_effects: list[Effect] = []
        self.pixels: Size = (1, 1)
        """The width and height of the framebuffer of the current pass, in pixels."""

    @classmethod
    def of(cls, graphics: Graphics) -> EffectChain:
        """Return the `EffectChain` object of a game."""
        shared = shared_of(graphics)
        if not isinstance(shared.chain, cls):
            shared.chain = cls(graphics)
        return shared.chain

    def prepare(self, shaded: Iterable[Shaded]) -> None:
        """Compile the game's own shaders for effects, transitions and fullscreen quads. Raises
        `ShaderError` if a shader does not compile.
        """
        for uniforms in map(uniforms_of, shaded):
            if not uniforms.file:
                self.own_pass(uniforms)
                self.textures_of(uniforms)
                self._own_uniforms.add(uniforms)

    def own_pass(self, uniforms: Uniforms) -> ScreenShader:
        """Return the screen pass for one of the game's own shaders."""
        return self.get_pass(uniforms.source, lambda: uniforms.source)

    def textures_of(self, uniforms: Uniforms) -> dict[str, AnyTexture]:
        """Return a dict from the names of sampler2D uniforms to textures."""
        return {name: self._texture_of(sampled) for name, sampled in uniforms.samplers.items()}

    def _texture_of(self, sampled: Sampled) -> moderngl.Texture:
        texture = texture_of(sampled.source)
        if texture is not None:
            return texture
        source = sampled.source if sampled.pixels is None else sampled.pixels
        return self._textures.get(
            ("sampled", id(source)), lambda: SampledTexture(self.ctx, sampled), source
        ).texture

    def renew(self, files: Set[str]) -> bool:
        """Reload the shaders and images whose files are in ``files``. Return whether the chain uses
        at least one of ``files``.

        If a shader has an error, the method raises the error and does not change any shader.
        """
        with self._working():
            keys = [key for key, text in self._sources.items() if self._is_of(text, files)]
            passes: dict[object, ScreenShader] = {}
            with ExitStack() as after_error:
                for key in keys:
                    passes[key] = ScreenShader(self.ctx, self._sources[key], self._folders)
                    after_error.callback(passes[key].release)
                declared = [
                    (own, own.declared())
                    for own in self._own_uniforms
                    if self._is_of(own.source, files)
                ]
                after_error.pop_all()
            for key, drawn in passes.items():
                self._passes[key].release()
                self._passes[key] = drawn
            for own, new_uniforms in declared:
                own.declare(new_uniforms)
        loaded = [
            sampled.renew(files) for own in self._own_uniforms for sampled in own.samplers.values()
        ]
        return bool(keys) or any(loaded)

    def _is_of(self, text: str, files: Set[str]) -> bool:
        return not files.isdisjoint(shaders.files_of(text, self._folders))

    def get_pass(self, key: object, source: Callable[[], str]) -> ScreenShader:
        """Return the screen pass that is cached under ``key``. If the cache has no pass under
        ``key``, compile the GLSL code ``source()``. If the cache is full, release the pass that has
        not been used for the longest time.
        """
        cached = self._passes.pop(key, None)
        if cached is None:
            text = source()
            cached = ScreenShader(self.ctx, text, self._folders)
            self._sources[key] = text
            while len(self._passes) >= _MAX_PROGRAMS:
                oldest = next(iter(self._passes))
                self._passes.pop(oldest).release()
                del self._sources[oldest]
        self._passes[key] = cached
        return cached

    def file_pass(self, name: str) -> ScreenShader:
        """Return the screen pass for a shader file of the framework, such as the blur of a glow."""
        return self.get_pass((name, self.in_space), lambda: f'{self._variant}#include "{name}"\n')

    @property
    def _variant(self) -> str:
        return "#define IN_SPACE\n" if self.in_space else "\n"

    @property
    def dtype(self) -> str:
        """The number format of framebuffers: "f2" (floats) if colors may be brighter than white, or
        "f1" (bytes).
        """
        return "f2" if self.in_space else "f1"

    def target(self, key: object, size: Size) -> Target:
        """Return a framebuffer with the given ``size`` in pixels. Each combination of key and size
        has its own framebuffer.
        """
        size = (max(1, size[0]), max(1, size[1]))
        dtype = self.dtype
        return self._textures.get(
            ("target", key, size, dtype), lambda: Target(self.ctx, size, dtype)
        )

    def canvas(self, size: Size, samples: int) -> ScaledFramebuffer:
        """Return a framebuffer for drawing the scenes, before the effects are drawn. If colors may
        be brighter than white, the pixels of the framebuffer are floats.

        For example, `Bloom` needs such colors in a scene with a 3D world.
        """
        dtype = self.dtype
        key = ("canvas", size, samples, dtype)
        return self._textures.get(key, lambda: ScaledFramebuffer(self.ctx, size, samples, dtype))

    # -- effects -----------------------------------------------------------------------------------

    def show(
        self,
        image: ScaledFramebuffer,
        effects: Sequence[Effect],
        target: moderngl.Framebuffer,
        alpha: float,
        over: Over | None = None,
        owner: object = None,
    ) -> None:
        """Draw ``image`` with all ``effects`` over the viewport of ``target``. After the call,
        ``target`` is the bound framebuffer.

        If possible, the last pass of the effects also draws the transition ``over``. ``owner`` is
        the scene or view that has the effects.
        """
        self._owner = owner
        self._history_effects = []
        if not effects:
            image.show(target)
            return
        image.resolve()
        ctx = self.ctx
        ctx.enable_only(moderngl.NOTHING)
        texture = image.texture
        groups = _groups(effects)
        for index, group in enumerate(groups):
            last = index == len(groups) - 1
            self.pixels = target.viewport[2:] if last else image.size
            values, textures = self._inputs_of(group, texture, alpha)
            if last:
                target.use()
            else:
                between = self.target(index % 2, image.size)
                between.use()
            self._draw_group(group, values, textures, target, over if last else None)
            if not last:
                texture = between.texture
        ctx.enable_only(moderngl.BLEND)

    def _inputs_of(
        self, group: list[Effect], image: moderngl.Texture, alpha: float
    ) -> tuple[list[dict[str, Value]], dict[str, AnyTexture]]:
        """Prepare the effects of a group. Return the uniform values of each effect, and the
        textures of the whole group.
        """
        values = [uniforms_of(effect).at(alpha) for effect in group]
        textures: dict[str, AnyTexture] = {"source": image}
        for number, effect in enumerate(group):
            prepare = look_of(effect).prepare
            if prepare is not None:
                prepared_textures, prepared_values = prepare(effect, self, image, values[number])
                for name, texture in prepared_textures.items():
                    textures[_uniform_name(name, number, group)] = texture
                values[number] = values[number] | prepared_values
        return values, textures

    def _draw_group(
        self,
        group: list[Effect],
        values: list[dict[str, Value]],
        textures: dict[str, AnyTexture],
        target: moderngl.Framebuffer,
        over: Over | None,
    ) -> None:
        first = uniforms_of(group[0])
        if not first.file:
            drawn = self.own_pass(first)
            textures = textures | self.textures_of(first)
        else:
            files = [uniforms_of(effect).file for effect in group]
            blended = over is not None and over.copy_old_image(self.ctx, target)
            if over is not None:
                over.drawn = True
                textures = textures if blended else textures | {"old_picture": over.old}
                files.append(over.uniforms.file)
                values = [*values, over.uniforms.at(1.0) | {"progress": over.progress}]
            if blended:
                self._blend(moderngl.ZERO, moderngl.ONE)
            with_over = over is not None
            drawn = self.get_pass(
                (*files, self.in_space, blended),
                lambda: self._variant + _fused(files, values, textures, with_over, blended),
            )
        for number, effect_values in enumerate(values):
            for name, value in effect_values.items():
                drawn.set(_uniform_name(name, number, group), value)
        self.draw_pass(drawn, textures)

    def draw_transition(
        self, uniforms: Uniforms, progress: float, old: moderngl.Texture, new: moderngl.Texture
    ) -> None:
        """Draw a transition between two images. ``progress`` is 0 for the old image and 1 for the
        new image. With some eases, ``progress`` leaves this range for a short time.
        """
        self.ctx.enable_only(moderngl.NOTHING)
        textures = {"old_picture": old, "new_picture": new, **self.textures_of(uniforms)}
        self._draw_transition_pass(self.own_pass(uniforms), uniforms, progress, textures)

    def draw_transition_overlay(
        self, uniforms: Uniforms, progress: float, old: moderngl.Texture
    ) -> None:
        """Draw the old image and the transition's color over the new image, which is already in the
        framebuffer.

        Use `draw_transition_overlay` only for transitions that do not move the images.
        `draw_transition_overlay` is much faster than `draw_transition`, because its shader reads
        fewer pixels of the old image.
        """
        self._blend(moderngl.ZERO, moderngl.ONE)
        text = f'#include "picture.glsl"\n#include "effects/{uniforms.file}"\n{_OVERLAY_MAIN}'
        self._draw_transition_pass(
            self.get_pass(text, lambda: text), uniforms, progress, {"old_picture": old}
        )

    def _draw_transition_pass(
        self, drawn: ScreenShader, uniforms: Uniforms, progress: float, textures: Textures
    ) -> None:
        for name, value in uniforms.at(1.0).items():
            drawn.set(name, value)
        drawn.set("progress", progress)
        self.draw_pass(drawn, textures)
        self.ctx.enable_only(moderngl.BLEND)

    def draw_pass(self, drawn: ScreenShader, textures: Textures) -> None:
        """Set the uniforms that all passes have in common, and draw the pass."""
        first = next(iter(textures.values()))
        drawn.set("size", tuple(map(float, first.size)))
        drawn.set("units", self.units)
        drawn.set("time", self.time)
        drawn.draw(textures)

    def draw_file(
        self,
        name: str,
        to: Target,
        source: moderngl.Texture,
        textures: Textures | None = None,
        **values: Value,
    ) -> None:
        """Draw over the whole framebuffer ``to`` with a shader file of the framework."""
        drawn = self.file_pass(name)
        for uniform, value in values.items():
            drawn.set(uniform, value)
        to.use()
        self.draw_pass(drawn, {"source": source, **(textures or {})})

    def blend_levels(self, levels: Sequence[Target], share: float) -> None:
        """Blend each image in ``levels`` over the next larger image. The images in ``levels`` are
        sorted from the largest to the smallest. The smallest image is blended first.

        ``share`` is the opacity of each smaller image, from 0 to 1.
        """
        for below, above in zip(levels[-2::-1], levels[:0:-1], strict=True):
            self._blend()
            self.draw_file("effects/up.frag", below, above.texture, share=share)
        self.ctx.enable_only(moderngl.NOTHING)

    def _blend(self, *alpha: int) -> None:
        """Turn on alpha blending in OpenGL. ``alpha`` contains the source factor and the
        destination factor of the alpha channel. By default, the alpha channel uses the same factors
        as the colors.
        """
        ctx = self.ctx
        ctx.enable_only(moderngl.BLEND)
        factors = (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, *alpha)
        ctx.blend_func = factors  # type: ignore[assignment]  # the stubs know two factors only

    def history_of(self, effect: Effect, size: Size) -> EffectHistory:
        """Return the stored image of an effect that reads its image from the last frame.

        If several scenes or views use the same effect, each scene or view has a separate history.
        """
        dtype = self.dtype
        key = (
            "kept",
            id(effect),
            id(self._owner),
            self._history_effects.count(effect),
            size,
            dtype,
        )
        self._history_effects.append(effect)
        return self._textures.get(
            key, lambda: EffectHistory(self.ctx, size, dtype), (effect, self._owner)
        )

    def table_of(self, effect: Effect, table: Pixels) -> AnyTexture:
        """Return a texture with the lookup table of an effect. Depending on ``table``, the texture
        is a 2D texture, or a 3D texture with a linear filter.
        """
        return self._textures.get(("table", id(effect)), lambda: self._table(table), effect)

    def _table(self, table: Pixels) -> AnyTexture:
        height, width = table.shape[-3:-1]
        if table.ndim == 4:
            cube = self.ctx.texture3d((width, height, len(table)), 4, table.tobytes())
            cube.repeat_x = cube.repeat_y = cube.repeat_z = False
            return cube
        flat = self.ctx.texture((width, height), 4, table.tobytes())
        flat.filter = moderngl.NEAREST, moderngl.NEAREST
        return flat

    def release(self) -> None:
        """Release all programs, framebuffers and textures."""
        Reloadable.discard(self)
        with ExitStack() as ending:
            ending.callback(self._textures.release)
            for drawn in self._passes.values():
                ending.callback(drawn.release)
        self._passes = {}


def _groups(effects: Sequence[Effect]) -> list[list[Effect]]:
    """Divide effects into groups. Each group is drawn in one pass."""
    groups: list[list[Effect]] = []
    for effect in effects:
        last = groups[-1] if groups else []
        files = [uniforms_of(grouped).file for grouped in last]
        new = (
            not last or look_of(effect).gathers or "" in files or uniforms_of(effect).file in files
        )
        groups += [[effect]] if new else []
        if not new:
            last.append(effect)
    return groups


def _uniform_name(name: str, number: int, group: Sequence[Effect]) -> str:
    """Return the name of an effect's uniform in the shader of the effect's group."""
    return f"{name}_{number + 1}" if uniforms_of(group[0]).file else name


def _fused(
    files: Sequence[str],
    values: Sequence[Mapping[str, Value]],
    textures: Textures,
    with_over: bool,
    blended: bool,
) -> str:
    """Return the GLSL code of one shader that draws several effects. Each effect reads the image
    that the previous effect has computed.

    If ``with_over`` is True, the last entry of ``files`` is a transition. The shader draws the
    transition over the image with the effects. ``blended`` is True if the framebuffer already
    contains the image of the old scenes.
    """
    lines = ['#include "passing.glsl"']
    for number, (file, effect_values) in enumerate(zip(files, values, strict=True)):
        ending = f"_{number + 1}"
        names = [
            *effect_values,
            *[name.removesuffix(ending) for name in textures if name.endswith(ending)],
        ]
        macros = {name: f"{name}{ending}" for name in names}
        macros |= {"picture": f"picture_{number}", "effect": f"picture_{number + 1}"}
        lines += [f"#define {name} {replacement}" for name, replacement in macros.items()]
        lines += [f'#include "effects/{file}"']
        lines += [f"#undef {name}" for name in macros]
    image = f"picture_{len(files) - with_over}(v_place)"
    lines.append("void main() {")
    if not with_over:
        lines.append(f"    color = {image};")
    elif blended:
        lines.append(f"    color = vec4({image}.rgb, 1.0 - over(v_place).a);")
    else:
        lines.append("    vec4 laid = over(v_place);")
        lines.append(f"    color = vec4(mix({image}.rgb, laid.rgb, laid.a), 1.0);")
    return "\n".join([*lines, "}", ""])
