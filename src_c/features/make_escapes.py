"""Writes escapes.h: python3 make_escapes.py > escapes.h

Entry i describes the twelve points ahead of a checker: bit 12 - d of i says that the point d pips
ahead is blocked. Its value is the number of the 36 rolls with which the checker does NOT get past
the block: it cannot come to rest beyond the farthest blocked point among the next six. With
nothing blocked there the value is 0. The checker may use one die or both, a double up to four
times, and touches down on open points only.
"""


def stuck(pattern: int) -> int:
    blocked = {d for d in range(1, 13) if pattern >> (12 - d) & 1}
    need = max((d for d in blocked if d <= 6), default=0)
    if need == 0:
        return 0

    def escapes(steps: tuple[int, ...]) -> bool:
        at = 0
        for die in steps:
            at += die
            if at in blocked:
                return False
            if at > need:
                return True
        return False

    return sum(
        not any(escapes(s) for s in ([(a,) * 4] if a == b else [(a, b), (b, a)]))
        for a in range(1, 7)
        for b in range(1, 7)
    )


if __name__ == "__main__":
    table = [stuck(i) for i in range(4096)]
    print("/* Made by make_escapes.py. */\n/* clang-format off */")
    for i in range(0, 4096, 32):
        print(",".join(map(str, table[i : i + 32])) + ",")
