"""When a frame that is drawn now belongs on the screen: the display's refreshes, estimated from late stamps.

Pure arithmetic on nanoseconds, as in `timestep`. A frame starts when a refresh lets it, but a busy CPU reads the clock
late, by a little and never early, and sometimes a refresh or more goes by without a frame. Two models predict the next
stamp: a display of one period, with a half-normal lateness and few frames missed; and no display at all, where the
next gap is about as long as the last ones. Each stamp is evidence for one or the other (Wald's sequential test), and
only while the display explains the stamps better is it believed. Its phase and period are a Kalman filter's, over the
likely numbers of missed refreshes, each with its weight (Bar-Shalom's probabilistic data association).
"""

from __future__ import annotations

import math
from collections import deque

_SECOND = 1_000_000_000

# Lateness is half-normal of some sigma: its mean and standard deviation in sigmas. Stamps that are early after all
# (the phase is only estimated) count by a normal of a narrower sigma.
_MEAN, _SPREAD, _EARLY = 0.798, 0.603, 0.3
_DENSITY = 1 / (math.sqrt(math.pi / 2) * (1 + _EARLY))
_LEAST_SIGMA = 30_000.0
_FINE = 50_000.0  # ns: stamps this exact need no help

_MISSED = 0.01  # of the frames
_AHEAD = 4  # missed refreshes that are considered, 0 to 3
_STRAY = 1e-6  # the least likelihood: a stamp that fits nowhere leaves the weights as they are
_TAIL = 1e-3  # the same where the models are compared
_HITCH = 2.6  # periods

_BEGIN, _RETRY = 8, 12  # stamps seen before the display is modelled, and again after it failed
_TRIAL = 96  # stamps in which it must be believed
_LOCK, _HARDER, _HARDEST = 5.0, 2.0, 10.0  # nats to be believed; more after each trial that failed
_MOST = 10.0  # nats kept, so that a display that changes is given up soon
_HOPELESS = -8.0
_DRIFT_RATE, _DRIFT_LIMIT = 0.05, 0.5  # residuals of one sign: their mean over 1 / rate stamps, in deviations
_WANDER = 2e-6  # of the period, from one refresh to the next


class RefreshClock:
    """Moments to draw for, from the stamps of frames that a display paces.

    ``rate`` is what the screen says of its refreshes a second, None where it says nothing. It is where the search
    begins; when the stamps say otherwise, they are believed.
    """

    def __init__(self, rate: float | None = None) -> None:
        self._reported = _SECOND / rate if rate else 0.0
        self._stamp: int | None = None
        self._last = -(1 << 200)  # before any stamp
        self._trust = 0.0  # share of the estimate in what is returned; the rest is the stamp's
        self._lock, self._tries = _LOCK, 0
        self.restart()

    @property
    def locked(self) -> bool:
        """Whether a display is believed in; if not, moments are the stamps themselves."""
        return self._believed

    @property
    def period(self) -> float:
        """The refresh period in nanoseconds as it is estimated, 0.0 before it is."""
        return self._period if self._tracking else 0.0

    def restart(self, wait: int = _BEGIN) -> None:
        """Forget the display: the window moved to another screen, or stamps were left out."""
        self._gaps: deque[int] = deque(maxlen=32)
        self._wait = wait
        self._tracking = self._believed = False
        self._period = 0.0

    def shown(self, stamp: int) -> int:
        """The moment to draw a frame for that is stamped ``stamp``, integer nanoseconds on the clock of the stamps.

        It has the stamps' lag on average, without their jitter, and never runs backwards.
        """
        last, self._stamp = self._stamp, stamp
        if last is None:
            self._last = max(self._last, stamp)
            return self._last
        late = 0.0
        self._gaps.append(max(0, stamp - last))
        if self._tracking:
            late = self._track(stamp - last)
            self._judge()
        else:
            self._wait -= 1
            if self._wait <= 0:
                self._begin()
        self._trust = min(1.0, self._trust + 0.1) if self._believed else max(0.0, self._trust - 0.5)
        self._last = max(self._last, stamp - round(self._trust * late))
        return self._last

    def passed(self, stamp: int) -> int:
        """The moment to draw for while nothing waits for the screen: the stamp itself. The display is forgotten."""
        if self._tracking or self._gaps:
            self.restart()
        self._stamp, self._trust = None, 0.0
        self._last = max(self._last, stamp)
        return self._last

    def _begin(self) -> None:
        gaps = sorted(self._gaps)
        middle = gaps[len(gaps) // 2]
        spread = 1.48 * sorted(abs(gap - middle) for gap in gaps)[len(gaps) // 2]
        steady = [gap for gap in gaps if abs(gap - middle) <= 5 * spread + middle / 10]
        period = sum(steady) / len(steady)
        if period <= 0:
            return
        unsure = max(0.005, min(0.03, spread / len(gaps) / period))
        if self._reported and abs(period / self._reported - 1) < 0.04 and self._tries % 2 == 0:
            period, unsure = self._reported, 0.002
        self._tries += 1
        self._tracking, self._age = True, 0
        self._period = period
        self._sigma = max(spread / math.sqrt(2) / _SPREAD, _LEAST_SIGMA)
        self._gap, self._gap_variance = period, max(spread, _LEAST_SIGMA) ** 2
        self._phase = 0.0  # where the last frame's stamp was to be expected, less the last stamp
        # Covariance of phase and period, in variances of a stamp.
        self._pp, self._pt, self._tt = 1.0, 0.0, (unsure * period / (self._sigma * _SPREAD)) ** 2
        self._weights = [1.0] + [0.0] * (_AHEAD - 1)
        self._evidence = self._bias = 0.0

    def _track(self, gap: int) -> float:
        """Take a stamp in; by how much it is later than expected, 0.0 where it fits no refresh."""
        period, sigma, weights = self._period, self._sigma, self._weights
        steps, hitch = 1, gap > _HITCH * period
        if hitch:
            steps = max(1, round((gap - self._phase) / period) - 1)
            prior = [1 / 3, 1 / 3, 1 / 3, 0.0]
        else:
            before = [0.0, *weights[:-1]]
            prior = [(1 - _MISSED) * same + _MISSED * less for same, less in zip(weights, before, strict=True)]
        phase = self._phase - gap + steps * period
        wander = (_WANDER * period / (sigma * _SPREAD)) ** 2
        self._pp += steps * (2 * self._pt + steps * self._tt)
        self._pt += steps * self._tt
        self._tt += steps * wander
        likely = [share * _likelihood(-phase - ahead * period, sigma) for ahead, share in enumerate(prior)]
        total = sum(likely)
        self._weigh(gap, (total + _TAIL) * _DENSITY / sigma, hitch)
        weights = [part / total for part in likely]
        ahead = sum(count * weight for count, weight in enumerate(weights))
        phase += self._correct(-phase - ahead * period)
        self._learn_sigma(phase, weights)
        late = -(phase + ahead * self._period) if total > 10 * _STRAY else 0.0
        while weights[0] < 0.01:
            phase += self._period
            weights = [*weights[1:], 0.0]
        self._phase, self._weights = phase, weights
        if self._period <= 0:
            self._evidence = 2 * _HOPELESS
        return late

    def _weigh(self, gap: int, by_display: float, hitch: bool) -> None:
        """The stamp as evidence for the display, in nats, against a gap as long as those before it."""
        if hitch:
            self._evidence -= 2.0
            return
        off, variance = gap - self._gap, self._gap_variance
        by_gaps = (math.exp(-0.5 * off * off / variance) + _TAIL) / math.sqrt(2 * math.pi * variance)
        nats = max(-4.0, min(2.0, math.log(by_display / by_gaps)))
        self._evidence = min(max(_MOST, self._lock + 1), self._evidence + nats)
        limit = 4 * math.sqrt(variance)
        off = max(-limit, min(limit, off))
        self._gap += 0.1 * off
        self._gap_variance = max(variance + 0.05 * (off * off - variance), 1e8)

    def _correct(self, residual: float) -> float:
        """The Kalman filter's step for the period; returns the one for the phase."""
        deviation = self._sigma * _SPREAD
        residual = max(-4 * deviation, min(4 * deviation, residual))
        self._bias += _DRIFT_RATE * (residual - self._bias)
        if abs(self._bias) > _DRIFT_LIMIT * deviation:  # the period changes, as no display's does: doubt, and follow
            self._evidence -= 0.5
            self._pp += 0.01
            self._tt += 1e-7
        gain, period_gain = self._pp / (self._pp + 1), self._pt / (self._pp + 1)
        self._period += period_gain * residual
        self._tt -= period_gain * self._pt
        self._pt -= gain * self._pt
        self._pp -= gain * self._pp
        return gain * residual

    def _learn_sigma(self, phase: float, weights: list[float]) -> None:
        most, variance = 3 * self._sigma, self._sigma**2
        seen = sum(weight * min(most, abs(phase + k * self._period)) ** 2 for k, weight in enumerate(weights))
        rate = max(0.02, 1 / (10 + self._age))
        self._sigma = max(_LEAST_SIGMA, math.sqrt(variance + rate * (seen / _SPREAD**2 - variance)))

    def _judge(self) -> None:
        self._age += 1
        self._believed = self._evidence > (0.0 if self._believed else self._lock) and self._sigma > _FINE
        if self._believed and self._age > 120:
            self._lock = _LOCK
        if self._evidence < _HOPELESS or (not self._believed and self._age > _TRIAL):
            self._lock = min(_HARDEST, self._lock + _HARDER)
            self.restart(_RETRY)


def _likelihood(late: float, sigma: float) -> float:
    off = late / sigma + _MEAN
    if off < 0:
        off /= _EARLY
    return math.exp(-0.5 * off * off) + _STRAY
