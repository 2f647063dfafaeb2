"""Create the shader programs, textures and uniform blocks for the materials of a world."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, cast

from ..assets import images
from ..assets.images import ImageSource, LiveImage, Region, add_copy, load, remove_copy
from ..errors import AssetError
from ..gpu import mipmaps, shaders
from ..gpu.depth import DepthCopy
from ..gpu.gl import OpenGL, moderngl
from ..gpu.graphics import (
    FRAME_BINDING,
    MATERIAL_BINDING,
    SHADOW_FRAME_BINDING,
    WORLD_BINDING,
    Graphics,
    driver_limit,
)
from ..gpu.shaders import KnownUniforms, Programs
from ..models.materials import Material
from ..models.textures import WRAPS, Texture
from ..resources import Folder, Reloadable, find
from .camera3d import Shot

# The uniform block of shaders/include/material.glsl, in std140 layout. At the end are the scale,
# angle and offset of each texture.
_MATERIAL = struct.Struct("=12f")
_MAPS = struct.Struct("=40f")

# The texture attributes of a `Material`. Each item has the name in GLSL, and whether the texture is
# sRGB. The index of an item is the texture unit. The shadow map has the next unit.
_TEXTURES = {
    "base_texture": True,
    "metallic_roughness_texture": False,
    "normal_texture": False,
    "occlusion_texture": False,
    "emissive_texture": True,
}
SHADOW_UNIT = len(_TEXTURES)
"""The texture unit of the sun's shadow map. Your own shaders can use higher units."""

_ANISOTROPY = 8.0
# If an image has at most this number of texels in width or height, it is often a palette, of which
# a triangle shows one texel. A driver that computes the anisotropic filter as an ellipse, such as
# llvmpipe, mixes each texel of an enlarged image with its neighbors. For small images, the filter
# is useless.
_MAX_PALETTE_SIDE = 16
_SECOND_UV = "SECOND_UV"
_FLAT_UV = "FLAT_UV"
_MIRRORED_REPEAT = 0x8370
_SAMPLING = ("repeat", "repeat", "linear", "linear_mipmap_linear")
_NOT_BY_HAND = -1  # the wrap code of a texture that the driver filters, not the shader
_BLOCKS = {"Frame": FRAME_BINDING, "World": WORLD_BINDING, "Material": MATERIAL_BINDING}


class WorldAssets(Programs):
    """The shader programs and textures that all solids of a world share."""

    def __init__(self, graphics: Graphics) -> None:
        super().__init__(graphics.ctx, graphics.folders)
        self.graphics = graphics
        self.shot: Shot | None = None
        """The pose and the matrices of the camera in the current frame."""
        self.depth: DepthCopy | None = None
        """A texture with the depths of the opaque solids in this frame, or None if no transparent
        solid reads them.
        """
        self.uniforms = KnownUniforms()
        """The current values of the uniforms in the shader programs of crowds."""
        self._textures: dict[object, _Shared] = {}
        self._outdated: list[_Shared] = []  # old textures that some users have not replaced yet
        Reloadable.add(self, WorldAssets.renew)

    def get(
        self,
        vertex: str,
        fragment: str,
        defines: Mapping[str, str | int | float] | None = None,
    ) -> moderngl.Program:
        """Return a shader program, and compile the program if necessary. Solids with the same
        shaders share one program; see `Programs.get`.

        If the fragment shader is "shadow.frag", the program draws depths for the shadows of the
        sun.
        """
        program_count = len(self._programs)
        program = super().get(vertex, fragment, defines)
        if len(self._programs) != program_count:
            _bind(program, fragment)
        return program

    def renew(self, files: Set[str]) -> bool:
        """Reload the shaders and images that come from ``files``.

        Return whether the world uses at least one of ``files``.

        Materials use the reloaded files once their `Material.version` has changed. If a file
        contains an error, `renew` raises it and changes nothing.
        """
        programs = self.recompiled(files)
        for (_, fragment, *_), program in programs.items():
            _bind(program, str(fragment))
        try:
            textures = self._reloaded_textures(files)
        except BaseException:
            for program in programs.values():
                program.release()
            raise
        self.replace_programs(programs)
        self.uniforms.forget()
        for key, texture in textures.items():
            outdated = self._textures[key]
            self._outdated.append(outdated)
            self._textures[key] = _Shared(texture, outdated.source)
        return bool(programs or textures)

    def _reloaded_textures(self, files: Set[str]) -> dict[object, moderngl.Texture]:
        """Return new textures of all images that come from ``files``, with the keys of
        ``_textures``. If an image has an error, raise the error.
        """
        loaded: dict[object, moderngl.Texture] = {}
        try:
            for key, shared in self._textures.items():
                if images.is_among(shared.source, files, self.folders):
                    _, srgb, sampling = cast(tuple[object, bool, tuple[str, ...]], key)
                    loaded[key] = self._make_texture(shared.source, srgb, sampling)
        except BaseException:
            for texture in loaded.values():
                texture.release()
            raise
        return loaded

    def texture(self, source: ImageSource | Texture, srgb: bool) -> moderngl.Texture:
        """Return the texture of an image. All materials with the same image share one texture. The
        first call for an image uploads it.

        Call `give_back` when you no longer need the texture. Raises `AssetError` if the image is
        missing, damaged or larger than the driver's limit.
        """
        source, sampling = (
            (source.image, source.sampling) if isinstance(source, Texture) else (source, _SAMPLING)
        )
        key = self._key(source), srgb, sampling
        shared = self._textures.get(key)
        if shared is None:
            texture = self._make_texture(source, srgb, sampling)
            shared = self._textures[key] = _Shared(texture, source)
            if isinstance(source, LiveImage):
                shared.copy = self._copying(texture, "mipmap" in sampling[-1])
                add_copy(source, shared.copy)
        shared.users += 1
        return shared.texture

    def _make_texture(
        self, source: ImageSource, srgb: bool, sampling: tuple[str, ...]
    ) -> moderngl.Texture:
        texture = self._loaded(source, srgb, "mipmap" in sampling[-1])
        _sample(texture, sampling, self.graphics.ctx.max_anisotropy)
        return texture

    def give_back(self, texture: moderngl.Texture) -> None:
        """Called when a material no longer uses a texture. If no other material uses the texture,
        release it.
        """
        for key, shared in self._textures.items():
            if shared.texture is texture:
                shared.users -= 1
                if not shared.users:
                    del self._textures[key]
                    shared.release()
                return
        for shared in self._outdated:
            if shared.texture is texture:
                shared.users -= 1
                if not shared.users:
                    self._outdated.remove(shared)
                    shared.release()
                return

    def is_outdated(self, texture: moderngl.Texture) -> bool:
        """Return whether ``texture`` is out of date because the framework has reloaded its image."""
        return any(shared.texture is texture for shared in self._outdated)

    def shows(self, texture: object) -> bool:
        """Return whether any material uses the render texture ``texture``, into which a view
        draws.
        """
        return any(shared.source is texture for shared in self._textures.values())

    def _copying(
        self, texture: moderngl.Texture, mipmaps: bool
    ) -> Callable[[OpenGL, int, int], None]:
        """Return a function that copies the image of a view to ``texture``; see `add_copy`."""
        target = self.graphics.ctx.framebuffer([texture])

        def copy(gl: OpenGL, width: int, height: int) -> None:
            gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, target.glo)
            # In glTF, texture coordinates begin at the top of the image.
            corners = 0, 0, width, height, 0, height, width, 0
            gl.glBlitFramebuffer(*corners, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
            if mipmaps:
                texture.build_mipmaps()

        return copy

    def _key(self, source: ImageSource) -> object:
        if isinstance(source, Region):
            return self._key(source.source), source.box
        if isinstance(source, str | os.PathLike):
            return str(find(source, self.graphics.folders))
        return id(source)  # `_Shared` holds a reference to the source, so that its id stays unique

    def _loaded(self, source: ImageSource, srgb: bool, reduced: bool) -> moderngl.Texture:
        ctx = self.graphics.ctx
        pixels = load(source, self.graphics.folders, live=True)
        height: int = pixels.shape[0]
        width: int = pixels.shape[1]
        limit = driver_limit("GL_MAX_TEXTURE_SIZE")
        if max(width, height) > limit:
            name = (
                repr(os.fspath(source))
                if isinstance(source, str | os.PathLike)
                else f"a {type(source).__name__}"
            )
            raise AssetError(
                f"The texture {name} has {width}×{height} pixels, "
                f"the driver's limit is {limit}×{limit}"
            )
        # moderngl's type stubs say str, but the option is a number.
        options: Any = {"internal_format": mipmaps.SRGB8_ALPHA8} if srgb else {}
        # Row 0 is the top of the image, where glTF's texture coordinates begin.
        texture = ctx.texture((width, height), 4, pixels, **options)
        if reduced:
            mipmaps.build(texture, pixels, srgb)
        return texture

    def release(self) -> None:
        Reloadable.discard(self)
        for shared in [*self._textures.values(), *self._outdated]:
            shared.release()
        self._textures.clear()
        self._outdated.clear()
        if self.depth is not None:
            self.depth.release()
        super().release()


def _bind(program: moderngl.Program, fragment: str) -> None:
    """Connect a shader program to the uniform blocks and texture units that a world uses."""
    for name, binding in _BLOCKS.items():
        block = program.get(name, None)
        if isinstance(block, moderngl.UniformBlock):
            block.binding = (
                SHADOW_FRAME_BINDING if (name, fragment) == ("Frame", "shadow.frag") else binding
            )
    for unit, name in enumerate([*_TEXTURES, "shadow_map"]):
        sampler = program.get(name, None)
        if isinstance(sampler, moderngl.Uniform):
            sampler.value = unit


def _sources_of(material: Material) -> list[ImageSource | Texture | None]:
    return [getattr(material, name) for name in _TEXTURES]


def is_made_of(material: Material, files: Set[str], folders: Sequence[Folder]) -> bool:
    """Return whether the material uses at least one of ``files``. ``files`` contains paths without
    symbolic links.
    """
    sources = [
        source.image if isinstance(source, Texture) else source
        for source in _sources_of(material)
        if source is not None
    ]
    shader = material.shader
    compiled = shader is not None and not files.isdisjoint(shaders.files_of(shader, folders))
    return compiled or any(images.is_among(source, files, folders) for source in sources)


def _sample(texture: moderngl.Texture, sampling: tuple[str, ...], anisotropy: float) -> None:
    """Set the filter and the wrap modes of a texture. For the format of ``sampling``, see
    `Texture.sampling`.
    """
    *wraps, magnified, minified = sampling
    minifying: int = getattr(moderngl, minified.upper())
    magnifying: int = getattr(moderngl, magnified.upper())
    texture.filter = minifying, magnifying
    is_palette = min(texture.size) <= _MAX_PALETTE_SIDE
    if anisotropy > 1 and (magnified, minified) == _SAMPLING[2:] and not is_palette:
        texture.anisotropy = min(_ANISOTROPY, anisotropy)
    texture.repeat_x, texture.repeat_y = (wrap == "repeat" for wrap in wraps)
    if "mirror" in wraps:  # moderngl has no option for mirrored textures
        from pyglet import gl

        texture.use()
        for axis, wrap in zip((gl.GL_TEXTURE_WRAP_S, gl.GL_TEXTURE_WRAP_T), wraps, strict=True):
            if wrap == "mirror":
                gl.glTexParameteri(gl.GL_TEXTURE_2D, axis, _MIRRORED_REPEAT)


def _packed_material(material: Material) -> bytes:
    """Return the first part of the uniform block of a material: its colors and factors."""
    return _MATERIAL.pack(
        *material.base_color,
        *material.emissive,
        material.alpha_cutoff,
        material.metallic,
        material.roughness,
        material.normal_scale,
        material.occlusion_strength,
    )


def _wrap_code(texture: Texture | None) -> int:
    """Return one number that contains the wrap modes for u and v. The function texel_of in the
    shader material.glsl reads the returned number.
    """
    u, v = (0, 0) if texture is None else (WRAPS.index(wrap) for wrap in texture.sampling[:2])
    return u + len(WRAPS) * v


def _packed_maps(maps: Sequence[Texture | None], wraps: Sequence[int]) -> bytes:
    """Return the second part of the uniform block of a material: how each texture is moved, scaled
    and rotated, and its wrap modes as a result of `_wrap_code`.
    """
    turns = [(1, 0, 0, 1) if texture is None else texture.matrix().reshape(4) for texture in maps]
    offsets = [
        (0, 0, 0, wrap) if texture is None else (*texture.offset, texture.uv_set, wrap)
        for texture, wrap in zip(maps, wraps, strict=True)
    ]
    return _MAPS.pack(*[part for row in [*turns, *offsets] for part in row])


class _Shared:
    def __init__(self, texture: moderngl.Texture, source: ImageSource) -> None:
        self.texture = texture
        self.source = source
        self.users = 0
        self.copy: Callable[[Any, int, int], None] | None = None
        """A function that copies the image of a view to the texture. None if the image does not
        come from a view.
        """

    def release(self) -> None:
        """Release the texture. Call `release` only when no material uses the texture."""
        if self.copy is not None and isinstance(self.source, LiveImage):
            remove_copy(self.source, self.copy)
        self.texture.release()


class MaterialGpu:
    """A `Material` on the GPU, with its shader program, textures and uniform block."""

    def __init__(self, assets: WorldAssets, vertex: str, defines: Mapping[str, str | int]) -> None:
        self.assets = assets
        self._vertex = vertex
        self._defines = {
            name: value for name, value in defines.items() if name not in (_SECOND_UV, _FLAT_UV)
        }
        self._second_uvs = _SECOND_UV in defines
        self._flat_uvs = _FLAT_UV in defines
        # Macros for textures with a scale, angle or offset of their own, and for triangles that
        # have no area in texture coordinates.
        self._placing: dict[str, str | int] = {}
        self._block = assets.graphics.ctx.buffer(reserve=_MATERIAL.size + _MAPS.size, dynamic=True)
        self._textures: list[tuple[int, moderngl.Texture]] = []
        self._sources: list[ImageSource | Texture | None] = [None] * len(_TEXTURES)
        self._material: Material | None = None
        self._version = 0
        self._mirrored = False
        self._flags = 0
        self.program: moderngl.Program
        """The shader program of the material. `follow` sets the program."""

    def follow(self, material: Material, mirrored: bool) -> bool:
        """Update the shader program, the textures and the uniform block if ``material`` has
        changed.

        Return whether the shader program has changed.

        ``mirrored`` is True if some instances may have a negative scale, which mirrors their mesh.
        On a mirrored instance, the corners of front faces are in clockwise order. The shader must
        then find out for each instance which side of a triangle is the front.
        """
        if (
            material is self._material
            and material.version == self._version
            and mirrored == self._mirrored
        ):
            return False
        self._load_textures(material)
        self._place_maps()
        defines = self._all_defines(material, mirrored)
        program = self.assets.get(self._vertex, material.shader or "meshes.frag", defines)
        changed = program is not getattr(self, "program", None)
        self.program = program
        self._block.write(_packed_material(material))
        self._flags = moderngl.DEPTH_TEST
        if not (material.double_sided or mirrored):
            self._flags |= moderngl.CULL_FACE
        if material.alpha_mode == "blend":
            self._flags |= moderngl.BLEND
        self._material = material
        self._version = material.version
        self._mirrored = mirrored
        return changed

    def _all_defines(self, material: Material, mirrored: bool) -> dict[str, str | int]:
        """Return the macros of the shaders for a material, its textures and its instances."""
        defines = {**self._defines, f"ALPHA_{material.alpha_mode.upper()}": 1}
        for name, source in zip(_TEXTURES, self._sources, strict=True):
            if source is not None:
                defines[name.upper()] = 1
        defines |= self._placing
        if material.unlit:
            defines["UNLIT"] = 1
        if mirrored:
            defines["MIRRORED"] = 1
            if not material.double_sided:
                defines["ONE_SIDED"] = 1
        return defines

    def shadow_program(self, material: Material) -> moderngl.Program:
        """Return the shader program for the shadows of solids with this material."""
        masked = material.alpha_mode == "mask"
        defines = self._defines | ({"ALPHA_MASK": 1} if masked else {})
        if masked and material.base_texture is not None:
            defines |= {"BASE_TEXTURE": 1, **self._placing}
        return self.assets.get(self._vertex, "shadow.frag", defines)

    def use(self) -> None:
        """Bind the program, the textures and the uniforms, for the next draw call.

        Call `follow` before `use`.
        """
        assert self._material is not None
        self._block.bind_to_uniform_block(MATERIAL_BINDING)
        for unit, texture in self._textures:
            texture.use(unit)
        if self._material.uniforms or self.program.extra:
            shaders.set_uniforms(self.program, self._material.uniforms)
        self.assets.graphics.ctx.enable_only(self._flags)

    def use_for_shadow(self) -> None:
        """Bind the uniform block and the texture that are needed to draw a shadow."""
        self._block.bind_to_uniform_block(MATERIAL_BINDING)
        if self._textures and self._textures[0][0] == 0:
            self._textures[0][1].use(0)

    def _place_maps(self) -> None:
        """Upload how each texture is moved, scaled and rotated on the mesh. Nothing is uploaded if
        all textures use the mesh's texture coordinates unchanged.
        """
        maps = [source if isinstance(source, Texture) else None for source in self._sources]
        second = self._second_uvs and any(
            texture is not None and texture.uv_set for texture in maps
        )
        self._placing = {_SECOND_UV: 1} if second else {}
        wraps = [_NOT_BY_HAND] * len(maps)
        collapsed = any(texture is not None and 0 in texture.scale for texture in maps)
        if self._flat_uvs or collapsed:
            for unit, gpu_texture in self._textures:
                if gpu_texture.anisotropy > 1:
                    wraps[unit] = _wrap_code(maps[unit])
                    self._placing[_FLAT_UV] = 1
        if self._placing or any(texture is not None and texture.moved for texture in maps):
            self._placing["PLACED"] = 1
            self._block.write(_packed_maps(maps, wraps), offset=_MATERIAL.size)

    def _load_textures(self, material: Material) -> None:
        sources = _sources_of(material)
        outdated = any(self.assets.is_outdated(texture) for _, texture in self._textures)
        if not outdated and all(
            new is old for new, old in zip(sources, self._sources, strict=True)
        ):
            return
        loaded: list[tuple[int, moderngl.Texture]] = []
        try:
            for unit, (source, srgb) in enumerate(zip(sources, _TEXTURES.values(), strict=True)):
                if source is not None:
                    loaded.append((unit, self.assets.texture(source, srgb)))
        except BaseException:
            self._give_back(loaded)
            raise
        self._give_back(self._textures)
        self._textures = loaded
        self._sources = sources

    def _give_back(self, textures: list[tuple[int, moderngl.Texture]]) -> None:
        for _, texture in textures:
            self.assets.give_back(texture)

    def release(self) -> None:
        self._give_back(self._textures)
        self._textures = []
        self._block.release()
