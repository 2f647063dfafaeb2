"""Code that is exchanged while it runs."""

from __future__ import annotations

import gc
import sys
import textwrap
import traceback
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from framework.watch.livecode import CannotReload, LiveCode

Make = Callable[..., Any]


class Program:
    """Modules that are made of texts, and are given others."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.live = LiveCode()
        self.names: list[str] = []

    def module(self, text: str, name: str = "livegame") -> Any:
        path = self.folder / f"{name}.py"
        module = types.ModuleType(name)
        module.__file__ = str(path)
        sys.modules[name] = module
        self.names.append(name)
        source = textwrap.dedent(text).encode()
        path.write_bytes(source)
        exec(compile(source, str(path), "exec", dont_inherit=True), vars(module))
        self.live.know(module, source)
        return module

    def change(self, text: str, name: str = "livegame") -> None:
        path = self.folder / f"{name}.py"
        path.write_text(textwrap.dedent(text))
        self.live.reload({str(path): path.read_bytes()})


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    made = Program(tmp_path)
    yield made
    for name in made.names:
        del sys.modules[name]


def test_a_method_is_exchanged_in_its_class_and_in_what_holds_it(program: Program) -> None:
    module = program.module("class A:\n    def f(self): return 1\n    def g(self): return 'g'\n")
    thing, kind = module.A(), module.A
    held, g = thing.f, kind.g
    program.change("class A:\n    def f(self, by=2): return by\n    def g(self): return 'g'\n")
    assert (thing.f(), held(), module.A is kind, kind.g is g) == (2, 2, True, True)


def test_what_is_new_comes_and_what_is_gone_goes(program: Program) -> None:
    module = program.module(
        "class B:\n    def f(self): return 'B'\nclass A(B):\n    def f(self): return 'A'\nold = 1\n"
    )
    thing = module.A()
    program.change(
        """
        class B:
            def f(self): return 'B'
        class A(B):
            def h(self): return super().f() + __class__.__name__ + helper()
        def helper(): return '!'
        """
    )
    assert thing.f() == "B"
    assert thing.h() == "BA!"
    assert not hasattr(module, "old")


def test_a_method_that_begins_to_use_super_finds_the_old_class(program: Program) -> None:
    module = program.module("class B:\n    def f(self): return 1\nclass A(B):\n    def f(self): return 2\n")
    thing = module.A()
    program.change("class B:\n    def f(self): return 1\nclass A(B):\n    def f(self): return super().f() + 10\n")
    assert thing.f() == 11
    program.change("class B:\n    def f(self): return 5\nclass A(B):\n    def f(self): return super().f() + 20\n")
    assert thing.f() == 25
    assert type(thing) is module.A


def test_only_what_was_written_otherwise_gets_its_value_anew(program: Program) -> None:
    text = """
        SPEED = 10
        FAST = SPEED * 2
        seen = []
        class A:
            reach = SPEED + 1
            lives = 3
            def f(self): return SPEED, FAST, self.reach
    """
    module = program.module(text)
    module.seen.append("kept")
    module.A.lives = 99
    program.change(text.replace("10", "20"))
    assert module.A().f() == (20, 40, 21)
    assert module.seen == ["kept"]
    assert module.A.lives == 99


def test_constants_reach_the_modules_that_import_them(program: Program) -> None:
    settings = program.module("SPEED = 1\nOTHER = 2\n", "livesettings")
    module = program.module(
        "from livesettings import SPEED as S, OTHER\nTWICE = S * 2\ndef f(): return S, TWICE, OTHER\n"
    )
    module.OTHER = "mine"
    program.change("SPEED = 5\nOTHER = 2\n", "livesettings")
    assert settings.SPEED == 5
    assert module.f() == (5, 10, "mine")


def test_the_program_is_not_begun_anew(program: Program) -> None:
    begun: list[int] = []
    text = "def run(x): begun.append(x)\nVALUE = 1\nif __name__ == 'livegame':\n    run(VALUE)\nrun(7)\n"
    module = program.module("begun = []\n" + text)
    begun = module.begun
    program.change("begun = []\n" + text.replace("VALUE = 1", "VALUE = 2").replace("run(7)", "run(8)"))
    assert begun == [1, 7]
    assert module.VALUE == 2


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("class A:\n    def f(self): return\n  3\n", SyntaxError),
        ("return 3\n", SyntaxError),
        ("import nothing_of_this_name\nX = 2\n", ModuleNotFoundError),
        ("X = 2\nclass A:\n    def f(self): return 2\nY = 1 / 0\n", ZeroDivisionError),
        ("X = 2\nclass A:\n    __slots__ = ('x',)\n    def f(self): return 2\n", CannotReload),
        ("X = 2\nclass A(int):\n    def f(self): return 2\n", CannotReload),
        ("X = 2\nimport enum\nclass A:\n    def f(self): return 2\nclass E(enum.Enum):\n    ONE = 2\n", CannotReload),
    ],
)
def test_what_cannot_be_taken_over_changes_nothing(program: Program, text: str, error: type[Exception]) -> None:
    module = program.module(
        "import enum\nX = 1\nclass A:\n    def f(self): return 1\nclass E(enum.Enum):\n    ONE = 1\n"
    )
    thing, before = module.A(), dict(vars(module))
    code = module.A.f.__code__
    with pytest.raises(error):
        program.change(text)
    assert vars(module) == before
    assert module.A.f.__code__ is code
    assert thing.f() == 1
    program.change("import enum\nX = 3\nclass A:\n    def f(self): return 3\nclass E(enum.Enum):\n    ONE = 1\n")
    assert (module.X, thing.f()) == (3, 3)


def test_properties_static_and_class_methods_and_data_classes(program: Program) -> None:
    text = """
        from dataclasses import dataclass
        class A:
            @property
            def p(self): return 1
            @staticmethod
            def s(): return 1
            @classmethod
            def c(cls): return cls, 1
            class Inner:
                def f(self): return 1
        @dataclass
        class D:
            x: int = 1
    """
    module = program.module(text)
    thing, inner, held, data = module.A(), module.A.Inner(), module.A.s, module.D()
    program.change(text.replace("return 1", "return 2").replace("cls, 1", "cls, 2").replace("x: int = 1", "x: int = 2"))
    assert (thing.p, thing.s(), held(), thing.c(), inner.f()) == (2, 2, 2, (module.A, 2), 2)
    assert (data.x, module.D().x, isinstance(data, module.D)) == (1, 2, True)


def test_tracebacks_name_the_new_lines(program: Program) -> None:
    text = "def f():\n    raise OverflowError\nclass A:\n    def g(self):\n        f()\n"
    module = program.module(text)
    program.change("# a comment\n\n" + text)
    with pytest.raises(OverflowError) as caught:
        module.A().g()
    assert [(one.lineno, one.line) for one in traceback.extract_tb(caught.tb)][1:] == [
        (7, "f()"),
        (4, "raise OverflowError"),
    ]


def test_five_hundred_reloads_leave_nothing_behind(program: Program) -> None:
    text = "import math\nclass A:\n    k = 0\n    def f(self): return 0\ndef g(): return 0\nLIST = [0]\n"
    module = program.module(text)
    for number in range(20):
        program.change(text.replace("0", str(number % 2)))
    gc.collect()
    before = len(gc.get_objects())
    for number in range(500):
        program.change(text.replace("0", str(number % 2)))
    gc.collect()
    assert len(gc.get_objects()) - before < 50
    assert module.A().f() == module.g() == 1
