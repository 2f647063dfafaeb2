"""Build the native sound library: wheels for all systems, or the library for this computer.

    python native/build.py               all wheels, into native/dist (needs the package ziglang)
    python native/build.py --here DIR    the library for this computer, into a folder

This module is also the build backend of `pip install ./native`.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
SOURCES = sorted((FOLDER / "src").glob("*.c"))
# A product and a sum must not be fused, so that the result has the same bits on all computers.
FLAGS = ["-std=c11", "-O3", "-ffp-contract=off", "-fvisibility=hidden", "-Wall", "-Wextra"]
# The targets of the zig compiler, each with the tag of its wheel and the suffix of its library.
TARGETS = {
    "x86_64-linux-gnu.2.17": ("manylinux_2_17_x86_64.manylinux2014_x86_64", "so"),
    "aarch64-linux-gnu.2.17": ("manylinux_2_17_aarch64.manylinux2014_aarch64", "so"),
    "x86_64-linux-musl": ("musllinux_1_1_x86_64", "so"),
    "aarch64-linux-musl": ("musllinux_1_1_aarch64", "so"),
    "x86_64-macos.11.0": ("macosx_11_0_x86_64", "dylib"),
    "aarch64-macos.11.0": ("macosx_11_0_arm64", "dylib"),
    "x86_64-windows-gnu": ("win_amd64", "dll"),
    "aarch64-windows-gnu": ("win_arm64", "dll"),
}


def compiler() -> list[str] | None:
    """Return the command of a C compiler on this computer, or None if there is no compiler."""
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "cc"]
    command = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    command = command or shutil.which("clang")
    return command.split() if command else None


def build(command: list[str], library: Path) -> None:
    """Compile all source files into a shared library."""
    library.parent.mkdir(parents=True, exist_ok=True)
    position = [] if library.suffix == ".dll" else ["-fPIC"]
    output = ["-shared", "-s", "-o", str(library)]
    subprocess.run([*command, *FLAGS, *position, *output, *map(str, SOURCES)], check=True)
    for ending in (".lib", ".pdb"):  # on Windows
        library.with_suffix(ending).unlink(missing_ok=True)


def ending_here() -> str:
    """Return the suffix of shared libraries on this computer."""
    return {"Windows": "dll", "Darwin": "dylib"}.get(platform.system(), "so")


def build_here(folder: Path) -> Path:
    """Build the library for this computer in a folder, and return its path."""
    command = compiler()
    if command is None:
        raise SystemExit("There is no C compiler. Install one: pip install ziglang")
    library = folder / f"subtick_sound.{ending_here()}"
    build(command, library)
    return library


def wheel(library: Path, tag: str, folder: Path) -> Path:
    """Write a wheel that contains the library into a folder, and return its path.

    If the library is the same, the bytes of the wheel are the same too.
    """
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name = f"subtick_sound-{project['version']}"
    metadata = (
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
        f"Summary: {project['description']}\nLicense: {project['license']}\n"
        f"Requires-Python: {project['requires-python']}\nDescription-Content-Type: text/markdown\n\n"
    )
    tags = "".join(f"Tag: py3-none-{part}\n" for part in tag.split("."))
    about = f"Wheel-Version: 1.0\nGenerator: subtick-sound\nRoot-Is-Purelib: false\n{tags}"
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    package = FOLDER / "subtick_sound" / "__init__.py"
    files = {
        "subtick_sound/__init__.py": package.read_bytes(),
        f"subtick_sound/{library.name}": library.read_bytes(),
        f"{name}.dist-info/METADATA": (metadata + readme).encode(),
        f"{name}.dist-info/WHEEL": about.encode(),
    }
    record = "".join(f"{path},{_digest(data)},{len(data)}\n" for path, data in files.items())
    files[f"{name}.dist-info/RECORD"] = f"{record}{name}.dist-info/RECORD,,\n".encode()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-py3-none-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, data in files.items():
            info = zipfile.ZipInfo(file, (2020, 1, 1, 0, 0, 0))
            info.external_attr = 0o644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return path


def _digest(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"sha256={digest}"


def build_wheel(
    wheel_directory: str,
    config_settings: dict[str, str] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Build a wheel for this computer. pip calls this function."""
    tag = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    with tempfile.TemporaryDirectory() as folder:
        return wheel(build_here(Path(folder)), tag, Path(wheel_directory)).name


def all_wheels(folder: Path) -> list[Path]:
    """Build the wheels for all systems with the zig compiler, and return their paths."""
    if not importlib.util.find_spec("ziglang"):
        raise SystemExit("The wheels need the compiler zig: pip install ziglang")
    wheels = []
    with tempfile.TemporaryDirectory() as temporary:
        for target, (tag, ending) in TARGETS.items():
            library = Path(temporary) / target / f"subtick_sound.{ending}"
            build([sys.executable, "-m", "ziglang", "cc", "-target", target], library)
            wheels.append(wheel(library, tag, folder))
            print(f"{wheels[-1].name}: {library.stat().st_size / 1024:.0f} kB library")
    return wheels


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--here", type=Path, metavar="DIR", help="build only for this computer")
    here = parser.parse_args().here
    if here is None:
        all_wheels(FOLDER / "dist")
    else:
        print(build_here(here))
