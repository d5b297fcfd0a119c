"""Net files: where an engine finds its nets."""
from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from nardy_core._border import _container
from nardy_core.errors import FileFormatError, UnsupportedError
from nardy_core.evaluator import Net
from nardy_core.files import read_bytes

PARTS = ("contact", "race", "small")
SHIPPED = Path(__file__).parent / "data"

Folder: TypeAlias = "str | os.PathLike[str]"
# A folder, or {game: {part: Net or file}}.
NetSource: TypeAlias = "Folder | Mapping[str, Mapping[str, Net | Folder]]"

_LAYOUT = 1  # of the payload in the container
_MAGIC = b"NARDYBIN"
# The widest net that the format allows, on the largest set of features, has less than 10 MiB.
_MOST = 64 << 20


def open_net(path: Folder) -> Net:
    """A net from a file: a checked container, or the bare payload that the trainer keeps.

    Raises FileFormatError (a ValueError) for anything else, a device or more than 64 MiB included,
    and OSError for what cannot be read.
    """
    payload = read_bytes(path, _MOST)
    if payload.startswith(_MAGIC):
        payload = _container.read(path, _container.KIND_NET, _LAYOUT)[0]
    try:
        return Net.from_payload(payload)
    except FileFormatError as error:
        raise FileFormatError(f"{os.fsdecode(path)}: {error}") from None


def save_net(net: Net, path: Folder) -> None:
    """Write a net as a checked container that says how it was made. The file is replaced in one
    step."""
    _container.write(
        path, _container.KIND_NET, _LAYOUT, net.payload(), net.info["provenance"])


def load_nets(game: str, source: NetSource | None) -> dict[str, Net]:
    """The nets of a game by part: "contact", "race" and, where there is one, "small".

    A folder holds `GAME-PART.net`, as those shipped, or `PART.net`, as the trainer writes them.
    Raises UnsupportedError (a RuntimeError) for a game the source has no nets for, ValueError for
    a file that is not what its name says, OSError for one that cannot be read.
    """
    if isinstance(source, Mapping):
        found = {part: net for part, net in source.get(game, {}).items() if part in PARTS}
        where = "the nets given"
    else:
        folder = SHIPPED if source is None else Path(source)
        where = "this installation" if source is None else str(folder)
        files = {part: _file(folder, game, part) for part in PARTS}
        found = {part: path for part, path in files.items() if path}
    nets = {part: net if isinstance(net, Net) else open_net(net) for part, net in found.items()}
    for part, net in nets.items():
        # The small net sifts plays in contact; sets of features differ in the number at their end.
        sees = f"{game.replace('_', '-')}-{'race' if part == 'race' else 'contact'}-"
        if not net.info["features"].startswith(sees):
            given = found[part]
            name = f"nets: {part} of {where}" if isinstance(given, Net) else os.fsdecode(given)
            raise ValueError(f"{name}: is no {part} net of {game}, but one on "
                             f"{net.info['features']}")
    for part in ("contact", "race"):
        if part not in nets:
            raise UnsupportedError(f"nets: {where} has no {part} net of {game}")
    return nets


def _file(folder: Path, game: str, part: str) -> Path | None:
    for name in (f"{game}-{part}.net", f"{part}.net"):
        if (folder / name).is_file():
            return folder / name
    return None
