"""The training loop: self-play, buffer, fit, nets; every generation ends in a checkpoint.

A run lives in one folder: `state.json` (where it stands), `*.fit` (parameters, optimiser moments
and averages), `labels/` (the buffer), `nets/` (quantised nets of each stage's end), `log.jsonl`.
Killing the process loses at most the generation under way; starting again goes on from the
checkpoint with the same bits as an undisturbed run. A checkpoint counts as a whole once its
`state.json` is there, which has the hashes of the fits that belong to it: they lie beside it as
`*.fit.new` until then, and nothing that the one before needs is taken away earlier.
"""

import hashlib
import itertools
import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from nardy_core import rules
from nardy_core._border import _train
from nardy_core.errors import FileFormatError
from nardy_core.evaluator import BearoffOne, Evaluator, Net, phases_of
from nardy_core.files import read_bytes, write_bytes
from nardy_core.models import SIFT_AHEAD
from nardy_core.nets import save_net
from nardy_core.position import Position
from nardy_core.rules import PRESETS, canonical, preset
from nardy_core.train.buffer import Buffer
from nardy_core.train.recipe import Fit, Recipe, Stage

RACE, CONTACT = 2, 3
JUDGES = 100_000  # positions that say which units of a net matter
NETS = ("contact", "race", "small")
MOST_STATE, MOST_FIT = 1 << 20, 1 << 30  # bytes of state.json and of a fit
_COUNTS = ("stage", "done", "generation", "games")  # in state.json, from 0 on


class Campaign:
    """A recipe being carried out in a folder.

    nets : begin with these, {"contact": Net, "race": Net, "small": Net}, at the stage
        `recipe.refine`, instead of from nothing; of no effect on a run that has begun
    """

    def __init__(
        self,
        recipe: Recipe,
        folder: Path,
        *,
        bearoff: BearoffOne,
        nets: Mapping[str, Net] | None = None,
        threads: int = 1,
        report: Callable[[str], None] = print,
    ):
        self.recipe, self.folder, self.threads, self.report = recipe, folder, threads, report
        start = Position.start(recipe.game, **preset(recipe.game, recipe.rules))
        self.options, self.points = start.rules.codes, rules.points(start.rules)
        self.bearoff = bearoff
        folder.mkdir(parents=True, exist_ok=True)
        self.buffer = Buffer(folder / "labels")
        self.stage, self.done, self.generation, self.games, self.seconds = 0, 0, 0, 0, 0.0
        self.fits: dict[str, _train.Fit] = {}
        state = folder / "state.json"
        if state.exists():
            self._load(self._state(state))
        else:
            self._begin()
            if nets is not None:
                self._take(nets)

    # ---- checkpoints ----------------------------------------------------------------------------

    def _begin(self) -> None:
        r = self.recipe
        first = r.stages[0]
        self.fits = {
            "contact": self._new_fit("contact", first.width),
            "race": self._new_fit("race", r.race_width),
            "small": self._new_fit("small", r.small_width),
        }
        # No opinion at first: with equal values for all positions the return of a game is its
        # plain result, where a random net's opinions would be noise many times larger.
        for fit in self.fits.values():
            params = fit.params(average=False)
            params["w3"][:] = 0.0
            fit.set_params(params)

    def _take(self, nets: Mapping[str, Net]) -> None:
        """Begin with trained nets where the recipe refines them."""
        names = [stage.name for stage in self.recipe.stages]
        self.stage, self.generation = names.index(self.recipe.refine), 2
        for name, fit in self.fits.items():
            info = nets[name].info
            if info["features"] != fit.features or info["outcomes"] != len(self.points):
                raise ValueError(f"{name}: a net on {info['features']}, not {fit.features}")
            made = _train.Fit(info["features"], info["h1"], info["h2"], info["outcomes"],
                              seed=self.recipe.seed + NETS.index(name))
            made.set_params(nets[name].params())
            self.fits[name] = made

    def _new_fit(self, name: str, width: int) -> _train.Fit:
        r = self.recipe
        features = r.race_features if name == "race" else r.contact_features
        return _train.Fit(
            features, width, r.second_layer, len(self.points), seed=r.seed + NETS.index(name)
        )

    def _state(self, path: Path) -> dict[str, Any]:
        """What state.json holds, each entry of its kind; FileFormatError for anything else."""
        try:
            state = json.loads(read_bytes(path, MOST_STATE))
        except FileFormatError:
            raise
        except (ValueError, RecursionError):
            state = None
        if not isinstance(state, dict):
            raise FileFormatError(f"{path}: is not the state of a training run")
        widths, fits = state.get("widths"), state.get("fits", {})
        seconds: Any = state.get("seconds")
        stages = len(self.recipe.stages)
        whole = {
            "game": isinstance(state.get("game"), str),
            "rules": isinstance(state.get("rules", ""), str),
            "seed": type(state.get("seed")) is int,
            **{name: _is_count(state.get(name)) for name in (*_COUNTS, "oldest")
               if name in state or name != "oldest"},
            "seconds": type(seconds) in (int, float) and 0 <= seconds < 1e15,
            "widths": isinstance(widths, dict) and all(_is_count(widths.get(n)) for n in NETS),
            "fits": isinstance(fits, dict) and all(
                fits.get(n) is None or isinstance(fits[n], str) for n in NETS),
        }
        for name, right in whole.items():
            if not right:
                raise FileFormatError(f"{path}: {name}: is missing or of another kind")
        if state["stage"] > stages:
            raise FileFormatError(f"{path}: stage: {state['stage']} is not in 0..{stages}")
        return state

    def _load(self, state: dict[str, Any]) -> None:
        r = self.recipe
        if state["game"] != r.game or state["seed"] != r.seed:
            raise ValueError(
                f"{self.folder}: holds a run of {state['game']} with seed "
                f"{state['seed']}, not {r.game} with seed {r.seed}"
            )
        asked = canonical(r.game, r.rules)
        try:
            held = canonical(r.game, state.get("rules", ""))
        except ValueError as error:
            raise FileFormatError(f"{self.folder / 'state.json'}: {error}") from None
        if held != asked:
            default = next(iter(PRESETS[r.game]))
            raise ValueError(f"{self.folder}: holds a run by the rules {held or default}, "
                             f"not {asked or default}")
        self.stage, self.done = state["stage"], state["done"]
        self.generation, self.games = state["generation"], state["games"]
        self.seconds = state["seconds"]
        widths = state["widths"]
        self._begin()
        for name in NETS:
            data = self._kept(name, state.get("fits", {}).get(name))
            try:
                self.fits[name] = self._new_fit(name, widths[name])
                self.fits[name].load_state(data)
            except ValueError as error:
                raise FileFormatError(f"{self._file(name)}: of width {widths[name]}, as state.json "
                                      f"has it: {error}") from None
        self.buffer.load(state.get("oldest", 0), self.generation)

    def _kept(self, name: str, wanted: str | None) -> bytes:
        """The fit that belongs to the state: its hash says whether it still has its first name."""
        for path in (self._file(name, new=True), self._file(name)):
            if path.exists():
                data = read_bytes(path, MOST_FIT)
                if wanted in (None, _hash(data)):
                    return data
        raise FileFormatError(f"{self._file(name)}: is not that of the checkpoint in state.json")

    def _file(self, name: str, *, new: bool = False) -> Path:
        return self.folder / (f"{name}.fit.new" if new else f"{name}.fit")

    def _save(self) -> None:
        hashes = {}
        for name, fit in self.fits.items():
            data = fit.state()
            hashes[name] = _hash(data)
            write_bytes(self._file(name, new=True), data)
        state = {
            "game": self.recipe.game,
            "rules": self.recipe.rules,
            "seed": self.recipe.seed,
            "stage": self.stage,
            "done": self.done,
            "generation": self.generation,
            "games": self.games,
            "seconds": self.seconds,
            "widths": {name: fit.shape[1] for name, fit in self.fits.items()},
            "fits": hashes,
            "oldest": self.buffer.oldest,
        }
        write_bytes(self.folder / "state.json", json.dumps(state, indent=1).encode())
        for name in self.fits:
            os.replace(self._file(name, new=True), self._file(name))
        self.buffer.forget()

    # ---- the loop -------------------------------------------------------------------------------

    def net(self, name: str) -> Net:
        """The averaged weights of a fit as a playing net."""
        fit = self.fits[name]
        text = json.dumps(
            {
                "made_by": "nardy train",
                "game": self.recipe.game,
                **({"rules": self.recipe.rules} if self.recipe.rules else {}),
                "net": name,
                "generation": self.generation,
                "seed": self.recipe.seed,
                "core_seconds": round(self.seconds),
            }
        )
        return Net.from_params(fit.features, **fit.params(), provenance=text)

    def evaluator(self, *, preselect: bool = True) -> Evaluator:
        small = {"contact": self.net("small")} if preselect and self.generation > 1 else None
        playing = {"contact": self.net("contact"), "race": self.net("race")}
        return Evaluator(
            self.recipe.game,
            playing,
            small=small,
            bearoff=self.bearoff,
            options=self.options,
            points=self.points,
            keep=self.recipe.keep if small else 0,
            within=self.recipe.within,
            sift=SIFT_AHEAD[self.recipe.game] if small else 0,
        )

    def run(self, until: float | None = None, stages: int | None = None) -> None:
        """Go on until the recipe ends, or its first `stages` are done, or no new generation begins
        after `until`, a time of time.monotonic()."""
        while self.stage < len(self.recipe.stages[:stages]):
            stage = self.recipe.stages[self.stage]
            if self.done == 0:
                self._widen(stage)
            while self.done < stage.generations:
                if until is not None and time.monotonic() >= until:
                    return
                self._generation(stage)
            self.export(f"{self.stage:02d}-{stage.name.replace(' ', '-')}")
            self.stage, self.done = self.stage + 1, 0
            self._save()

    def _generation(self, stage: Stage) -> None:
        t0, c0 = time.monotonic(), time.process_time()
        samples, stats = self._play(stage)
        t1 = time.monotonic()
        self.generation += 1
        self.buffer.add(self.generation - 1, samples, stage.window)
        fitted = self._fit_all(stage)
        self.done += 1
        self.seconds += time.process_time() - c0
        self._save()
        line = {
            "generation": self.generation,
            "stage": stage.name,
            "width": self.fits["contact"].shape[1],
            "labels": len(samples),
            "buffer": len(self.buffer),
            "play_s": round(t1 - t0, 1),
            "fit_s": round(time.monotonic() - t1, 1),
            "core_s": round(self.seconds),
            **stats,
            **fitted,
        }
        with open(self.folder / "log.jsonl", "a") as f:
            f.write(json.dumps(line) + "\n")
        self.report(
            " ".join(
                f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in line.items()
            )
        )

    def _widen(self, stage: Stage) -> None:
        contact = self.fits["contact"]
        if stage.width > contact.shape[1]:
            self.fits["contact"] = contact.widen(stage.width, seed=self.recipe.seed)
        if stage.warmup and len(self.buffer):
            stats = self._fit("contact", self._phase(CONTACT), stage.warmup)
            self.report(f"warm-up of {stage.name} at width {stage.width}: {stats}")

    def _play(self, stage: Stage) -> tuple[np.ndarray, dict[str, Any]]:
        evaluator = self.evaluator()
        parts: list[np.ndarray] = []
        total = 0
        sums: dict[str, float] = {}
        while total < stage.labels:
            # Few games at first, then as many as are missing: a generation has about `labels`.
            games = (
                32
                if not parts
                else max(
                    32, min(2048, int((stage.labels - total) / max(total / sums["games"], 1) + 1))
                )
            )
            part, stats = _train.selfplay(
                evaluator, asdict(stage.play), self.recipe.seed, self.games, games, self.threads
            )
            self.games += games
            parts.append(part)
            total += len(part)
            for key, value in stats.items():
                sums[key] = sums.get(key, 0) + value
        # Group numbers of the parts must not meet.
        for a, b in itertools.pairwise(parts):
            b["group"] += a["group"][-1] + 1
        samples = np.concatenate(parts)
        return samples, {**self._strength(evaluator, samples), **_corrections(sums)}

    def _strength(self, evaluator: Evaluator, samples: np.ndarray) -> dict[str, Any]:
        """`own`: mean loss (points x 1000) of the static choice among the labelled candidates of a
        decision, by labels this net has not been fitted to. A net without opinions is an error."""
        boards = np.ascontiguousarray(samples["board"])
        points = np.array(self.points)
        static = -(evaluator.evaluate(boards) @ points)
        if self.generation and static.std() < 1e-3:
            raise RuntimeError(f"{self.folder}: the net values all positions alike; lower `lr`")
        label = -(samples["target"][:, : len(points)] @ points)
        first = np.flatnonzero(np.diff(samples["group"], prepend=-1))
        sizes = np.diff(first, append=len(samples))
        best = np.maximum.reduceat(label, first)
        top = np.maximum.reduceat(static, first).repeat(sizes)
        picked = np.maximum.reduceat(np.where(static == top, label, -np.inf), first)
        return {
            "own": 1000 * float((best - picked)[sizes > 1].mean()) if (sizes > 1).any() else 0.0
        }

    def _phase(self, phase: int) -> np.ndarray:
        samples = self.buffer.all()
        wanted: np.ndarray = phases_of(self.recipe.game, samples["board"]) == phase
        chosen: np.ndarray = samples[wanted]
        return chosen

    def _fit(self, name: str, samples: np.ndarray, plan: Fit) -> dict[str, Any]:
        return self.fits[name].run(
            samples,
            self.points,
            plan.steps,
            batch=plan.batch,
            lr=(plan.lr, plan.lr_end),
            ema=plan.ema,
            difference=plan.difference,
            seed=self.recipe.seed + self.generation,
            threads=self.threads,
        )

    def _fit_all(self, stage: Stage) -> dict[str, Any]:
        out: dict[str, Any] = {}
        contact, race = self._phase(CONTACT), self._phase(RACE)
        if stage.width < self.fits["contact"].shape[1]:
            boards = np.ascontiguousarray(contact["board"][:: -(-len(contact) // JUDGES)])
            self.fits["contact"] = self.fits["contact"].narrow(stage.width, boards)
        stats = self._fit("contact", contact, stage.fit)
        out["rms"], out["diff"] = stats["equity_error"], stats["difference_error"]
        if len(race):
            plan = Fit(stage.race_steps, stage.race_lr, stage.race_lr / 10)
            out["race_rms"] = self._fit("race", race, plan)["equity_error"]
        plan = Fit(stage.small_steps, stage.small_lr, stage.small_lr / 10)
        out["small_rms"] = self._fit("small", contact, plan)["equity_error"]
        return out

    def export(self, label: str) -> Path:
        """Write the nets of this moment as net files under nets/<label>/."""
        folder = self.folder / "nets" / label
        folder.mkdir(parents=True, exist_ok=True)
        for name in NETS:
            save_net(self.net(name), folder / f"{self.recipe.game}-{name}.net")
        return folder


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**31


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _corrections(sums: dict[str, float]) -> dict[str, Any]:
    """Mean label correction by kind of start: how far bootstrapped labels are off."""
    out: dict[str, Any] = {"games": int(sums["games"]), "plies": int(sums["plies"])}
    for kind in ("opening", "scrambled", "staged"):
        n = sums[f"corrections_{kind}"]
        if n:
            out[f"bias_{kind}"] = sums[f"correction_{kind}"] / n
            out[f"noise_{kind}"] = (sums[f"correction_sq_{kind}"] / n) ** 0.5
    return out
