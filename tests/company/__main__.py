"""The command `python -m tests.company`."""

from __future__ import annotations

import argparse
import itertools
import os
import random
import sys
import time
import warnings
from collections.abc import Iterator, Sequence

# Small images: Mesa draws faster in the calling thread, and compiles faster without optimization.
os.environ.setdefault("LP_NUM_THREADS", "0")
os.environ.setdefault("GALLIVM_PERF", "nopt")

from . import PLAYERS, Case, problem


def cases(options: argparse.Namespace) -> Iterator[Case]:
    """Return the cases that the command line asks for."""
    if options.names:
        yield Case(tuple(options.names), options.operations, options.seed)
        return
    names = sorted(PLAYERS)
    if options.all:
        pairs = [*itertools.combinations_with_replacement(names, 2)]
        for number, pair in enumerate(pairs):
            yield Case(pair, options.operations, options.seed + number)
        return
    chance = random.Random(options.seed)
    for number in itertools.count():
        pair = chance.choice(names), chance.choice(names)
        yield Case(pair, options.operations, options.seed * 100_000 + number)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m tests.company", description=__doc__)
    parser.add_argument("names", nargs="*", help="the players of one case, such as sprites bodies")
    parser.add_argument("--seconds", type=float, default=120, help="the CPU time of random pairs")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the pairs and games")
    parser.add_argument("--operations", type=int, default=60, help="operations of each case")
    parser.add_argument("--all", action="store_true", help="every pair of players")
    parser.add_argument("--part", default="0/1", help="such as 1/4: every fourth case, from case 1")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.names if name not in PLAYERS]:
        parser.error(f"players: expected some of {', '.join(sorted(PLAYERS))}, got {unknown}")
    first, step = map(int, options.part.split("/"))
    endless = not options.all and not options.names
    print(f"company: seed {options.seed}, {options.operations} operations", flush=True)
    warnings.simplefilter("ignore", RuntimeWarning)  # letters that no font has
    count = failures = 0
    for case in itertools.islice(cases(options), first, None, step):
        report = problem(case)
        count += 1
        if report is not None:
            failures += 1
            print(f"\npython -m tests.company {report}", flush=True)
        if endless and time.process_time() > options.seconds:
            break
    seconds = time.process_time()
    print(f"{count} cases, {failures} problems, {seconds:.0f} s of CPU, seed {options.seed}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
