"""`nardy job`: what a rollout job has kept, and several made one."""
from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nardy_core.cli.common import OK, Commands, Parser, complain

if TYPE_CHECKING:
    from nardy_core.rollout_store import RolloutStore


def add(commands: Commands) -> None:
    about = "Show and merge what `rollout --job` has kept."
    made = commands.add_parser("job", help=about, description=about)
    actions = made.add_subparsers(dest="action", metavar="ACTION", required=True,
                                  parser_class=Parser)
    about = "The questions of jobs, and how many trials are there."
    info = actions.add_parser("info", help=about, description=about)
    info.add_argument("jobs", nargs="+", metavar="DIR", help="folder of a job, or its file")
    info.add_argument("--format", choices=("text", "jsonl"), default="text",
                      help="of the answer (default text)")
    info.set_defaults(run=_info)
    about = "Add to the first job what the others have; settings and nets must agree."
    merge = actions.add_parser("merge", help=about, description=about)
    merge.add_argument("job", metavar="DIR", help="made where it is missing")
    merge.add_argument("others", nargs="+", metavar="OTHER", help="jobs to take from")
    merge.set_defaults(run=_merge)


def _store(job: str, create: bool = False) -> RolloutStore:
    from nardy_core.rollout_store import RolloutStore

    path = Path(job)
    if create:
        path.mkdir(parents=True, exist_ok=True)
    store = RolloutStore(path if path.is_file() else path / "rollout.sums", create=create)
    if store.damaged:
        complain(f"{store.path}: {store.damaged} damaged bytes passed over")
    return store


def _info(args: argparse.Namespace) -> int:
    for job in args.jobs:
        store = _store(job)
        for asked in store.questions():
            chunks, seconds = store.extent(asked)
            found: dict[str, Any] = {
                "schema": "nardy.job/1", "job": job, "chunks": chunks, "trials": 36 * chunks,
                "seconds": round(seconds, 3), "question": asked}
            if args.format == "jsonl":
                print(json.dumps(found, ensure_ascii=False))
            else:
                roll = "-".join(map(str, asked.get("dice") or ()))
                print(f"{asked.get('position')}  {roll}  {found['trials']} trials, "
                      f"{seconds:.1f} s, seed {asked.get('seed')}, "
                      f"nets {' '.join(str(n)[:8] for n in (asked.get('nets') or {}).values())}")
    return OK


def _merge(args: argparse.Namespace) -> int:
    others = [_store(other) for other in args.others]
    store = _store(args.job, create=True)
    came = sum(store.merge(other) for other in others)
    print(f"{came} chunks added to {store.path}")
    return OK
