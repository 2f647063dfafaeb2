"""Upload the matrices of joints (bones), which bend a mesh, to a texture."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from ..gpu.gl import moderngl
from ..gpu.shaders import set_known
from ..models.skins import Skin

# The last texture unit that every version of OpenGL has, and the number of matrices in one row of
# the texture.
JOINTS_UNIT = 15
_JOINTS_A_ROW = 256


class JointsGpu:
    """The skin of a mesh on the GPU: the joints that move each vertex, the weights of these joints,
    and the joint matrices of all instances.
    """

    def __init__(self, ctx: moderngl.Context, skin: Skin) -> None:
        self._ctx = ctx
        self._count = len(skin.nodes)
        self.vertices = ctx.buffer(skin.vertices()), "4u2 4f", "in_joints", "in_weights"
        """A buffer with the joints and weights of each vertex, and its layout."""
        self._texture: moderngl.Texture | None = None

    def write(self, matrices: Floats) -> None:
        """Upload the joint matrices. Each matrix needs four texels. ``matrices`` has the shape
        (instances, joints, 4, 4).
        """
        count: int = matrices.shape[0] * matrices.shape[1]
        rows = -(-count // _JOINTS_A_ROW)
        if self._texture is None or self._texture.height < rows:
            if self._texture is not None:
                self._texture.release()
            self._texture = self._ctx.texture((4 * _JOINTS_A_ROW, rows), 4, dtype="f4")
            self._texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
        padded = np.zeros((rows * _JOINTS_A_ROW, 16), np.float32)
        padded[:count] = matrices.reshape(count, 16)
        self._texture.write(padded, viewport=(0, 0, 4 * _JOINTS_A_ROW, rows))

    def use(self, program: moderngl.Program) -> None:
        assert self._texture is not None
        self._texture.use(JOINTS_UNIT)
        set_known(program, "joint_matrices", JOINTS_UNIT)
        set_known(program, "joint_count", self._count)

    def release(self) -> None:
        self.vertices[0].release()
        if self._texture is not None:
            self._texture.release()
