"""When a frame that is drawn now belongs on the screen: the display's refreshes, estimated from
late stamps.

Pure arithmetic on nanoseconds, as in `timestep`. A frame starts when a refresh lets it, but a busy
CPU reads the clock late, by a little and never early, and sometimes a refresh or more goes by
without a frame. Late stamps say little of the refresh, early ones much: the refresh cannot have
been later than the stamp. So the lateness is modelled as half-normal, with a little normal noise
that goes both ways, and the refresh's phase and period are estimated by a filter that weighs each
stamp by that (a Kalman filter whose measurement is one-sided: the posterior is a truncated normal,
of which mean and variance are kept). Its error falls with the number of stamps, not with its root.

Where a stamp may be of one refresh or of the next, all are tried, each with its weight
(Bar-Shalom's probabilistic data association). And a display is believed only while it explains the
stamps better than a model without one, in which the next gap is about as long as the last ones
(Wald's sequential test).

It runs once in a frame, for every game: limits are compared in place, for `max` and `min` cost as
much as the rest.
"""

from __future__ import annotations

__all__ = ["RefreshClock"]

import math
from collections import deque

from ..checks import number, whole

_SECOND = 1_000_000_000

# Lateness is half-normal of some sigma: its mean and standard deviation in sigmas.
_MEAN, _SPREAD = 0.798, 0.603
_LEAST_SIGMA, _LEAST_NOISE = 30_000.0, 10_000.0  # ns
_LEAST_VARIANCE, _LEAST_NOISE_VARIANCE = _LEAST_SIGMA**2, _LEAST_NOISE**2
_TURN, _ROOT_2, _HALF_MEAN = 2 * math.pi, math.sqrt(2), math.sqrt(2 / math.pi)
_FINE = 50_000.0  # ns: stamps this exact need no help
_NOISE = 0.1  # of sigma, at first
_WANDER = 1e-6  # of the period, from one refresh to the next
_FORGET = 0.02  # what is learned of sigma and noise comes from the last 50 stamps or so

_AHEAD = 6  # refreshes that are considered, the next and five more; a longer gap is a hitch
_RARE, _OFTEN = 0.01, 0.6  # limits of the share of refreshes without a frame
_SURE = 0.999
_STRAY = 1e-3  # of the density at the edge: a stamp less likely fits nowhere, and teaches nothing
# sigmas: a stamp later than that is taken for a spike only where spikes have come and gone before
_FAR = 5.0
_CALM, _SPIKES = 4, 2  # stamps that fit before a spike; spikes for a habit

_BEGIN, _RETRY = 8, 10  # gaps seen before the display is modelled, and again after it failed
_TRIAL = 96  # stamps in which it must be believed
_REPORTED = (
    0.0015  # by how much the screen's word on its period may be wrong, one standard deviation
)
_LOCK, _HARDER, _HARDEST = 5.0, 2.0, 20.0  # nats to be believed; more after each trial that failed
_MOST, _LONGEST, _GROWTH = (
    10.0,
    20.0,
    0.03,
)  # nats kept, and more the longer it was right, by stamps
_HOPELESS = -8.0
_TAIL = (
    1e-3  # the least likelihood where the models are compared, so that one stamp decides nothing
)
_DOUBT_RATE, _LEANING, _AKIN, _OPPOSITE = 0.05, 0.65, 0.6, -0.45  # see `_doubt`

# Where sigma is a larger part of the period, chance finds a display in anything.
_EVEN = 4  # gaps as exact as that in a row: stamps are exact, whatever was learned of sigma before
_WIDE, _WIDE_UNREPORTED, _WIDE_MISSED = 0.7, 0.22, 0.06


class RefreshClock:
    """Moments to draw for, from the stamps of frames that a display paces.

    A `Game` has its own. In a loop of your own, ask it once a frame, right after the flip that
    waits for the screen:

        clock, timestep = fw.RefreshClock(rate=60), fw.FixedTimestep(60)
        while True:
            window.flip()
            moment = clock.shown(time.perf_counter_ns())
            for tick in timestep.advance(moment):
                update(tick.dt)
            draw(timestep.alpha)

    ``rate`` is what the screen says of its refreshes a second, None where it says nothing. It is
    where the search begins; when the stamps say otherwise, they are believed.
    """

    # Not `checks.Sealed`: some twenty attributes are set for each stamp, and a __setattr__ in
    # Python costs 0.1 µs.
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
        self._last = -(1 << 200)  # before any stamp
        self._trust = 0.0  # share of the estimate in what is returned; the rest is the stamp's
        self.restart(rate)

    @property
    def period(self) -> float:
        """The refresh period in nanoseconds as it is estimated, 0.0 before it is."""
        return self._period if self._tracking else 0.0

    def restart(self, rate: float | None = None) -> None:
        """Forget the display: the window moved to another screen, or its mode changed. ``rate`` as
        at first.
        """
        said = 0.0 if rate is None else number("rate", rate, least=0)
        self._reported = _SECOND / said if said else 0.0
        self._lock, self._tries = _LOCK, 0
        self._search(_BEGIN)

    def shown(self, stamp: int) -> int:
        """The moment to draw a frame for that is stamped ``stamp``, integer nanoseconds on the
        clock of the stamps.

        It has the stamps' lag on average, without their jitter, and never runs backwards.
        """
        if stamp.__class__ is not int:
            stamp = whole("stamp", stamp)
        last, self._stamp = self._stamp, stamp
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
        """The moment to draw for while nothing waits for the screen: the stamp itself. The display
        is forgotten.
        """
        stamp = whole("stamp", stamp)
        if self._tracking or self._gaps:
            self._search(_BEGIN)
        self._stamp, self._trust = None, 0.0
        self._last = max(self._last, stamp)
        return self._last

    # -- the beginning -----------------------------------------------------------------------------

    def _search(self, wait: int) -> None:
        self._gaps: deque[int] = deque(maxlen=wait)
        self._tracking = False
        self.locked = False
        """Whether a display is believed in; if not, moments are the stamps themselves."""
        self._period = 0.0

    def _begin(self) -> None:
        gaps = list(self._gaps)
        if min(gaps) <= 0:
            self._search(_RETRY)
            return
        period, off = self._guess(gaps)
        unsure = max(0.005, min(0.03, 1.9 * off / len(gaps) / period))
        if self._near_reported(period, 0.04) and self._tries % 2 == 0:
            period, unsure = self._reported, _REPORTED
        self._tries += 1
        self._tracking, self._age = True, 0
        self._period, self._period_variance = period, (unsure * period) ** 2
        # Gaps are off by sqrt(2) deviations of a stamp, their mean is 0.8 of that; and rather too
        # wide than too narrow.
        self._sigma = max(1.77 * off, _LEAST_SIGMA)
        self._noise = max(_NOISE * self._sigma, _LEAST_NOISE) ** 2
        self._lag = self._usual = _MEAN * self._sigma
        self._missed = max(
            _RARE, 1 - len(gaps) / sum([max(1, round(gap / period)) for gap in gaps])
        )
        self._gap, self._gap_variance = (
            float(sorted(gaps)[len(gaps) // 2]),
            max(1.25 * off, _LEAST_SIGMA) ** 2,
        )
        self._evidence = self._leaning = self._akin = self._off = 0.0
        self._before = self._even = 0  # the last gap, and gaps in a row that were like it
        self._rephase()
        for gap in gaps:
            self._track(gap)
            self._age += 1

    def _guess(self, gaps: list[int]) -> tuple[float, float]:
        """The period of which ``gaps`` are multiples most nearly, and by how much they are off on
        average.
        """
        middle = sorted(gaps)[len(gaps) // 2]
        least = [gap for gap in gaps if gap < 1.3 * min(gaps)]
        best, period, mean_off = math.inf, float(middle), 0.0
        for guess in (self._reported, middle, sum(least) / len(least)):
            if guess <= 0:
                continue
            counts = [max(1, round(gap / guess)) for gap in gaps]
            fit = sum(gaps) / sum(counts)
            off = sum(
                [abs(gap - count * fit) for gap, count in zip(gaps, counts, strict=True)]
            ) / len(gaps)
            # Any gaps fit a short period: what comes later must be clearly better, and near what
            # was guessed.
            if off / fit < 0.7 * best and (
                guess != self._reported or self._near_reported(fit, 0.04)
            ):
                best, period, mean_off = off / fit, fit, off
        return period, mean_off

    def _near_reported(self, period: float, share: float) -> bool:
        return abs(period - self._reported) < share * self._reported

    def _rephase(self) -> None:
        """All that is known of the refreshes' phase is the last stamp."""
        # By how much the last stamp was later than its refresh, with variance and the covariance
        # with the period.
        self._late, self._variance, self._covariance = (
            _MEAN * self._sigma,
            0.5 * self._sigma**2,
            0.0,
        )
        self._weights: list[float] = []  # of the refreshes from that one on; none: it is that one
        self._fitting = self._spikes = 0  # stamps since one that fitted nowhere; spikes so far

    # -- a stamp -----------------------------------------------------------------------------------

    def _track(self, gap: int) -> float:
        """Take a stamp in; by how much it is later than usual, 0.0 where it fits no refresh."""
        period, sigma = self._period, self._sigma
        late = self._late + gap - period
        if late > (_AHEAD - 0.5) * period + 3 * sigma:
            self._evidence -= 1.0
            self._rephase()
            return 0.0
        self._variance += 2 * self._covariance + self._period_variance
        self._covariance += self._period_variance
        self._period_variance += (_WANDER * period) ** 2
        spread, missed = self._variance + self._noise, self._missed
        misses, mean = 0.0, late
        if self._weights or late + 5 * math.sqrt(spread) >= period:
            density, shift, left, seen, misses, mean, late = self._try_all(late, spread)
        else:
            density, shift, left = _one_sided(late, spread, sigma * sigma)
            density *= 1 - missed
            seen = (late - shift) ** 2 + left
        self._late = late
        rate = 1 / (20 + self._age)
        missed += (rate if rate > 0.01 else 0.01) * (misses - missed)
        self._missed = _OFTEN if missed > _OFTEN else missed if missed > _RARE else _RARE
        self._weigh(gap, density)
        if density * sigma < _STRAY:
            if (
                late < -0.5 * period
            ):  # an earlier stamp was taken for one of the next refresh, for certain and wrongly
                self._late += period
            return mean - self._lag if self._spike(mean) else 0.0
        self._fitting += 1
        mean -= self._correct(shift, left, spread, seen)
        self._lag += (0.0003 if self.locked else 1 / (4 + self._age)) * (mean - self._lag)
        self._doubt(mean)
        return mean - self._lag

    def _try_all(
        self, late: float, spread: float
    ) -> tuple[float, float, float, float, float, float, float]:
        """What `_track` needs of the stamp, over all the refreshes that it may be of."""
        period, variance, missed = self._period, self._sigma**2, self._missed
        before = self._weights or [1.0] + [0.0] * (_AHEAD - 1)
        fits, share, total = [], 0.0, 0.0
        for ahead, weight in enumerate(before):
            share = missed * share + (1 - missed) * weight
            off = late - ahead * period
            density, shift, left = _one_sided(off, spread, variance)
            weight = share * density
            fits.append((weight, off, shift, left))
            total += weight
        if total * self._sigma < 0.01 * _STRAY:  # it fits nowhere: the nearest is kept
            self._weights = []
            late -= period * max(0, min(_AHEAD - 1, math.floor(late / period + 0.2)))
            return total, 0.0, spread, 0.0, 0.0, late, late
        weights = [weight / total for weight, _, _, _ in fits]
        shift = left = seen = mean = misses = 0.0
        for ahead, weight in enumerate(weights):
            misses += (weight - before[ahead]) * ahead
            if weight:
                _, off, moved, rest = fits[ahead]
                shift += weight * moved
                left += weight * (moved * moved + rest)
                seen += weight * ((off - moved) ** 2 + rest)
                mean += weight * off
        while weights[0] < 1 - _SURE:
            late -= period
            weights = [*weights[1:], 0.0]
        self._weights = [] if weights[0] > _SURE else weights
        return total, shift, left - shift * shift, seen, max(0.0, min(1.0, misses)), mean, late

    def _correct(self, shift: float, left: float, spread: float, seen: float) -> float:
        """The filter's step: phase, period and noise by regression on their sum, which moved by
        ``shift``.

        Its variance went from ``spread`` to ``left``; ``seen`` is the square of the lateness.
        Returns by how much the refresh is later than expected.
        """
        less, noise, variance = spread - left, self._noise, self._sigma**2
        gain, turn, rest = self._variance / spread, self._covariance / spread, noise / spread
        self._variance -= gain * gain * less
        self._covariance -= gain * turn * less
        unsure = self._period_variance - turn * turn * less
        self._period_variance = unsure if unsure > 0.0 else 0.0
        self._period += turn * shift
        self._late -= gain * shift
        rate = 1 / (4 + self._age)
        if rate < _FORGET:
            rate = _FORGET
        variance += rate * ((9 * variance if 9 * variance < seen else seen) - variance)
        self._sigma = math.sqrt(variance if variance > _LEAST_VARIANCE else _LEAST_VARIANCE)
        noise += rate * rest * rest * (shift * shift - less)
        self._noise = noise if noise > _LEAST_NOISE_VARIANCE else _LEAST_NOISE_VARIANCE
        return gain * shift

    def _spike(self, late: float) -> bool:
        """Whether a stamp that fits nowhere is a late one, and not the first after a change of the
        display's rate.
        """
        calm, far = self._fitting >= _CALM, late > _FAR * self._sigma
        self._spikes = self._spikes + far if calm and self.locked else 0
        self._fitting = 0
        return calm and late > 0 and (not far or self._spikes > _SPIKES)

    # -- is there a display? -----------------------------------------------------------------------

    def _weigh(self, gap: int, by_display: float) -> None:
        """The stamp as evidence for the display, in nats, against a gap as long as those before
        it.
        """
        self._even = self._even + 1 if abs(gap - self._before) < 0.5 * _FINE else 0
        self._before = gap
        off, variance = gap - self._gap, self._gap_variance
        by_gaps = (math.exp(-0.5 * off * off / variance) + _TAIL) / math.sqrt(_TURN * variance)
        nats = math.log((by_display + _TAIL / self._sigma) / by_gaps)
        self._evidence += 2.0 if nats > 2.0 else nats if nats > -4.0 else -4.0
        limit = 4 * math.sqrt(variance)
        off = limit if off > limit else off if off > -limit else -limit
        self._gap += 0.1 * off
        variance += 0.05 * (off * off - variance)
        self._gap_variance = variance if variance > 1e8 else 1e8

    def _doubt(self, late: float) -> None:
        """Lateness is a stamp's own. Where it leans to one side or is like the last one's, the
        period changes, as no display's does; where it is opposite, frames take turns at multiples
        of another period."""
        off = late - self._usual
        rate = 1 / (4 + self._age)
        self._usual += (rate if rate > 0.01 else 0.01) * off
        deviation = _SPREAD * self._sigma
        off /= deviation
        off = 3.0 if off > 3.0 else off if off > -3.0 else -3.0
        self._leaning += _DOUBT_RATE * (off - self._leaning)
        self._akin += _DOUBT_RATE * (off * self._off - self._akin)
        self._off = off
        if abs(self._leaning) > _LEANING:  # doubt, and follow
            self._evidence -= 0.5
            self._variance += 0.01 * deviation**2
            self._period_variance += 1e-7 * deviation**2
        if self._akin > _AKIN:
            self._evidence -= 0.5
        elif self._akin < _OPPOSITE:
            self._evidence -= 1.0

    def _judge(self) -> None:
        self._age += 1
        if self._evidence > _MOST:  # the least of what is kept
            kept = (
                _MOST + min(_LONGEST, self._age * _GROWTH)
                if self.locked
                else max(_MOST, self._lock + 1)
            )
            self._evidence = min(self._evidence, kept)
        self.locked = self._evidence > (0.0 if self.locked else self._lock) and self._plausible()
        if self.locked and self._age > 120:
            self._lock = _LOCK
        if (
            self._evidence < _HOPELESS
            or self._period <= 0
            or (not self.locked and self._age > _TRIAL)
        ):
            self._lock = min(_HARDEST, self._lock + _HARDER)
            self._search(_RETRY)

    def _plausible(self) -> bool:
        sigma, period = self._sigma, self._period
        wide = _WIDE if self._near_reported(period, 0.01) else _WIDE_UNREPORTED
        return (
            sigma > _FINE
            and self._even < _EVEN
            and self._variance < 0.64 * sigma * sigma
            and sigma < wide * period
            and sigma * self._missed < _WIDE_MISSED * period
        )


def _one_sided(off: float, spread: float, variance: float) -> tuple[float, float, float]:
    """A normal of variance ``spread`` plus a half-normal of ``variance`` came to ``off``.

    Returns how likely that was, a density, and the normal part's mean and variance given it.
    """
    both = spread + variance
    mean, left = off * spread / both, spread * variance / both
    root = math.sqrt(left)
    room = (off - mean) / root
    if room < -6:
        return 0.0, off, 0.03 * left
    density = math.exp(-0.5 * off * off / both) / math.sqrt(_TURN * both)
    if room > 5:
        return 2 * density, mean, left
    below = math.erfc(-room / _ROOT_2)  # twice the probability
    ratio = _HALF_MEAN * math.exp(-0.5 * room * room) / below
    return density * below, mean - root * ratio, left * (1 - ratio * (room + ratio))
