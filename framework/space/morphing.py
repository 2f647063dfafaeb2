"""Upload the morph targets of a mesh, and the weights of its instances, to textures."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, Rows
from ..gpu.gl import moderngl
from ..gpu.shaders import set_known
from ..models import morphs
from ..models.morphs import MorphTargets

# The two texture units before the unit of the joint matrices.
_DELTAS_UNIT = 14
_WEIGHTS_UNIT = 13
_ACROSS = 2048  # number of texels in a row of the textures


class MorphsGpu:
    """The morph targets of a mesh, and the morph weights of all its instances, on the GPU."""

    def __init__(self, ctx: moderngl.Context, targets: MorphTargets) -> None:
        self._ctx = ctx
        texels = morphs.texels(targets)
        self._layout = texels.shape[1:3]
        self._deltas = self._texture(texels.reshape(-1, 3))
        self._weights: moderngl.Texture | None = None
        self._max_weights = 0  # the largest number of weights of one instance
        self._sent: tuple[Floats, Floats] | None = None

    def write(self, previous: Floats, current: Floats) -> None:
        """Upload the morph weights before and after the last tick, if a weight has changed. Both
        arrays have the shape (instances, targets).

        To save memory, most weights that are 0 both before and after the tick are not stored.
        """
        now = previous, current
        if self._sent is not None and all(map(np.array_equal, now, self._sent)):
            return
        self._sent = now
        chosen = _chosen_targets(previous, current)
        self._max_weights = chosen.shape[1]
        both: list[Floats] = [np.take_along_axis(state, chosen, 1) for state in now]
        texels = np.stack([chosen.astype(np.float32), *both], axis=2).reshape(-1, 3)
        rows = max(1, -(-len(texels) // _ACROSS))
        if self._weights is None or self._weights.height < rows:
            if self._weights is not None:
                self._weights.release()
            self._weights = self._texture(texels)
        else:
            self._weights.write(_padded(texels), viewport=(0, 0, _ACROSS, rows))

    def _texture(self, texels: Floats) -> moderngl.Texture:
        padded = _padded(texels)
        texture = self._ctx.texture((_ACROSS, len(padded)), 3, padded, dtype="f4")
        texture.filter = moderngl.NEAREST, moderngl.NEAREST
        return texture

    def use(self, program: moderngl.Program) -> None:
        """Bind the textures and set the uniforms of ``program``, for the next draw call."""
        assert self._weights is not None
        self.use_targets(program, self._max_weights)
        self._weights.use(_WEIGHTS_UNIT)
        set_known(program, "morph_weights", _WEIGHTS_UNIT)

    def use_targets(self, program: moderngl.Program, count: int) -> None:
        """Bind the texture with the morph targets for the next draw call. ``count`` is the number
        of morph weights of each instance.
        """
        self._deltas.use(_DELTAS_UNIT)
        set_known(program, "morph_deltas", _DELTAS_UNIT)
        set_known(program, "morph_counts", (count, *self._layout))

    def release(self) -> None:
        self._deltas.release()
        if self._weights is not None:
            self._weights.release()


def _chosen_targets(previous: Floats, current: Floats) -> Rows:
    """Return the indices of the targets whose weights are uploaded for each instance, with the
    shape (instances, k). k is the largest number of targets of one instance whose weight is not 0.
    If an instance has fewer such targets, its row also contains targets with a weight of 0.
    """
    active = (previous != 0) | (current != 0)
    count = int(active.sum(axis=1).max(initial=0))
    return np.argsort(~active, axis=1, kind="stable")[:, :count]


def _padded(texels: Floats) -> Floats:
    """Append zeros to ``texels``, so that the texels fill the last row of a texture. ``texels`` has
    the shape (n, 3), and the returned array has the shape (rows, `_ACROSS`, 3).
    """
    rows = max(1, -(-len(texels) // _ACROSS))
    padded = np.zeros((rows * _ACROSS, 3), np.float32)
    padded[: len(texels)] = texels
    return padded.reshape(rows, _ACROSS, 3)
