"""Builds the C core once as a static library and links each border module against it."""

import sys
from pathlib import Path

from setuptools import Extension, setup

CORE = Path("src_c")
ROOMS = ["base", "rules", "features", "nets", "tables", "value", "search", "rollout"]


def sources(rooms: list[str], suffix: str) -> list[str]:
    return sorted(str(p) for room in rooms for p in (CORE / room).glob(f"*.{suffix}"))


CORE_SOURCES = sources(ROOMS, "c")
TRAIN_SOURCES = sources(["train"], "c")
DECLARATIONS = sorted(map(str, Path("nardy_core/_border").glob("*.pxd")))
HEADERS = [*sources([*ROOMS, "train"], "h"), str(CORE / "nardy.h")]
# The compiler never chooses where to round: no contraction, no fast-math, no -march=native.
CFLAGS = ["-std=c11", "-O3", "-ffp-contract=off", "-fvisibility=hidden", "-pthread", "-g1",
          "-D_DEFAULT_SOURCE"]
# The core is written for gcc and clang. On Windows that is mingw-w64, whose stack is not aligned to
# what the wide kernels' aligned moves want.
WINDOWS = sys.platform == "win32"
if WINDOWS:
    CFLAGS.append("-Wa,-muse-unaligned-vector-move")
LINK = ["-static", "-lm"] if WINDOWS else ["-pthread", "-lm"]
COMPILER = {"compiler": "mingw32"}


def border(name: str) -> Extension:
    train = name == "_train"
    return Extension(
        f"nardy_core._border.{name}",
        [f"nardy_core/_border/{name}.pyx", *(TRAIN_SOURCES if train else [])],
        include_dirs=[str(CORE)],
        depends=[*CORE_SOURCES, *HEADERS, *DECLARATIONS],
        # The border proper only converts: no faster at -O3, and a third of the whole build saved.
        # The trainer's loops are compiled like the core.
        extra_compile_args=CFLAGS if train else ["-ffp-contract=off", "-g1", "-O1"],
        extra_link_args=LINK,
    )


core = ("nardy", {
    "sources": CORE_SOURCES,
    "obj_deps": {"": HEADERS},
    "include_dirs": [str(CORE)],
    "cflags": CFLAGS,
})

setup(
    options={"build_clib": COMPILER, "build_ext": COMPILER} if WINDOWS else {},
    libraries=[core],
    ext_modules=[border(p.stem) for p in sorted(Path("nardy_core/_border").glob("*.pyx"))],
)
