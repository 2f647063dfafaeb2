"""Keep the amount of sound in the ring buffer constant, so that sounds always have the same delay.

The game writes its mix to the ring buffer, and the sound device reads from it. Because their clocks
run at slightly different speeds, `BufferFeed` stretches or shortens the mix by up to 0.4 %, which
players cannot hear.

If a frame of the game takes a long time, the sound device continues all sounds by itself, and
returns to the game's mix afterwards. If the game has dropped ticks, the device has then played more
samples than the game has mixed. `BufferFeed.push` corrects this difference.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import Floats
from ..assets.sounds import RATE
from .mix_table import MixTable
from .player import MAX_CONTINUED, SOFT, DevicePlayer

# Frames (50 ms); a larger error is corrected immediately.
_JUMP = RATE // 20
# Frames (20 ms); a larger error is corrected immediately if the ring buffer is empty.
_LATE = RATE // 50
_NEAR = RATE // 250  # frames (4 ms); a smaller error is ignored
_CALM = 0.05  # the weight of a new measurement in the mean; small, because a device reads in bursts
_STRETCH = 250  # one frame in this number of frames is removed or added (0.4 %)


class BufferFeed:
    """Writes the game's mix to the ring buffer of a player, and keeps the number of buffered frames
    constant.

    A frame consists of two samples: one for the left and one for the right channel. ``continues``
    is True if another player was playing the mix before. The mix then fades in.
    """

    def __init__(self, player: DevicePlayer, *, continues: bool = False) -> None:
        self.player = player
        self._continues = continues
        self._error = 0.0
        # The number (in the whole mix) of the sample at the end of the ring buffer.
        self._sample: int | None = None
        # The ring buffer has no samples from the frame `_hole` to the frame `_resume`.
        self._hole = self._resume = 0

    def push(
        self,
        mix: Floats,
        sample: int,
        target: int,
        shift: Callable[[int], object],
        table: Callable[[], MixTable],
    ) -> None:
        """Write ``mix`` to the ring buffer. After the call, the buffer contains about ``target``
        frames that the device has not read yet.

        ``mix`` is a float32 array of shape (n, 2). ``mix`` ends at the sample ``sample``, counted
        from the start of the whole mix. If the device has continued the voices by itself, `push`
        calls ``shift`` with the number of samples by which the device is ahead. After that, `push`
        calls ``table``, which returns the mix table. With this table, the device can continue the
        voices by itself later.
        """
        player = self.player
        read = player.read
        written = player.written
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
        # Skip the frames for which the device has already played something else.
        start = max(read, written)
        mix = mix[start - written :][: max(0, player.size - (start - read))]
        self._publish(mix, start, sample, table())

    def _begin(self, mix: Floats, sample: int, read: int, target: int, table: MixTable) -> None:
        """Begin to write at the next frame that the device will read. `push` calls this method at
        the start and after a pause.
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
        """Let the sound device continue its voices by itself up to the frame ``end``. The device
        does not play the last ``count`` samples of the mix, which end at ``sample``.

        The published table contains the positions of the voices after these samples. So the device
        itself mixes these samples from the table.
        """
        written = self.player.written
        self._error = 0.0
        shift(end - written - count)
        self._leave_out(written, end)
        self._publish(np.empty((0, 2), np.float32), end, sample, table())

    def pause(self) -> None:
        """Write silence after the buffered samples, because the game is paused."""
        if self._sample is not None:
            self._sample = None
            end = self.player.written
            silence = np.empty((0, 2), np.float32)
            self.player.publish(silence, end, self._hole, self._resume, None)

    def _leave_out(self, hole: int, resume: int) -> None:
        """Mark the frames from ``hole`` to ``resume`` as missing in the ring buffer."""
        self._hole = min(hole, self._hole) if self.player.read < self._resume else hole
        self._resume = resume

    def _publish(self, mix: Floats, start: int, sample: int, table: MixTable) -> None:
        self._sample = sample
        table.head["frame"] = start + len(mix)
        table.head["sample"] = sample
        self.player.publish(mix, start, self._hole, self._resume, table)


def _faded_in(mix: Floats) -> Floats:
    """Return a copy of the mix with a short fade-in from silence."""
    count = min(SOFT, len(mix))
    share = np.linspace(0, 1, SOFT, endpoint=False, dtype=np.float32)[:count, None]
    return np.concatenate((mix[:count] * share, mix[count:]))


def _stretched(mix: Floats, direction: int) -> Floats:
    """Return a copy of the mix that is 0.4 % longer if ``direction`` is 1, or 0.4 % shorter if
    ``direction`` is -1.

    The pitch of the copy also changes by 0.4 %, which players cannot hear. The error of a sound
    device's clock is much smaller: about a hundredth of 0.4 %.
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
