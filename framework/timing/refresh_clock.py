"""Estimate when the screen shows new images, from the time stamps of frames.

This module does not read a clock: the caller passes all times, in nanoseconds. Each frame starts
after a refresh: the moment when the screen shows a new image. On a busy CPU, the time stamp of a
frame may be too late, but it is never too early. Not every refresh is followed by a frame. A late
time stamp provides little information about the time of its refresh. An early time stamp provides
more, because the refresh cannot be later than its time stamp.

So the module models the lateness of time stamps as a half-normal distribution, plus a small normal
noise. A Kalman filter (a method that combines uncertain measurements) estimates the time and the
period of the refreshes. Because the time stamps are never too early, the estimate is a truncated
normal distribution. The clock stores only the mean and the variance of this distribution. After n
time stamps, the error of the estimate is proportional to 1 / n. With a simple average, the error
would be proportional to 1 / sqrt(n).

If a time stamp may belong to one of several refreshes, the clock uses all these refreshes, weighted
by their probabilities: Bar-Shalom's probabilistic data association. The clock compares two models
of the time stamps: frames that follow a screen, and frames without a screen. The clock uses its
estimate only while the model with a screen explains the time stamps better. In the model without a
screen, each gap between frames is about as long as the previous gaps. Wald's sequential test
decides between the two models by adding up the evidence from each time stamp.

Every game runs this code once per frame, so it uses comparisons instead of `max` and `min`:
function calls would take twice as long.
"""

from __future__ import annotations

__all__ = ["RefreshClock"]

import math
from collections import deque

from ..checks import number, whole

_SECOND = 1_000_000_000

# The lateness of a time stamp has a half-normal distribution with the parameter sigma, plus normal
# noise. Times are in nanoseconds.
_MEAN = 0.798  # mean lateness, in sigmas
_SPREAD = 0.603  # standard deviation of the lateness, in sigmas
_MIN_SIGMA = 30_000.0
_MIN_NOISE = 10_000.0
_MIN_VARIANCE = _MIN_SIGMA**2
_MIN_NOISE_VARIANCE = _MIN_NOISE**2
_EXACT_SIGMA = 50_000.0  # below this sigma, stamps are exact and need no estimate
_INITIAL_NOISE = 0.1  # the noise at the start, in sigmas
# The standard deviation of the period's change per refresh, as a fraction of the period.
_DRIFT = 1e-6
_LEARNING_RATE = 0.02  # sigma and noise are estimated from about the last 50 stamps

# Constants in the formulas of the normal distribution.
_TURN = 2 * math.pi
_ROOT_2 = math.sqrt(2)
_HALF_MEAN = math.sqrt(2 / math.pi)

# Limits for the choice of the refresh to which a stamp belongs.
_MAX_AHEAD = 6  # a gap of more refreshes is a pause
# _MIN_MISSED and _MAX_MISSED limit the estimated fraction of refreshes without a frame.
_MIN_MISSED = 0.01
_MAX_MISSED = 0.6
_CERTAIN = 0.999  # if a refresh is more probable than this, the clock ignores the other refreshes
# A stamp fits no refresh if its density is below this fraction of the largest density.
_MIN_DENSITY = 1e-3
_FAR = 5.0  # the minimum lateness of a spike (a single very late stamp), in sigmas
_CALM = 4  # the minimum number of fitting stamps before a spike
_SPIKES = 2  # after this number of spikes, another late stamp is no longer a spike

# The test of the model with a screen, see `_weigh`.
_FIRST_GAPS = 8  # the number of gaps between stamps before the first test
_RETRY_GAPS = 10  # the number of gaps before each later test
_TRIAL = 96  # the maximum number of stamps in a test
# The standard deviation of the reported period, as a fraction of the period.
_REPORTED_ERROR = 0.0015

# Evidence for the model with a screen, in nats.
_LOCK = 5.0  # the clock uses its estimate above this evidence
_LOCK_STEP = 2.0  # each failed test raises the required evidence by this value
_MAX_LOCK = 20.0
_MAX_EVIDENCE = 10.0  # the upper limit of the evidence
_MAX_EXTRA = 20.0  # the maximum rise of this limit while the clock uses its estimate
_GROWTH = 0.03  # the rise of this limit per stamp
_HOPELESS = -8.0  # a test fails if the evidence is below this value
_MIN_LIKELIHOOD = 1e-3  # the smallest likelihood, so that a single stamp cannot decide

# See `_doubt`.
_DOUBT_RATE = 0.05
_LEANING = 0.65
_SIMILAR = 0.6
_OPPOSITE = -0.45

# The maximum sigma as a fraction of the period. With a larger sigma, any stamps would fit a screen
# by chance.
_WIDE = 0.7  # for a period near the period that the screen reports
_WIDE_UNREPORTED = 0.22  # for another period
_WIDE_MISSED = 0.06  # a limit for the product of sigma and the fraction of missed refreshes
_EVEN_GAPS = 4  # after this number of equal gaps, stamps are exact, even with a large sigma


class RefreshClock:
    """A clock that estimates when the screen shows each frame, from the time stamps of frames.

    Each `Game` has its own `RefreshClock`. In a loop of your own, call `shown` once per frame,
    directly after the flip that waits for the screen:

        clock, timestep = fw.RefreshClock(rate=60), fw.FixedTimestep(60)
        while True:
            window.flip()
            moment = clock.shown(time.perf_counter_ns())
            for tick in timestep.advance(moment):
                update(tick.dt)
            draw(timestep.alpha)

    ``rate`` is the number of refreshes per second, or None if you do not know it. The clock starts
    with this rate as its estimate, and changes the estimate if the time stamps show a different
    rate.
    """

    # This class is not `checks.Sealed`, because about twenty attributes are set for each stamp. A
    # __setattr__ in Python costs 0.1 µs.
    __slots__ = (
        "_age",
        "_akin",
        "_before",
        "_covariance",
        "_even",
        "_evidence",
        "_fitting",
        "_gap",
        "_gap_variance",
        "_gaps",
        "_lag",
        "_last",
        "_late",
        "_leaning",
        "_lock",
        "_missed",
        "_noise",
        "_off",
        "_period",
        "_period_variance",
        "_reported",
        "_sigma",
        "_spikes",
        "_stamp",
        "_tracking",
        "_tries",
        "_trust",
        "_usual",
        "_variance",
        "_weights",
        "locked",
    )

    def __init__(self, rate: float | None = None) -> None:
        self._stamp: int | None = None
        self._last = -(1 << 200)  # earlier than any stamp
        # The weight of the estimate in the result; with 0, the result is the stamp itself.
        self._trust = 0.0
        self.restart(rate)

    @property
    def period(self) -> float:
        """The estimated time between two refreshes, in nanoseconds, or 0.0 while there is no
        estimate.
        """
        return self._period if self._tracking else 0.0

    def restart(self, rate: float | None = None) -> None:
        """Delete the estimate, and start a new one. Call this method after the window has moved to
        another screen, or after the screen's mode has changed.

        ``rate`` is the number of refreshes per second, or None if you do not know it.
        """
        reported_rate = 0.0 if rate is None else number("rate", rate, least=0)
        self._reported = _SECOND / reported_rate if reported_rate else 0.0
        self._lock = _LOCK
        self._tries = 0
        self._search(_FIRST_GAPS)

    def shown(self, stamp: int) -> int:
        """Return the estimated time when the screen showed this frame, in nanoseconds.

        ``stamp`` is the time that you measured directly after the flip, in integer nanoseconds.
        Measure the time with any clock that never goes back. On average, the returned times are as
        late as the time stamps, but their intervals are more regular. A returned time is never
        earlier than the time that the previous call returned.
        """
        if stamp.__class__ is not int:
            stamp = whole("stamp", stamp)
        last = self._stamp
        self._stamp = stamp
        late = 0.0
        if last is not None:
            gap = stamp - last if stamp > last else 0
            if self._tracking:
                late = self._track(gap)
                self._judge()
            else:
                self._gaps.append(gap)
                if len(self._gaps) == self._gaps.maxlen:
                    self._begin()
        if self.locked:
            if self._trust < 1.0:
                self._trust = min(1.0, self._trust + 0.1)
        elif self._trust:
            self._trust = max(0.0, self._trust - 0.5)
        moment = stamp - round(self._trust * late)
        if moment > self._last:
            self._last = moment
        return self._last

    def passed(self, stamp: int) -> int:
        """Record a frame that did not wait for the screen. Delete the estimate, and return
        ``stamp``.

        If a previous call has returned a later time than ``stamp``, return that time.
        """
        stamp = whole("stamp", stamp)
        if self._tracking or self._gaps:
            self._search(_FIRST_GAPS)
        self._stamp = None
        self._trust = 0.0
        self._last = max(self._last, stamp)
        return self._last

    # -- start -------------------------------------------------------------------------------------

    def _search(self, wait: int) -> None:
        self._gaps: deque[int] = deque(maxlen=wait)
        self._tracking = False
        self.locked = False
        """Whether `shown` returns estimated times. If not, it returns the time stamps unchanged."""
        self._period = 0.0

    def _begin(self) -> None:
        gaps = list(self._gaps)
        if min(gaps) <= 0:
            self._search(_RETRY_GAPS)
            return
        period, error = self._guess(gaps)
        uncertainty = max(0.005, min(0.03, 1.9 * error / len(gaps) / period))
        if self._near_reported(period, 0.04) and self._tries % 2 == 0:
            period = self._reported
            uncertainty = _REPORTED_ERROR
        self._tries += 1
        self._tracking = True
        self._age = 0
        self._period = period
        self._period_variance = (uncertainty * period) ** 2
        # A gap is the difference of two stamps. So the deviation of a gap is sqrt(2) times the
        # deviation of a stamp, and the mean error of a gap is 0.8 of this deviation. The factor
        # 1.77 is larger than this value requires, because a small sigma would cause larger errors
        # than a large sigma.
        self._sigma = max(1.77 * error, _MIN_SIGMA)
        self._noise = max(_INITIAL_NOISE * self._sigma, _MIN_NOISE) ** 2
        self._lag = self._usual = _MEAN * self._sigma
        self._missed = max(
            _MIN_MISSED, 1 - len(gaps) / sum([max(1, round(gap / period)) for gap in gaps])
        )
        self._gap = float(sorted(gaps)[len(gaps) // 2])
        self._gap_variance = max(1.25 * error, _MIN_SIGMA) ** 2
        self._evidence = self._leaning = self._akin = self._off = 0.0
        self._before = 0  # the last gap between two stamps
        self._even = 0  # the number of equal gaps in a row
        self._rephase()
        for gap in gaps:
            self._track(gap)
            self._age += 1

    def _guess(self, gaps: list[int]) -> tuple[float, float]:
        """Return the period that fits the gaps between frames best, so that each gap is near a
        multiple of the period. Also return the average difference between the gaps and multiples of
        the period.
        """
        median = sorted(gaps)[len(gaps) // 2]
        shortest = [gap for gap in gaps if gap < 1.3 * min(gaps)]
        best = math.inf
        period = float(median)
        mean_error = 0.0
        for guess in (self._reported, median, sum(shortest) / len(shortest)):
            if guess <= 0:
                continue
            fit, error = _fitted(gaps, guess)
            # Any gaps fit a short period, so another guess is accepted only if it fits clearly
            # better, and is near the reported period.
            if error / fit < 0.7 * best and (
                guess != self._reported or self._near_reported(fit, 0.04)
            ):
                best = error / fit
                period = fit
                mean_error = error
        return period, mean_error

    def _near_reported(self, period: float, share: float) -> bool:
        return abs(period - self._reported) < share * self._reported

    def _rephase(self) -> None:
        """Set the time of the last refresh to the last time stamp, minus the average lateness."""
        # The lateness of the last stamp, the variance of the lateness, and the covariance of
        # lateness and period.
        self._late = _MEAN * self._sigma
        self._variance = 0.5 * self._sigma**2
        self._covariance = 0.0
        # The probabilities that the stamp belongs to the estimated refresh, to the next refresh,
        # and so on. The list is empty if the refresh is certain.
        self._weights: list[float] = []
        self._fitting = 0  # the number of fitting stamps in a row
        self._spikes = 0  # the number of spikes in a row

    # -- a stamp -----------------------------------------------------------------------------------

    def _track(self, gap: int) -> float:
        """Update the estimate with the next time stamp. ``gap`` is the time since the previous time
        stamp, in nanoseconds. Return by how many nanoseconds the time stamp is later than usual.

        Return 0.0 if the time stamp fits no refresh.
        """
        period = self._period
        sigma = self._sigma
        late = self._late + gap - period
        if late > (_MAX_AHEAD - 0.5) * period + 3 * sigma:
            self._evidence -= 1.0
            self._rephase()
            return 0.0
        self._variance += 2 * self._covariance + self._period_variance
        self._covariance += self._period_variance
        self._period_variance += (_DRIFT * period) ** 2
        spread = self._variance + self._noise
        missed = self._missed
        misses = 0.0
        mean = late
        if self._weights or late + 5 * math.sqrt(spread) >= period:
            density, shift, remaining, square, misses, mean, late = self._try_all(late, spread)
        else:
            density, shift, remaining = _one_sided(late, spread, sigma * sigma)
            density *= 1 - missed
            square = (late - shift) ** 2 + remaining
        self._late = late
        rate = 1 / (20 + self._age)
        missed += (rate if rate > 0.01 else 0.01) * (misses - missed)
        self._missed = (
            _MAX_MISSED if missed > _MAX_MISSED else missed if missed > _MIN_MISSED else _MIN_MISSED
        )
        self._weigh(gap, density)
        if density * sigma < _MIN_DENSITY:
            if late < -0.5 * period:  # an earlier stamp was assigned to the wrong refresh
                self._late += period
            return mean - self._lag if self._spike(mean) else 0.0
        self._fitting += 1
        mean -= self._correct(shift, remaining, spread, square)
        self._lag += (0.0003 if self.locked else 1 / (4 + self._age)) * (mean - self._lag)
        self._doubt(mean)
        return mean - self._lag

    def _try_all(
        self, late: float, spread: float
    ) -> tuple[float, float, float, float, float, float, float]:
        """Compute the values for `_track` if the time stamp may belong to one of several refreshes.
        Each value is an average over all possible refreshes, weighted by their probabilities.
        """
        period = self._period
        variance = self._sigma**2
        missed = self._missed
        before = self._weights or [1.0] + [0.0] * (_MAX_AHEAD - 1)
        fits = []
        share = 0.0
        total = 0.0
        for ahead, weight in enumerate(before):
            share = missed * share + (1 - missed) * weight
            offset = late - ahead * period
            density, shift, remaining = _one_sided(offset, spread, variance)
            weight = share * density
            fits.append((weight, offset, shift, remaining))
            total += weight
        if total * self._sigma < 0.01 * _MIN_DENSITY:  # no refresh fits, so use the nearest refresh
            self._weights = []
            late -= period * max(0, min(_MAX_AHEAD - 1, math.floor(late / period + 0.2)))
            return total, 0.0, spread, 0.0, 0.0, late, late
        weights = [weight / total for weight, _, _, _ in fits]
        shift = remaining = square = mean = misses = 0.0
        for ahead, weight in enumerate(weights):
            misses += (weight - before[ahead]) * ahead
            if weight:
                _, offset, fit_shift, fit_variance = fits[ahead]
                shift += weight * fit_shift
                remaining += weight * (fit_shift * fit_shift + fit_variance)
                square += weight * ((offset - fit_shift) ** 2 + fit_variance)
                mean += weight * offset
        while weights[0] < 1 - _CERTAIN:
            late -= period
            weights = [*weights[1:], 0.0]
        self._weights = [] if weights[0] > _CERTAIN else weights
        remaining -= shift * shift
        return total, shift, remaining, square, max(0.0, min(1.0, misses)), mean, late

    def _correct(self, shift: float, remaining: float, spread: float, square: float) -> float:
        """Update the estimates of the refresh time, the period and the noise. Return the change of
        the estimated refresh time.

        ``shift`` is the change of the refresh time plus the noise, as computed from the time stamp.
        ``spread`` is the variance of the refresh time plus the noise, before the time stamp is
        used. ``remaining`` is the variance of the refresh time plus the noise, after the time stamp
        is used. ``square`` is the squared lateness of the time stamp.
        """
        reduction = spread - remaining
        noise = self._noise
        variance = self._sigma**2
        gain = self._variance / spread
        period_gain = self._covariance / spread
        noise_gain = noise / spread
        self._variance -= gain * gain * reduction
        self._covariance -= gain * period_gain * reduction
        period_variance = self._period_variance - period_gain * period_gain * reduction
        self._period_variance = period_variance if period_variance > 0.0 else 0.0
        self._period += period_gain * shift
        self._late -= gain * shift
        rate = 1 / (4 + self._age)
        if rate < _LEARNING_RATE:
            rate = _LEARNING_RATE
        variance += rate * ((9 * variance if 9 * variance < square else square) - variance)
        self._sigma = math.sqrt(variance if variance > _MIN_VARIANCE else _MIN_VARIANCE)
        noise += rate * noise_gain * noise_gain * (shift * shift - reduction)
        self._noise = noise if noise > _MIN_NOISE_VARIANCE else _MIN_NOISE_VARIANCE
        return gain * shift

    def _spike(self, late: float) -> bool:
        """Return whether a time stamp that fits no refresh is just a single late time stamp, for
        example because of a busy CPU.

        Otherwise, the screen may have changed its refresh rate.
        """
        calm = self._fitting >= _CALM
        far = late > _FAR * self._sigma
        self._spikes = self._spikes + far if calm and self.locked else 0
        self._fitting = 0
        return calm and late > 0 and (not far or self._spikes > _SPIKES)

    # -- evidence for a display --------------------------------------------------------------------

    def _weigh(self, gap: int, by_display: float) -> None:
        """Compare how well a time stamp fits the two models, and add the evidence for the model
        with a screen. The unit of evidence is the nat (natural logarithm of a probability). In the
        model without a screen, each gap is about as long as the gaps before it.
        """
        self._even = self._even + 1 if abs(gap - self._before) < 0.5 * _EXACT_SIGMA else 0
        self._before = gap
        offset = gap - self._gap
        variance = self._gap_variance
        density = math.exp(-0.5 * offset * offset / variance) + _MIN_LIKELIHOOD
        by_gaps = density / math.sqrt(_TURN * variance)
        nats = math.log((by_display + _MIN_LIKELIHOOD / self._sigma) / by_gaps)
        self._evidence += 2.0 if nats > 2.0 else nats if nats > -4.0 else -4.0
        limit = 4 * math.sqrt(variance)
        offset = limit if offset > limit else offset if offset > -limit else -limit
        self._gap += 0.1 * offset
        variance += 0.05 * (offset * offset - variance)
        self._gap_variance = variance if variance > 1e8 else 1e8

    def _doubt(self, late: float) -> None:
        """Reduce the evidence for a screen if the lateness of a time stamp depends on the lateness
        of previous time stamps.

        If the frames follow a screen, the lateness is random. If the lateness stays above or below
        its average, or is always similar to the previous lateness, the period of the screen is
        changing. If the lateness alternates between high and low values, the estimated period is
        wrong.
        """
        offset = late - self._usual
        rate = 1 / (4 + self._age)
        self._usual += (rate if rate > 0.01 else 0.01) * offset
        deviation = _SPREAD * self._sigma
        offset /= deviation
        offset = 3.0 if offset > 3.0 else offset if offset > -3.0 else -3.0
        self._leaning += _DOUBT_RATE * (offset - self._leaning)
        self._akin += _DOUBT_RATE * (offset * self._off - self._akin)
        self._off = offset
        if abs(self._leaning) > _LEANING:  # larger variances let the estimate change faster
            self._evidence -= 0.5
            self._variance += 0.01 * deviation**2
            self._period_variance += 1e-7 * deviation**2
        if self._akin > _SIMILAR:
            self._evidence -= 0.5
        elif self._akin < _OPPOSITE:
            self._evidence -= 1.0

    def _judge(self) -> None:
        self._age += 1
        if self._evidence > _MAX_EVIDENCE:
            limit = (
                _MAX_EVIDENCE + min(_MAX_EXTRA, self._age * _GROWTH)
                if self.locked
                else max(_MAX_EVIDENCE, self._lock + 1)
            )
            self._evidence = min(self._evidence, limit)
        self.locked = self._evidence > (0.0 if self.locked else self._lock) and self._plausible()
        if self.locked and self._age > 120:
            self._lock = _LOCK
        if (
            self._evidence < _HOPELESS
            or self._period <= 0
            or (not self.locked and self._age > _TRIAL)
        ):
            self._lock = min(_MAX_LOCK, self._lock + _LOCK_STEP)
            self._search(_RETRY_GAPS)

    def _plausible(self) -> bool:
        sigma = self._sigma
        period = self._period
        wide = _WIDE if self._near_reported(period, 0.01) else _WIDE_UNREPORTED
        return (
            sigma > _EXACT_SIGMA
            and self._even < _EVEN_GAPS
            and self._variance < 0.64 * sigma * sigma
            and sigma < wide * period
            and sigma * self._missed < _WIDE_MISSED * period
        )


def _fitted(gaps: list[int], guess: float) -> tuple[float, float]:
    """Return the period near ``guess`` that fits the gaps best. Also return the average difference
    between the gaps and multiples of this period.
    """
    counts = [max(1, round(gap / guess)) for gap in gaps]
    period = sum(gaps) / sum(counts)
    differences = [abs(gap - count * period) for gap, count in zip(gaps, counts, strict=True)]
    return period, sum(differences) / len(gaps)


def _one_sided(offset: float, spread: float, variance: float) -> tuple[float, float, float]:
    """Estimate the normal part of ``offset``, which is a normal number plus a half-normal number.

    ``spread`` is the variance of the normal part.

    The half-normal part is the absolute value of another normal number, whose variance is
    ``variance``. Return the probability density of ``offset``, and then the mean and the variance
    of the normal part.
    """
    both = spread + variance
    mean = offset * spread / both
    remaining = spread * variance / both
    root = math.sqrt(remaining)
    bound = (offset - mean) / root
    if bound < -6:
        return 0.0, offset, 0.03 * remaining
    density = math.exp(-0.5 * offset * offset / both) / math.sqrt(_TURN * both)
    if bound > 5:
        return 2 * density, mean, remaining
    # Twice the probability that a normal random number is below `bound`.
    below = math.erfc(-bound / _ROOT_2)
    ratio = _HALF_MEAN * math.exp(-0.5 * bound * bound) / below
    return density * below, mean - root * ratio, remaining * (1 - ratio * (bound + ratio))
