"""The latest labels, kept in memory and on disk: one file a generation."""

import tokenize
from pathlib import Path

import numpy as np

from nardy_core._border._train import SAMPLE
from nardy_core.errors import FileFormatError
from nardy_core.files import write_atomically


class Buffer:
    """Samples of the last generations, at most `limit`; groups stay contiguous and unique.

    Files that are too old stay until `forget`: a checkpoint made before may need them.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.parts: list[tuple[int, np.ndarray]] = []
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def oldest(self) -> int:
        """The first generation of which there are samples; 0 where there are none."""
        return self.parts[0][0] if self.parts else 0

    def load(self, first: int, upto: int) -> None:
        """Take up the files of generations from `first` on and below `upto`, oldest first.
        FileFormatError for one that does not hold labels."""
        for generation, path in self._files():
            if first <= generation < upto:
                self.parts.append((generation, _samples(path)))

    def _files(self) -> list[tuple[int, Path]]:
        """Those that are named by a generation, oldest first."""
        return sorted((int(path.stem), path) for path in self.folder.glob("*.npy")
                      if path.stem.isascii() and path.stem.isdigit())

    def add(self, generation: int, samples: np.ndarray, limit: int) -> None:
        write_atomically(
            self.folder / f"{generation:06d}.npy", lambda f: np.save(f, samples, allow_pickle=False)
        )
        self.parts.append((generation, samples))
        while len(self.parts) > 1 and len(self) - len(self.parts[0][1]) >= limit:
            self.parts.pop(0)

    def forget(self) -> None:
        """Remove the files of generations before the oldest."""
        for generation, path in self._files():
            if generation < self.oldest:
                path.unlink()

    def __len__(self) -> int:
        return sum(len(p) for _, p in self.parts)

    def all(self) -> np.ndarray:
        """One array; groups renumbered so that generations do not share one."""
        if not self.parts:
            return np.empty(0, SAMPLE)
        out = np.concatenate([p for _, p in self.parts])
        first = np.ones(len(out), bool)
        sizes = np.cumsum([len(p) for _, p in self.parts])[:-1]
        first[1:] = out["group"][1:] != out["group"][:-1]
        first[sizes] = True
        out["group"] = np.cumsum(first)
        return out


def _samples(path: Path) -> np.ndarray:
    try:
        found = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, TypeError, SyntaxError, tokenize.TokenError):
        found = None
    if not isinstance(found, np.ndarray) or found.dtype != SAMPLE or found.ndim != 1:
        raise FileFormatError(f"{path}: does not hold labels of training, or is damaged")
    return found
