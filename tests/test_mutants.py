"""tests/mutants.py: which modules it covers, and which tests it chooses for each."""

from __future__ import annotations

import ast
import os
import time

import mutants
import pytest

pytestmark = pytest.mark.repository


def test_every_module_has_tests() -> None:
    untested = [module for module in mutants.modules() if not mutants.test_files(module)]
    assert not untested, f"note their tests in CONCERNS of tests/mutants.py: {untested}"


def test_the_modules_and_tests_in_concerns_exist() -> None:
    modules = mutants.modules()
    assert not [name for name in mutants.CONCERNS if name not in modules]
    missing = {
        test
        for tests in mutants.CONCERNS.values()
        for test in tests.split()
        if not (mutants.TESTS / f"test_{test}.py").exists()
    }
    assert not missing


def test_tests_are_found_by_the_names_that_a_module_defines() -> None:
    assert mutants.ranked_tests("ui/flex")[0] == "flex"
    assert "server" in mutants.ranked_tests("sim/server")
    assert "particles" in mutants.ranked_tests("particles/particles")


def test_a_sample_has_its_size_and_depends_only_on_the_seed() -> None:
    first = mutants.pick(["motion/"], 12, 5)
    assert sum(map(len, first.values())) == 12
    assert all(module.startswith("motion/") for module in first)
    assert first == mutants.pick(["motion/"], 12, 5)
    assert first != mutants.pick(["motion/"], 12, 6)
    assert {"ui/", "sim/", "plane/"} <= {*mutants.rooms()}


def test_a_busy_machine_does_not_make_a_mutant_too_slow() -> None:
    limit = mutants.limit_of(mutants.Seconds(cpu=10, wall=12))
    run = mutants.Run(mutants.mutants("motion/shake")[0], 100, limit)
    assert not run.is_too_slow(now=100 + 3 * 12 + 21, cpu=10)
    assert run.is_too_slow(now=101, cpu=3 * 10 + 21)
    assert run.is_too_slow(now=100 + 5 * (3 * 12 + 20) + 1, cpu=0)  # it waits for ever


def test_the_cpu_time_of_a_process_group_is_that_of_its_processes() -> None:
    used = time.process_time()
    assert mutants.group_cpu_seconds(os.getpgrp()) >= used - 0.1
    assert mutants.group_cpu_seconds(2**22 + 1) == 0


@pytest.mark.parametrize(
    ("text", "seconds"), [("3:04.50", 184.5), ("02:03:04", 7384), ("1-00:00:01", 86401)]
)
def test_the_times_of_ps_are_read(text: str, seconds: float) -> None:
    assert mutants.seconds_of(text) == seconds


def test_every_mutant_in_unseen_can_still_be_made() -> None:
    for module, reasons in mutants.UNSEEN.items():
        code = [line.strip() for line in ast.unparse(mutants.parsed(module)).splitlines()]
        for change, reason in reasons.items():
            before, _, after = change.partition("  ->  ")
            assert before in code, f"{module}: remove this line from UNSEEN: {change}"
            assert after not in code
            assert reason
    number = next(
        number
        for number, line in enumerate(source("motion/clip_columns"), 1)
        if line.startswith("_UNKNOWN = ")
    )
    possible = [
        mutant for mutant in mutants.mutants("motion/clip_columns") if mutant.line == number
    ]
    assert any(mutants.is_unseen(mutant) for mutant in possible)
    assert not all(mutants.is_unseen(mutant) for mutant in possible)


def source(module: str) -> list[str]:
    return (mutants.PACKAGE / f"{module}.py").read_text(encoding="utf-8").splitlines()
