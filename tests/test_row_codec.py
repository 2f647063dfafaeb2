"""Row codec: a client decodes exactly the rows that a server sent, or refuses the bytes."""

from __future__ import annotations

import itertools
import random
import zlib
from typing import Any

import numpy as np
import pytest

from framework.net import golomb_coding, row_codec, row_sender
from framework.net.golomb_coding import CODES, Coded, code_bases
from framework.net.row_codec import BLOCK, CODE_BYTES, CodedBlocks, Run
from framework.net.row_receiver import RowReceiver
from framework.net.row_sender import MAX_PART, AckedStates, RowSender
from framework.net.server_messages import PROTOCOL

INTERVAL = 3
ANGLE = 32 - 8  # number of bits that an angle does not use


class Pipe:
    """A sender and a receiver with a link that loses and reorders parts."""

    def __init__(
        self, count: int = 100, loss: float = 0.0, delay: int = 1, columns: Any = (), seed: int = 1
    ) -> None:
        self.shifts = [0, 0, ANGLE]
        self.sender = RowSender(self.shifts, columns, INTERVAL)
        self.receiver = RowReceiver(self.shifts, columns, INTERVAL)
        self.acked = AckedStates(self.sender.gap)
        self.random = random.Random(seed)
        self.loss = loss
        self.delay = delay
        self.ids = np.arange(count, dtype=np.uint32)
        self.columns: list[Any] = [np.zeros((count, *shape), dtype) for dtype, shape in columns]
        self.next_id = count
        self.tick = 0
        self.sizes: list[int] = []
        self.flying: list[tuple[int, Any, int]] = []
        self.reliable: list[tuple[int, bool, bytes]] = []
        self.sent: dict[int, tuple[Any, Any]] = {}

    def send(self, numbers: Any, **limits: Any) -> list[Any]:
        """Send a state and receive the parts that have arrived."""
        self.tick += INTERVAL
        version = self.sender.version
        for number, data in enumerate(
            self.sender.update(self.tick, self.ids, numbers, self.columns)
        ):
            is_members = number == 0 and self.sender.version != version
            self.reliable.append((self.tick + self.delay, is_members, data))
        parts = self.sender.parts(self.acked, **limits)
        self.sizes.append(sum(len(part.data) for part in parts))
        self.sent[self.tick] = self.sender.slots.copy(), numbers.copy()
        for part in parts:
            assert len(part.data) <= MAX_PART
            if self.random.random() >= self.loss:
                late = self.tick + self.delay + self.random.choice([0, 0, 0, 2 * self.delay])
                self.flying.append((late, part, self.tick))
        while self.reliable and self.reliable[0][0] <= self.tick:
            _, is_members, data = self.reliable.pop(0)
            take = self.receiver.receive_members if is_members else self.receiver.receive_changes
            take(data)
        arrivals = [flight for flight in self.flying if flight[0] <= self.tick]
        self.random.shuffle(arrivals)
        for arrival in arrivals:
            self.flying.remove(arrival)
            _, part, tick = arrival
            if self.receiver.receive_part(part.data) and self.random.random() >= self.loss:
                self.acked.confirm(tick, part.blocks, self.tick)
        return parts

    def check(self) -> int:
        """Compare all states of the receiver with the sent states. Return the number of compared
        rows."""
        compared = 0
        for tick, (slots, numbers) in self.sent.items():
            for row, slot in enumerate(slots):
                decoded = self.receiver.state(tick, np.array([slot]))
                if decoded is not None:
                    assert decoded[0].tolist() == numbers[row].tolist(), (tick, row)
                    compared += 1
        return compared


def moving(count: int, seed: int = 2) -> Any:
    """Yield the values of rows that move evenly, with a few random changes of velocity."""
    rng = np.random.default_rng(seed)
    position = rng.integers(0, 16_000, (count, 2)).astype(np.float64)
    speed = rng.normal(0, 40, (count, 2))
    turn = rng.integers(0, 256, count)
    while True:
        kicked = rng.random(count) < 0.05
        speed[kicked] = rng.normal(0, 60, (int(kicked.sum()), 2))
        position += speed
        turn += rng.integers(-3, 4, count)
        numbers = np.empty((count, 3), np.int32)
        numbers[:, :2] = np.rint(position)
        numbers[:, 2] = (turn % 256).astype(np.int32) << ANGLE
        yield numbers


@pytest.mark.parametrize(("loss", "delay"), [(0.0, 1), (0.2, 4), (0.5, 13)])
def test_a_part_is_decoded_exactly_or_not_at_all(loss: float, delay: int) -> None:
    pipe = Pipe(300, loss, delay)
    states = moving(300)
    for _ in range(40):
        pipe.send(next(states))
    assert pipe.check() > (1 - loss) ** 2 * 300 * 30
    assert np.mean(pipe.sizes[20:]) < 300 * (3.4 + 2 * loss)


def test_the_bytes_of_parts_change_only_with_the_version_of_the_protocol() -> None:
    """If this number changes, `server_messages.PROTOCOL` must change too."""
    pipe = Pipe(300, 0.2, 4)
    states = moving(300)
    checksum = 0
    for _ in range(40):
        for part in pipe.send(next(states)):
            checksum = zlib.crc32(part.data, checksum)
    assert (PROTOCOL, checksum) == (1, 1336747864)


def test_extreme_numbers_are_decoded_exactly() -> None:
    pipe = Pipe(64)
    rng = np.random.default_rng(3)
    for step in range(12):
        numbers = rng.integers(-(1 << 31), 1 << 31, (64, 3)).astype(np.int32)
        numbers[:, 2] = numbers[:, 2] >> ANGLE << ANGLE
        if step % 3 == 0:
            numbers[:, :2] = np.where(numbers[:, :2] > 0, (1 << 31) - 1, -(1 << 31))
        pipe.send(numbers)
    assert pipe.check() == 64 * 11


def test_an_angle_takes_the_short_way_through_zero() -> None:
    pipe = Pipe(16)
    for step in range(20):
        numbers = np.zeros((16, 3), np.int32)
        angle = np.full(16, (250 + 2 * step) % 256, np.uint32)
        numbers[:, 2] = (angle << np.uint32(ANGLE)).view(np.int32)
        pipe.send(numbers)
    assert max(pipe.sizes[4:]) < 60  # the prediction goes through zero, so only zeros are sent
    between = pipe.receiver.at(INTERVAL * 4.5)[:16, 2]
    assert between.tolist() == pytest.approx([(250 + 7) % 256 - 256 * ((250 + 7) % 256 > 127)] * 16)


def test_resting_rows_send_nothing_and_start_to_move_at_once() -> None:
    pipe = Pipe(64, columns=())
    still = next(moving(64))
    for _ in range(12):
        pipe.send(still)
    assert pipe.sizes[6:] == [0] * 6
    moved = still.copy()
    moved[:, 0] += 90
    pipe.send(moved)
    pipe.send(moved)  # the part with the move has arrived
    before = pipe.tick - 2 * INTERVAL
    assert pipe.receiver.at(before)[:64, 0].tolist() == still[:, 0].tolist()
    assert pipe.receiver.at(before + INTERVAL)[:64, 0].tolist() == moved[:, 0].tolist()
    for _ in range(40):
        parts = pipe.send(moved)
    assert sum(size > 0 for size in pipe.sizes[-30:]) <= 2  # a few repeats, in case of loss
    assert parts == [] or parts[0].blocks.size


def test_rows_are_added_and_removed_while_parts_are_lost() -> None:
    columns = [(np.dtype("i2"), ()), (np.dtype("f4"), (2,))]
    pipe = Pipe(50, 0.3, 4, columns)
    rng = np.random.default_rng(5)
    values = {int(number): rng.integers(0, 9999, 3) for number in pipe.ids}
    for step in range(150):
        keep = rng.random(len(pipe.ids)) > 0.03
        new = np.arange(pipe.next_id, pipe.next_id + int(rng.integers(0, 4)), dtype=np.uint32)
        pipe.next_id += len(new)
        order = rng.permutation(int(keep.sum())) if step % 10 == 0 else slice(None)
        pipe.ids = np.concatenate([pipe.ids[keep][order], new])
        pipe.columns = [
            np.concatenate(
                [column[keep][order], rng.integers(0, 99, (len(new), *column.shape[1:]))]
            ).astype(column.dtype)
            for column in pipe.columns
        ]
        for number in new:
            values[int(number)] = rng.integers(0, 9999, 3)
        numbers = np.array([values[int(number)] + 7 * step for number in pipe.ids], np.int32)
        numbers = numbers.reshape(-1, 3)
        numbers[:, 2] <<= ANGLE
        pipe.send(numbers)
        if step > 5:
            pipe.sent.pop(pipe.tick - 40 * INTERVAL, None)
    assert pipe.check() > 300
    pipe.delay = 0
    pipe.send(numbers)
    while pipe.reliable:
        pipe.send(numbers)
    ids_by_slot: dict[int, int] = {}
    stored = [np.zeros((2000, *shape), dtype) for dtype, shape in columns]
    for message in pipe.receiver.take_due(pipe.tick):
        if hasattr(message, "ids"):
            for slot in message.removed.tolist():
                del ids_by_slot[slot]
            ids_by_slot.update(zip(message.added.tolist(), message.ids.tolist(), strict=True))
        else:
            stored[message.column][message.slots] = message.values
    assert sorted(ids_by_slot.values()) == sorted(pipe.ids.tolist())
    slots = pipe.sender.slots
    assert [ids_by_slot[slot] for slot in slots.tolist()] == pipe.ids.tolist()
    for column, values_of_slots in zip(pipe.columns, stored, strict=True):
        assert values_of_slots[slots].tolist() == column.tolist()


def test_a_batch_may_be_empty_and_a_value_may_be_nan() -> None:
    columns = [(np.dtype("f4"), (2,)), (np.dtype(bool), ())]
    sender = RowSender([0, 0, ANGLE], columns, INTERVAL)
    acked = AckedStates(sender.gap)
    no_rows = np.zeros((0, 3), np.int32), [np.zeros((0, 2), "f4"), np.zeros(0, bool)]
    assert sender.update(3, np.zeros(0, np.uint32), *no_rows) == []
    assert sender.parts(acked) == []
    receiver = RowReceiver([0, 0, ANGLE], columns, INTERVAL)
    receiver.receive_members(sender.welcome())
    assert receiver.at(3.5).shape == (0, 3)
    rows = np.zeros((2, 3), np.int32), [np.full((2, 2), np.nan, "f4"), np.ones(2, bool)]
    (members,) = sender.update(6, np.arange(2, dtype=np.uint32), *rows)
    receiver.receive_members(members)
    assert sender.update(9, np.arange(2, dtype=np.uint32), *rows) == []  # NaN did not change
    assert receiver.receive_part(sender.parts(acked)[0].data)
    assert receiver.at(9).tolist()[:2] == [[0.0] * 3] * 2


def test_under_a_limit_urgent_blocks_come_first_and_all_blocks_are_sent() -> None:
    pipe = Pipe(640)
    states = moving(640)
    for _ in range(4):
        pipe.send(next(states))
    urgency = np.zeros(pipe.sender.blocks)
    urgency[7] = 1000.0
    sent_counts = np.zeros(pipe.sender.blocks, int)
    for _ in range(40):
        parts = pipe.send(next(states), priorities=urgency, max_bytes=300)
        blocks = np.concatenate([part.blocks for part in parts])
        urgency += 1
        urgency[blocks] = 0
        urgency[7] += 30
        sent_counts[blocks] += 1
    assert np.mean(pipe.sizes[4:]) < 400  # the sizes are estimated from earlier states
    assert sent_counts[7] > 35
    assert sent_counts.min() >= 1
    assert pipe.check() > 0


@pytest.mark.parametrize(("max_bytes", "expected"), [(30, [0, 1, 2]), (29, [0, 2]), (5, [2])])
def test_the_most_urgent_blocks_that_fit_are_sent(max_bytes: int, expected: list[int]) -> None:
    sender = RowSender((2,))
    sender._bits = np.full(3, 80)  # 10 bytes for each block
    blocks = np.arange(3)
    priorities = np.array([2.0, 1.0, 3.0])
    assert sender._most_urgent(blocks, priorities, max_bytes).tolist() == expected


def test_changed_parts_are_decoded_or_refused_in_bounded_memory() -> None:
    pipe = Pipe(200)
    states = moving(200)
    for _ in range(6):
        parts = pipe.send(next(states))
    data = parts[0].data
    rng = random.Random(4)
    refused = 0
    for _ in range(700):
        bad = bytearray(data)
        for _ in range(rng.choice([1, 1, 3, 20])):
            bad[rng.randrange(len(bad))] = rng.randrange(256)
        if rng.random() < 0.3:
            bad = bad[: rng.randrange(len(bad))]
        try:
            refused += not pipe.receiver.receive_part(bytes(bad))
        except ValueError:
            refused += 1
    assert refused > 230
    assert len(pipe.receiver._states) < 140


@pytest.mark.parametrize("kind", ["members", "changes"])
def test_changed_reliable_messages_are_accepted_or_refused(kind: str) -> None:
    columns = [(np.dtype("u1"), ())]
    sender = RowSender([0, 0], columns)
    numbers = np.zeros((40, 2), np.int32)
    column = np.zeros(40, np.uint8)
    ids = np.arange(40, dtype=np.uint32)
    (members,) = sender.update(1, ids, numbers, [column])
    (changes,) = sender.update(2, ids, numbers, [column + 1])
    data = members if kind == "members" else changes
    rng = random.Random(4)
    for _ in range(800):
        receiver = RowReceiver([0, 0], columns)
        if kind == "changes":
            receiver.receive_members(members)
        bad = bytearray(data)
        for _ in range(rng.choice([1, 2, 9])):
            bad[rng.randrange(len(bad))] = rng.randrange(256)
        take = receiver.receive_members if kind == "members" else receiver.receive_changes
        try:
            take(bytes(bad))
        except ValueError:
            assert receiver.pending == [] or kind == "changes"


@pytest.mark.parametrize("spread", [1, 3, 100, 10**5, 1 << 31])
def test_numbers_of_any_size_are_packed_and_unpacked(spread: int) -> None:
    rng = np.random.default_rng(1)
    for code in range(CODES):
        numbers = rng.integers(-spread, spread, 96).astype(np.int32)
        numbers[rng.random(96) < 0.5] = 0
        codes = np.full(96, code, np.uint8)
        for bounds in ([0, 96], [0, 16, 48, 96], [0, 80, 96]):
            coded = Coded(numbers, code_bases(codes))
            ends = [0, *coded.sizes(16).tolist()]
            heads = [b"%d" % last for last in bounds[1:]]
            packed = coded.packed(bounds, heads)
            for head, whole, (first, last) in zip(
                heads, packed, itertools.pairwise(bounds), strict=True
            ):
                assert whole.startswith(head)
                data = whole.removeprefix(head)
                decoded = golomb_coding.unpacked(data, codes[first:last])
                assert decoded.tolist() == numbers[first:last].tolist()
                bits = ends[last // 16] - ends[first // 16]
                assert 0 <= len(data) * 8 - bits <= 2 * 7
    with pytest.raises(ValueError, match="too few"):
        golomb_coding.unpacked(b"", np.zeros(3, np.uint8))


def test_each_group_of_numbers_has_its_best_code() -> None:
    rng = np.random.default_rng(4)
    rests = np.where(rng.random(480) < 0.02, rng.integers(50, 900, 480), 0)
    noise = rng.normal(0, 12, 480)
    numbers = np.concatenate([rests, noise]).astype(np.int32)
    groups = np.repeat(np.arange(2, dtype=np.uint8), 480)
    codes = golomb_coding.best_codes(numbers, groups, 2)

    def bits(all_codes: Any) -> int:
        return int(Coded(numbers, code_bases(all_codes.take(groups))).sizes(len(numbers))[-1])

    assert codes[0] != codes[1]
    assert bits(codes) <= 1.03 * min(
        bits(np.array([first_code, second_code], np.uint8))
        for first_code in range(CODES)
        for second_code in range(CODES)
    )


def test_the_prediction_is_the_same_for_single_and_several_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(2)
    shape = row_codec.RowShape([0, 0, ANGLE])
    states = rng.integers(-(1 << 20), 1 << 20, (4, 3, shape.step)).astype(np.int32)
    differences = states[:-1] - states[1:]
    runs = [Run(1, (3, 9, 15, 21)), Run(1, (6, 12, 0, 0)), Run(1, (0, 0, 0, 0))]
    for few in (0, 3):  # with one array of weights, and with one number for each run
        monkeypatch.setattr(row_codec, "FEW_RUNS", few)
        together = row_codec.predicted(differences, runs, shape)
        for block, run in enumerate(runs):
            alone = row_codec.predicted(differences[:, block : block + 1], [run], shape)
            assert together[0][block].tolist() == alone[0][0].tolist()
            assert together[1][block].tolist() == alone[1][0].tolist()
    coded = CodedBlocks(np.abs(states[0]), together[1], shape)
    assert len(coded.sizes()) == 3
    for data in coded.packed([0, 1, 3], [b"first", b"second"]):
        assert len(data) > CODE_BYTES + 6


def test_parts_do_not_depend_on_the_number_of_runs_computed_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent_parts = []
    for few in (0, 1, 99):
        monkeypatch.setattr(row_codec, "FEW_RUNS", few)
        monkeypatch.setattr(row_sender, "FEW_RUNS", few)
        pipe = Pipe(200, 0.4, 4)
        states = moving(200)
        rests = next(states).copy()
        parts = []
        for state in range(30):
            numbers = next(states)
            numbers[64:80] = rests[64:80]  # this block rests, so the other blocks have a gap
            if state == 15:  # rows are removed and added
                pipe.ids = np.concatenate([pipe.ids[20:], np.arange(900, 920, dtype=np.uint32)])
            parts += pipe.send(numbers)
        assert pipe.check() > 0
        sent_parts.append([(part.data, part.blocks.tolist()) for part in parts])
    assert sent_parts[0] == sent_parts[1] == sent_parts[2]


def test_the_prediction_uses_an_acceleration_of_two_intervals() -> None:
    shape = row_codec.RowShape([0, 0, ANGLE])
    times = np.array([0, -6, -12, -18])

    def predicted(positions: Any) -> float:
        states = np.tile(positions.astype(np.int32)[:, None, None], (1, 1, shape.step))
        differences = states[:-1] - states[1:]
        delta, _ = row_codec.predicted(differences, [Run(1, (6, 12, 18, 24))], shape)
        return float(delta[0, 0])

    steady = 10.0 * times
    assert predicted(steady) == 60
    curved = steady + times**2
    assert predicted(curved) == pytest.approx(24 + 0.85 * 72, abs=1)  # the last velocity was 24
    kicked = np.where(times < 0, steady, 500)  # a single interval shows no acceleration
    assert predicted(kicked) == 560


def test_uneven_intervals_show_the_same_acceleration() -> None:
    ages = (2, 5, 11, 12)
    first, second, third = (older**2 - newer**2 for newer, older in itertools.pairwise(ages))
    weights = row_codec._weights_of(ages)
    newest = weights[0] * first - weights[2] * second
    before = weights[1] * second - weights[3] * third
    assert newest == pytest.approx(before)
    assert newest != 0
    assert weights[4] == pytest.approx(2 / 3)


def test_parts_have_several_runs_with_gaps() -> None:
    """Resting blocks are left out, and lost parts give blocks states of different ages."""
    pipe = Pipe(800, 0.3, 3)
    states = moving(800)
    resting = next(states)
    is_resting = np.arange(50) % 5 == 0
    sent_counts = np.zeros(50, int)
    for step in range(60):
        numbers = np.where(np.repeat(is_resting, BLOCK)[:, None], resting, next(states))
        for part in pipe.send(numbers):
            if step >= 30:
                sent_counts[part.blocks] += 1
    assert sent_counts[~is_resting].tolist() == [30] * 40
    assert sent_counts[is_resting].max() < 10
    assert pipe.check() > 800 * 10


def test_a_batch_grows_while_states_are_predicted() -> None:
    pipe = Pipe(20, 0.1, 2)
    states = moving(900)
    for step in range(50):
        pipe.ids = np.arange(20 + 15 * step, dtype=np.uint32)
        pipe.send(next(states)[: len(pipe.ids)])
    assert pipe.sender.blocks == -(-len(pipe.ids) // BLOCK)
    assert pipe.check() > 900


def confirmed_one_by_one(acked: AckedStates, tick: int, blocks: Any, now: int, gap: int) -> None:
    """Confirm each block separately: the plain version of `AckedStates.confirm`."""
    gap = max(gap, (now - tick) // 3)
    for block in blocks.tolist():
        if acked.chosen[block, 0] < tick:
            ticks = [tick, *acked._confirmed[block].tolist()][:-1]
            acked._confirmed[block] = ticks
            chosen = [tick]
            while len(chosen) < row_codec.STATES:
                chosen.append(max([each for each in ticks if each <= chosen[-1] - gap], default=0))
            acked.chosen[block] = chosen


@pytest.mark.parametrize("seed", range(20))
def test_confirmed_states_are_equal_for_single_and_several_blocks(seed: int) -> None:
    dice = random.Random(seed)
    count = dice.choice([1, 7, 40])
    together, single = AckedStates(2 * INTERVAL), AckedStates(2 * INTERVAL)
    together.grow(count)
    single.grow(count)
    for step in range(1, 50):
        now = INTERVAL * step
        tick = max(1, now - dice.choice([3, 6, 9, 30]))
        first = dice.randrange(count)
        blocks = np.arange(first, dice.randrange(first, count) + 1)
        if dice.random() < 0.3:
            blocks = blocks[[dice.random() < 0.5 for _ in blocks]]
        together.confirm(tick, blocks, now)
        confirmed_one_by_one(single, tick, blocks, now, 2 * INTERVAL)
        np.testing.assert_array_equal(together.chosen, single.chosen)
        np.testing.assert_array_equal(together._confirmed, single._confirmed)
