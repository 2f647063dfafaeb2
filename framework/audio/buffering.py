"""Audio buffering: keeps the number of samples in the ring buffer constant, so that the latency is
constant.

The clocks of the game and of the device run at slightly different speeds. `BufferFeed` therefore
makes the mix up to 0.4 % longer or shorter. Players cannot hear this.

If a frame of the game takes long, the device continues all voices without the game. After this
frame, the device plays the mix of the game again. If the game has dropped ticks, the device has
played more samples than the game has mixed. `BufferFeed.push` handles this case.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import Floats
from ..assets.sounds import RATE
from .mix_table import MixTable
from .player import MAX_CONTINUED, SOFT, DevicePlayer

_JUMP = RATE // 20  # frames, 50 ms: a larger error is corrected at once
_LATE = RATE // 50  # frames, 20 ms: the same, if the ring buffer is empty
_NEAR = RATE // 250  # frames, 4 ms: a smaller error is ignored
_CALM = 0.05  # weight of a new measurement in the mean: a device reads in bursts
_STRETCH = 250  # one frame in 250 is removed or added: 0.4 %


class BufferFeed:
    """Gives the game's mix to a player, and corrects the number of buffered frames.

    A frame is one sample of the left and one of the right channel. ``continues`` is True if another
    player has played the mix before. The mix then fades in.
    """

    def __init__(self, player: DevicePlayer, *, continues: bool = False) -> None:
        self.player = player
        self._continues = continues
        self._error = 0.0
        self._sample: int | None = None  # the sample of the mix at the end of the ring buffer
        self._hole = self._resume = 0  # frames that are left out in the ring buffer

    def push(
        self,
        mix: Floats,
        sample: int,
        target: int,
        shift: Callable[[int], object],
        table: Callable[[], MixTable],
    ) -> None:
        """Write ``mix`` to the ring buffer, so that the buffer then has ``target`` frames.

        ``mix`` is float32 (n, 2), and ends at the sample ``sample`` of the whole mix. If the device
        has continued voices without the game, `push` calls ``shift`` with the number of samples by
        which the device is ahead of the mix. Then `push` calls ``table``, which returns the table
        that continues the mix.
        """
        player = self.player
        read, written = player.read, player.written
        begins = self._sample is None or sample - len(mix) != self._sample
        if begins or read - written >= MAX_CONTINUED:
            self._begin(mix, sample, read, target, table())
            return
        missing = target - (written + len(mix) - read)
        if missing > (_LATE if read >= written else _JUMP) or missing < -_JUMP:
            self._jump(sample, len(mix), max(read + target, written), shift, table)
            return
        self._error += (-missing - self._error) * _CALM
        if abs(self._error) > _NEAR:
            mix = _stretched(mix, -1 if self._error > 0 else 1)
        start = max(read, written)  # the device has already continued the samples before
        mix = mix[start - written :][: max(0, player.size - (start - read))]
        self._publish(mix, start, sample, table())

    def _begin(self, mix: Floats, sample: int, read: int, target: int, table: MixTable) -> None:
        """Begin to write at the frame that the device reads next. Called at the start and after a
        pause.
        """
        mix = mix[max(0, len(mix) - target) :]
        if self.player.written or self._continues:
            mix = _faded_in(mix)
        silence = np.zeros((target - len(mix), 2), np.float32)
        self._error = 0.0
        self._hole = self._resume = read
        self._publish(np.concatenate((silence, mix)), read, sample, table)

    def _jump(
        self,
        sample: int,
        count: int,
        end: int,
        shift: Callable[[int], object],
        table: Callable[[], MixTable],
    ) -> None:
        """Let the device continue its voices up to the frame ``end``. The device does not play the
        last ``count`` samples of the mix before ``sample``.

        The positions of the voices in the table are the positions after these samples. So the
        device itself mixes these samples from the table.
        """
        written = self.player.written
        self._error = 0.0
        shift(end - written - count)
        self._leave_out(written, end)
        self._publish(np.empty((0, 2), np.float32), end, sample, table())

    def pause(self) -> None:
        """Let the ring buffer end in silence, because the game is paused."""
        if self._sample is not None:
            self._sample = None
            end = self.player.written
            silence = np.empty((0, 2), np.float32)
            self.player.publish(silence, end, self._hole, self._resume, None)

    def _leave_out(self, hole: int, resume: int) -> None:
        """Leave out the frames from ``hole`` to ``resume`` in the ring buffer."""
        self._hole = min(hole, self._hole) if self.player.read < self._resume else hole
        self._resume = resume

    def _publish(self, mix: Floats, start: int, sample: int, table: MixTable) -> None:
        self._sample = sample
        table.head["frame"] = start + len(mix)
        table.head["sample"] = sample
        self.player.publish(mix, start, self._hole, self._resume, table)


def _faded_in(mix: Floats) -> Floats:
    """Return the mix with a fade-in from silence."""
    count = min(SOFT, len(mix))
    share = np.linspace(0, 1, SOFT, endpoint=False, dtype=np.float32)[:count, None]
    return np.concatenate((mix[:count] * share, mix[count:]))


def _stretched(mix: Floats, direction: int) -> Floats:
    """Return the mix stretched by 0.4 % if ``direction`` is 1, or shortened by 0.4 % if
    ``direction`` is -1.

    The pitch changes by 0.4 %, which is inaudible. The clock of a sound device has a much smaller
    error, a hundredth of 0.4 %.
    """
    n = len(mix)
    count = n + direction * (n // _STRETCH)
    if count == n or count < 2:
        return mix
    positions = np.linspace(0, n - 1, count)
    frames = np.arange(n)
    return np.stack(
        [np.interp(positions, frames, mix[:, channel]) for channel in (0, 1)], axis=1
    ).astype(np.float32)
