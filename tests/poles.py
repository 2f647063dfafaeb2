"""CartPole as one game of many rows, with the constants of Gymnasium's CartPole, in float32."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

import framework as fw

_HIGH = np.array([4.8, np.finfo(np.float32).max, 0.41887903, np.finfo(np.float32).max], np.float32)


class Poles(fw.ArrayGame):
    action_space = gym.spaces.Discrete(2)
    observation_space = gym.spaces.Box(-_HIGH, _HIGH)

    def __init__(self, **options: Any) -> None:
        super().__init__(tick_rate=50, **options)

    def setup(self) -> None:
        self.state = np.zeros((4, self.envs), np.float32)
        self.rewards[:] = 1

    def begin(self, rows: Any) -> None:
        self.state[:, rows] = self.uniform(rows, -0.05, 0.05, 4).T

    def update(self, dt: float) -> None:
        x, speed, angle, turning = self.state
        force = np.where(self.actions == 1, np.float32(10), np.float32(-10))
        cosine = np.cos(angle)
        sine = np.sin(angle)
        push = (force + np.float32(0.05) * turning * turning * sine) * np.float32(1 / 1.1)
        swing = np.float32(9.8) * sine - cosine * push
        swing /= np.float32(0.5 * 4 / 3) - np.float32(0.05 / 1.1) * cosine * cosine
        push -= np.float32(0.05 / 1.1) * swing * cosine
        step = np.float32(dt)
        x += step * speed
        speed += step * push
        angle += step * turning
        turning += step * swing
        np.logical_or(
            np.abs(x) > np.float32(2.4), np.abs(angle) > np.float32(0.20943951), out=self.ended
        )
        self.rewards[:] = 1

    def observations(self) -> Any:
        return self.state.T
