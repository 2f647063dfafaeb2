"""Shared states: rows in shared memory, which one process writes and another draws."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import numpy as np
import pytest
from pictures import solid

import framework as fw
from framework.net.plain_values import plain, restored
from framework.net.process_pipe import ProcessPipe
from framework.net.shared_memory import SharedMemory
from framework.net.shared_states import MAX_AHEAD, BatchReader, BatchWriter
from framework.state.rows import table_of


class Pair:
    """A batch that writes its rows, and a batch that reads them, in one process."""

    def __init__(self, make):
        self.sender = make()
        self.receiver = make()
        self.writer = BatchWriter(table_of(self.sender))
        self.reader = BatchReader("batch", table_of(self.receiver))
        self.number = 0
        self.memories = 0
        self.states = []

    def tick(self, write=lambda batch: None, delay=0):
        """Run a tick of the sender, whose state the receiver draws `delay` ticks later."""
        table = table_of(self.sender)
        table.begin_tick(1 / 60)
        write(self.sender)
        table.end_tick()
        released = self.number - 1 - delay
        self.states.append(self.writer.write(self.number, released))
        self.number += 1
        if len(self.states) > delay:
            self.draw(*self.states.pop(0))

    def draw(self, state, new):
        if new is not None:
            self.memories += 1
            memory = SharedMemory.open_file(new.memory.fd, new.size)
            self.reader.use(new._replace(memory=memory))
        table_of(self.receiver).begin_tick(1 / 60)
        self.reader.receive(state)
        table_of(self.receiver).end_tick()

    def check(self):
        for name in ("position", "angle", "scale", "color", "visible", "image", "flip", "layer"):
            sent, received = (
                table_of(batch).column(name) for batch in (self.sender, self.receiver)
            )
            n = len(self.sender)
            assert sent.current(n).tolist() == received.current(n).tolist()
            if sent.interpolated:
                assert sent.previous(n).tolist() == received.previous(n).tolist()
        assert self.sender.ids.tolist() == self.receiver.ids.tolist()


def sprites():
    return fw.SpriteBatch([solid(2, 2), solid(3, 3)], count=5, columns={"hp": 3})


def test_a_reader_has_the_rows_of_the_writer_after_random_changes():
    random = np.random.default_rng(5)
    pair = Pair(sprites)

    def change(batch):
        kind = random.integers(9)
        n = len(batch)
        if kind == 0:
            batch.add(position=random.uniform(0, 9, 2), image=1)
        elif kind == 1 and n:
            batch.remove(random.integers(n, size=2))
        elif kind == 2 and n:
            batch[int(random.integers(n))].remove()
        elif kind == 3:
            batch.extend(int(random.integers(40)), position=(3, 4))
        elif kind == 4 and n:
            batch.teleport(random.integers(n, size=2))
            batch.position += 4
        elif kind == 5:
            batch.color = random.uniform(0, 1, 4)
        elif kind == 6 and n:
            batch[0].scale = 2
            batch.hp[:] += 1
        elif kind == 7:
            batch.position += random.uniform(-1, 1, (n, 2))

    for _ in range(150):
        pair.tick(change)
        pair.check()
        assert pair.sender.hp.tolist() == pair.receiver.hp.tolist()
    assert pair.memories > 2  # the batch has outgrown its first memory


def test_an_unchanged_column_stays_in_its_slot():
    pair = Pair(sprites)
    for _ in range(3):
        pair.tick()
    rest = pair.writer.write(99, 98)[0]
    pair.sender.position += 0  # a read, and a write of the same values
    assert pair.writer.write(100, 99)[0] == rest
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("framework.net.shared_states.differ", lambda a, b: pytest.fail("compared"))
        table_of(pair.sender).begin_tick(1 / 60)
        table_of(pair.sender).end_tick()
        assert pair.writer.write(101, 100)[0] == rest
    pair.sender.angle += 1
    changed = pair.writer.write(102, 101)[0]
    differing = [a != b for a, b in zip(rest[-1], changed[-1], strict=True)]
    assert sum(differing) == 1


def test_a_slot_is_not_written_while_a_state_refers_to_it():
    pair = Pair(sprites)
    expected = []

    def change(batch):
        batch.position += 1
        batch.teleport([1])
        expected.append(batch.position[0].tolist())

    for _ in range(60):
        pair.tick(change, delay=MAX_AHEAD)
        if len(expected) > MAX_AHEAD:
            values = pair.receiver.transforms.position[0].tolist()
            assert values == expected[len(expected) - 1 - MAX_AHEAD]


def test_rows_changed_by_the_receiver_are_replaced_by_those_of_the_sender():
    pair = Pair(sprites)
    pair.tick(lambda batch: batch.remove([1]))
    table = table_of(pair.receiver)
    shot = table.capture()
    pair.tick(lambda batch: batch.add(position=(3, 4)))
    pair.tick()
    for change in (
        lambda: table.restore(shot),
        lambda: pair.receiver.add(position=(5, 5)),
        lambda: pair.receiver.remove([0]),
        lambda: pair.receiver[1].remove(),
        pair.receiver.clear,
    ):
        change()
        pair.tick()
        pair.check()
        pair.tick(lambda batch: batch.position.__iadd__(1))
        pair.check()


def test_clips_arrive_as_the_images_of_their_frames():
    clip = fw.Clip([0, 1], rate=30)
    pair = Pair(lambda: fw.SpriteBatch(fw.Clips([solid(2, 2), solid(3, 3)], walk=clip), count=2))
    pair.sender.play("walk")
    pair.receiver.play("walk")
    values = []
    for _ in range(8):
        pair.tick()
        assert pair.receiver[0].image == pair.sender[0].image
        values.append(pair.receiver[0].image)
    assert set(values) == {0, 1}


def test_batches_with_other_columns_are_an_error():
    pair = Pair(sprites)
    pair.reader = BatchReader("ships", table_of(fw.SpriteBatch(solid(2, 2), columns={"hp": 3.0})))
    with pytest.raises(fw.FrameworkError, match="ships: the columns hp of this batch differ"):
        pair.tick()


def test_meshes_are_shared():
    make = lambda: fw.MeshBatch(fw.Mesh.box())  # noqa: E731
    sender = make()
    receiver = make()
    writer = BatchWriter(table_of(sender))
    reader = BatchReader("boxes", table_of(receiver))
    sender.extend(3)
    state, new = writer.write(0, -1)
    reader.use(new)
    reader.receive(state)
    assert receiver.transforms.rotation.tolist() == [[0, 0, 0, 1]] * 3


# -- torn reads ------------------------------------------------------------------------------------

_WRITER = """
import sys, numpy as np, socket
from framework.net.process_pipe import ProcessPipe
from framework.net.shared_memory import SharedMemory
rows, slots = 40_000, int(sys.argv[2])
pipe = ProcessPipe(socket.socket(fileno=int(sys.argv[1])))
memory = SharedMemory.create(rows * 4 * slots)
pipe.send(("memory", rows), memory.fd)
views = [memory.array(rows * 4 * slot, "f4", (rows,)) for slot in range(slots)]
number = 0
free = list(range(slots))
while not pipe.closed:
    if slots == 1 or free:
        slot = free.pop() if slots > 1 else 0
        number += 1
        for part in range(0, rows, 4000):
            views[slot][part : part + 4000] = number
        if slots > 1:
            pipe.send(("state", slot))
    else:
        pipe.wait(1.0)
    for _, slot in pipe.receive():
        free.append(slot)
"""


def _is_torn(rows):
    """Return whether a slow read returns rows of two states."""
    first = rows[::500].copy()
    os.sched_yield()
    return len(np.unique([first, rows[::500]])) > 1


def _torn_reads(slots, reads):
    """Return how many reads have values of two states, while another process writes."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-c", _WRITER, str(theirs.fileno()), str(slots)]
    with theirs, subprocess.Popen(command, pass_fds=[theirs.fileno()]) as process:
        pipe = ProcessPipe(ours)
        theirs.close()
        torn = count = 0
        views = []
        while count < reads:
            if slots > 1 or not views:
                pipe.wait(5.0)
            for kind, value in pipe.receive():
                if kind == "memory":
                    memory = SharedMemory.open_file(pipe.take_descriptor(), value * 4 * slots)
                    views = [memory.array(value * 4 * i, "f4", (value,)) for i in range(slots)]
                    continue
                count += 1
                torn += _is_torn(views[value])
                pipe.send(("free", value))
            if slots == 1 and views:
                count += 1
                torn += _is_torn(views[0])
                if torn:
                    break  # enough reads
            assert not pipe.closed
        pipe.close()
        process.wait(5)
    return torn


@pytest.mark.skipif(sys.platform == "win32", reason="file descriptors")
def test_reads_are_never_torn_but_those_of_a_single_buffer_are():
    reads = int(os.environ.get("TORN_READS", "500"))
    assert _torn_reads(3, reads) == 0
    assert _torn_reads(1, 1_000_000) > 0


# -- messages --------------------------------------------------------------------------------------


def test_messages_arrive_whole_in_order_and_with_their_file():
    first, two = map(ProcessPipe, socket.socketpair())
    memory = SharedMemory.create(100)
    memory.array(0, "u1", (3,))[:] = 7
    big = bytes(3_000_000)
    first.send(("first", 1.5, None, (True, "x")))
    first.send(("big", big))
    first.send(("file",), memory.fd)
    first.send(("last",))
    received = []
    while len(received) < 4:
        received += two.receive()
        first.flush()
    assert [message[0] for message in received] == ["first", "big", "file", "last"]
    assert received[1][1] == big
    there = SharedMemory.open_file(two.take_descriptor(), 100)
    assert there.array(0, "u1", (4,)).tolist() == [7, 7, 7, 0]
    with pytest.raises(OSError, match="without its file descriptor"):
        two.take_descriptor()
    two.close()
    first.send(("lost",))
    first.send(("lost",))
    assert first.closed
    assert first.receive() == []
    first.close()


def test_plain_values_are_unchanged():
    values = {
        "a": (1, 2.5, None, True, "x", b"y"),
        "b": [np.float32(0.5), np.int64(3), np.bool_(False)],
        "c": np.arange(6, dtype=np.int16).reshape(2, 3),
        "d": {"deep": [(fw.FixedTimestep.fixed,)]},
    }
    back = restored(plain("values", values))
    assert back["a"] == values["a"]
    assert back["b"] == [0.5, 3, False]
    assert list(map(type, back["b"])) == [float, int, bool]
    assert back["c"].tolist() == values["c"].tolist()
    assert back["c"].dtype == np.int16
    with pytest.raises(fw.FrameworkError, match="score: expected numbers, strings"):
        plain("score", [object()])
