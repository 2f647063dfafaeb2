"""Clips: frames, durations, markers, and wrong arguments."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from pictures import solid

import framework as fw
from framework.assets.clips import timeline_of
from framework.motion.clip_timelines import steps_at

IMAGES = [solid(4, 4, (shade, 0, 0, 255)) for shade in range(10, 22)]


def test_a_clip_has_a_first_image_a_count_and_a_rate() -> None:
    clips = fw.Clips(IMAGES, walk=(2, 8, 12), hit=fw.Clip([9, 10], rate=10, loop=False))
    assert [*clips] == ["walk", "hit"]
    assert len(clips) == 2
    assert clips["walk"].frames == (2, 3, 4, 5, 6, 7, 8, 9)
    assert clips["walk"].duration == Fraction(8, 12)
    assert clips["walk"].loop
    assert not clips["hit"].loop
    assert clips["hit"].duration == Fraction(1, 5)
    assert clips.images == tuple(IMAGES)
    assert "8 frames" in repr(clips["walk"])
    assert "walk, hit" in repr(clips)


def test_clips_accept_a_sheet_or_one_image() -> None:
    sheet = fw.sheet("hero.png", (32, 48), columns=4, rows=2)
    assert fw.Clips(sheet, run=(4, 4, 10)).images == tuple(sheet)
    assert fw.Clips("hero.png", still=(0, 1, 1)).images == ("hero.png",)


def test_ping_pong_shows_the_end_frames_once() -> None:
    clip = fw.Clip([3, 4, 5, 6], rate=8, ping_pong=True)
    assert [clip.frames[index] for index in clip.order] == [3, 4, 5, 6, 5, 4]
    assert clip.duration == Fraction(6, 8)
    assert fw.Clip([3], rate=8, ping_pong=True).order == (0,)
    assert fw.Clip([3, 4], rate=8, ping_pong=True).order == (0, 1)


def steps(clip: fw.Clip) -> list[int]:
    return timeline_of(fw.Clips(IMAGES, it=clip)).images.tolist()


def test_uneven_frames_are_divided_into_equal_steps() -> None:
    assert steps(fw.Clip([1, 2, 3], seconds=[0.1, 0.25, 0.05])) == [1, 1, 2, 2, 2, 2, 2, 3]
    assert steps(fw.Clip([1, 2], seconds=[Fraction(1, 3), Fraction(1, 2)])) == [1, 1, 2, 2, 2]
    assert steps(fw.Clip([1, 2, 3], seconds=[0.1, 0.1, 0.1])) == [1, 2, 3]


def test_very_uneven_frames_are_rounded_to_many_steps() -> None:
    step_images = steps(fw.Clip([1, 2, 3], seconds=[0.001, 600, 0.0013]))
    assert len(step_images) <= 8192
    assert (
        step_images[0] == step_images[-1] == 2
    )  # the other frames last for less than half a step of 73 ms
    step_images = steps(fw.Clip([1, 2, 3], seconds=[10.0001, 600, 11.0013]))
    shares = np.bincount(step_images)[1:] / len(step_images) * 621.0014
    assert shares == pytest.approx([10.0001, 600, 11.0013], abs=0.08)


def test_a_clip_has_at_most_32767_frames_so_that_it_can_play_back_and_forth() -> None:
    assert len(fw.Clip([0] * 32_767, 4, ping_pong=True).frames) == 32_767
    with pytest.raises(ValueError, match=r"^frames: expected 1 to 32,767 numbers of images"):
        fw.Clip([0] * 32_768, 4)


def test_markers_are_at_each_step_of_their_frame() -> None:
    clips = fw.Clips(
        IMAGES,
        it=fw.Clip([1, 2, 3, 4], rate=10, ping_pong=True, markers={"step": 1, "turn": (0, 3)}),
    )
    assert clips["it"].markers == {"step": (1,), "turn": (0, 3)}
    assert timeline_of(clips).markers == ("step", "turn")
    [(number, phases)] = timeline_of(clips).marked("step")
    assert number == 0
    assert sorted(phases * 6.0 / 2**32) == pytest.approx([1, 5])
    assert timeline_of(clips).marked("none") == []


def test_a_marker_of_a_clip_without_loop_has_the_phase_of_its_step() -> None:
    clips = fw.Clips(IMAGES, it=fw.Clip([1, 2, 3, 4], rate=10, loop=False, markers={"hit": (0, 3)}))
    [(_, phases)] = timeline_of(clips).marked("hit")
    assert (phases / 2**16).tolist() == [0, 0.75]


@pytest.mark.parametrize("late", [0, 1, 2, 1000, 2**31])
def test_an_ended_clip_stays_at_its_last_step(late: int) -> None:
    timeline = timeline_of(fw.Clips(IMAGES, it=fw.Clip([1, 2, 3], rate=10, loop=False)))
    phases = np.array([2**16 + late], np.uint32)
    assert steps_at(phases, timeline.counts).tolist() == [2]


BAD: list[tuple[Any, type[Exception], str]] = [
    (lambda: fw.Clip([]), ValueError, "frames"),
    (lambda: fw.Clip("12", 4), TypeError, "frames"),
    (lambda: fw.Clip([-1], 4), ValueError, "frames"),
    (lambda: fw.Clip([0.5], 4), TypeError, "frames"),
    (lambda: fw.Clip([0]), TypeError, "rate"),
    (lambda: fw.Clip([0], 4, seconds=[1]), TypeError, "rate"),
    (lambda: fw.Clip([0], 0), ValueError, "rate"),
    (lambda: fw.Clip([0], -2), ValueError, "rate"),
    (lambda: fw.Clip([0], float("nan")), ValueError, "rate"),
    (lambda: fw.Clip([0], 1e9), ValueError, "rate"),
    (lambda: fw.Clip([0], "fast"), TypeError, "rate"),
    (lambda: fw.Clip([0, 1], seconds=[1]), ValueError, "seconds"),
    (lambda: fw.Clip([0, 1], seconds=[1, 0]), ValueError, "seconds"),
    (lambda: fw.Clip([0, 1], seconds=[1, 1e-9]), ValueError, "seconds"),
    (lambda: fw.Clip([0], 4, loop="yes"), TypeError, "loop"),
    (lambda: fw.Clip([0], 4, markers={"step": 1}), ValueError, "step"),
    (lambda: fw.Clip([0], 4, markers={1: 0}), TypeError, "markers"),
    (lambda: fw.Clip([0], 4, markers={"step": "0"}), TypeError, "step"),
    (lambda: fw.Clip(range(70_000), 4), ValueError, "frames"),
    (lambda: fw.Clips(IMAGES), TypeError, "clips"),
    (lambda: fw.Clips(7, walk=(0, 1, 2)), TypeError, "images"),
    (lambda: fw.Clips(IMAGES, walk=(0, 8)), ValueError, "walk"),
    (lambda: fw.Clips(IMAGES, walk=3), TypeError, "walk"),
    (lambda: fw.Clips(IMAGES, walk="all"), TypeError, "walk"),
    (lambda: fw.Clips(IMAGES, walk=(8, 8, 12)), ValueError, "there are 12"),
    (lambda: fw.Clips(IMAGES, walk=(0, 0, 12)), ValueError, "walk: count"),
    (lambda: fw.Clips(IMAGES, walk=fw.Clip([3, 12], 4)), ValueError, "image 12"),
    (lambda: fw.Clips(IMAGES, walk=(0, 2, 4))["wlak"], ValueError, "walk"),
    (
        lambda: fw.Clips(IMAGES, **{str(n): fw.Clip([0] * 30_000, 4) for n in range(5)}),
        ValueError,
        "150,000",
    ),
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_wrong_arguments_are_errors_with_their_names(number: int) -> None:
    create, kind, words = BAD[number]
    with pytest.raises(kind, match=words):
        create()


def test_a_misspelt_attribute_is_an_error() -> None:
    with pytest.raises(AttributeError):
        fw.Clip([0], 4).lop = False  # type: ignore[attr-defined]
