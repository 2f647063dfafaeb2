"""Forked processes: games that work in them, and errors for games that do not."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")

HEAD = """
import gc, os, sys, threading
import framework as fw
from framework.assets.background_loading import Worker

class Game(fw.Game):
    saved = ("x",)
    x = 0
    def setup(self):
        self.ship = self.sprites.add(fw.art.ship, position=(20, 20))
    def update(self, dt):
        self.x += 1

def drawn():
    return Game(headless=True, size=(32, 32))

def fails(call):
    try:
        call()
    except fw.FrameworkError as error:
        print(type(error).__name__, str(error).count("forked from a process that had used OpenGL"))
    else:
        print("no error")

def in_child(call):
    sys.stdout.flush()
    child = os.fork()
    if not child:
        status = 1
        try:
            call()
            sys.stdout.flush()
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
"""


def run(code: str) -> str:
    process = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", HEAD + code],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return process.stdout


def test_a_drawn_game_raises_in_a_forked_process() -> None:
    out = run("""
game = drawn()
game.advance(1 / 60)
def child():
    fails(lambda: game.advance(1 / 60))
    fails(game.pixels)
    fails(game.snapshot)
    fails(lambda: game.run_ticks(1))
    fails(drawn)
    game.close()
    game.close()
in_child(child)
game.advance(1 / 60)
print(game.x, game.pixels().shape)
game.close()
""")
    errors = ["FrameworkError 1"] * 4 + ["DisplayError 1"]
    assert out.splitlines() == [*errors, "2 (32, 32, 4)"]


def test_a_forked_process_runs_games_without_drawing() -> None:
    out = run("""
closed = drawn()
closed.close()
left = drawn()
def child():
    global left
    fails(drawn)
    del left
    gc.collect()
    with Game(drawing=False) as game:
        game.run_ticks(3)
        print(game.x)
class Outer(Game):
    def update(self, dt):
        in_child(child)
with Outer(headless=True, size=(32, 32)) as outer:
    outer.advance(1 / 60)
    print(outer.pixels().shape)
""")
    assert out.splitlines() == ["DisplayError 1", "3", "(32, 32, 4)"]


def test_a_forked_process_may_create_the_first_drawn_game() -> None:
    out = run("""
with Game(drawing=False) as game:
    game.run_ticks(2)
    def child():
        game.run_ticks(2)
        with drawn() as other:
            other.advance(1 / 60)
            print(game.x, other.pixels().shape)
    in_child(child)
    print(game.x)
""")
    assert out.splitlines() == ["4 (32, 32, 4)", "2"]


def test_background_jobs_continue_in_a_forked_process() -> None:
    out = run("""
worker = Worker()
go_on = threading.Event()
begun = threading.Event()
def first():
    begun.set()
    go_on.wait()
    return "first"
jobs = [worker.submit(first), worker.submit(lambda: "second")]
begun.wait()
def child():
    go_on.set()
    print(*[job.result(30) for job in jobs], worker.submit(lambda: "third").result(30))
in_child(child)
go_on.set()
print(*[job.result(30) for job in jobs])
""")
    assert out.splitlines() == ["first second third", "first second"]
