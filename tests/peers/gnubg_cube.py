"""Runs inside GNU Backgammon (`gnubg -t -q -r -p`): its chances and cube equities.

Reads lines of JSON {id, cube, owner, length, score, crawford, jacoby, beavers, plies} from the file
named in NARDY_CUBE_IN, where the player on roll is player 1, and writes the answers to
NARDY_CUBE_OUT.
"""

import json
import os

import gnubg

CONTEXT = {"cubeful": 1, "plies": 0, "deterministic": 1, "prune": 0, "noise": 0.0}

with open(os.environ["NARDY_CUBE_IN"]) as source, open(os.environ["NARDY_CUBE_OUT"], "w") as out:
    for line in source:
        q = json.loads(line)
        info = gnubg.cubeinfo(
            q["cube"], q["owner"], 1, q["length"], tuple(q["score"]), q["crawford"], 0
        )
        if not q["length"]:
            info.update(jacoby=q["jacoby"], beavers=q["beavers"])
        board = gnubg.positionfromid(q["id"])
        plies = q.get("plies", 0)
        context = {**CONTEXT, "plies": plies, "prune": int(plies > 0)}
        chances = gnubg.evaluate(board, info, context)
        found = gnubg.cfevaluate(board, info, context)
        out.write(json.dumps({"chances": chances, "found": found}) + "\n")
