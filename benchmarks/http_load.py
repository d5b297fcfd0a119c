"""Speed of `nardy serve http`: the 0-ply plays of a roll, asked for by many clients at once.

    python benchmarks/http_load.py [--clients 1 16 200] [--requests 10000] [--rollout] [--nets DIR]

Starts a server of its own on a free port and asks it over connections that stay open, each client
one question at a time, every roll of the start position in turn. Clients, server and, with
--rollout, a rollout in the same server share the processors of this machine. A refusal (503) is
asked again and counted; any other failure ends the run. Prints, for each number of clients, answers
a second, the time to an answer (median and slowest hundredth) and the server's memory.
"""

import argparse
import asyncio
import contextlib
import json
import subprocess
import sys
import time

ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]


class Client:
    """A connection that stays open; no more of HTTP than the server's answers need."""

    def __init__(self, port):
        self.port = port

    async def __aenter__(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def __aexit__(self, *error):
        self.writer.close()

    async def ask(self, method, path, document=None):
        body = b"" if document is None else json.dumps(document).encode()
        self.writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("ascii").lower().split("\r\n")
        length = next(int(line.split(":")[1]) for line in head
                      if line.startswith("content-length:"))
        return int(head[0].split()[1]), await self.reader.readexactly(length)


@contextlib.contextmanager
def serving(nets=None):
    """The port of a server that runs meanwhile."""
    command = [sys.executable, "-m", "nardy_core", "serve", "http", "--port", "0",
               *(["--nets", nets] if nets else [])]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        line = server.stderr.readline()
        if "listening on" not in line:
            raise SystemExit(line)
        yield int(line.rsplit(":", 1)[1].strip().rstrip("/"))
    finally:
        server.terminate()
        server.wait(30)


async def memory(port):
    async with Client(port) as client:
        _, text = await client.ask("GET", "/metrics")
    return next(float(line.split()[1]) for line in text.decode().splitlines()
                if line.startswith("process_resident_memory_bytes ")) / 1e6


async def load(port, clients, requests):
    """(seconds of each answer, refusals, seconds of all)"""
    times, refused, left = [], 0, iter(range(requests))

    async def work():
        nonlocal refused
        async with Client(port) as client:
            for number in left:
                asked = {"position": "start", "dice": ROLLS[number % len(ROLLS)]}
                began = time.perf_counter()
                while (answer := await client.ask("POST", "/v1/moves", asked))[0] == 503:
                    refused += 1
                    await asyncio.sleep(0.05)
                if answer[0] != 200 or not json.loads(answer[1])["candidates"]:
                    raise SystemExit(f"wrong answer: {answer}")
                times.append(time.perf_counter() - began)

    began = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(clients)))
    return times, refused, time.perf_counter() - began


async def measure(port, arguments):
    if arguments.rollout:
        async with Client(port) as client:
            status, told = await client.ask("POST", "/v1/jobs", {
                "kind": "rollout", "position": "start", "trials": 1_000_000})
            assert status == 202, told
    await load(port, 16, 1000)  # warm
    print(f"memory {await memory(port):.1f} MB")
    for clients in arguments.clients:
        times, refused, seconds = await load(port, clients, arguments.requests)
        times.sort()
        print(f"{clients} clients: {len(times) / seconds:.0f} answers a second, "
              f"median {1e3 * times[len(times) // 2]:.2f} ms, "
              f"slowest hundredth {1e3 * times[int(0.99 * len(times))]:.1f} ms, "
              f"{refused} refused, memory {await memory(port):.1f} MB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 16, 200])
    parser.add_argument("--requests", type=int, default=10_000, help="for each number of clients")
    parser.add_argument("--rollout", action="store_true", help="a rollout runs in the meantime")
    parser.add_argument("--nets", help="folder of nets instead of those shipped")
    arguments = parser.parse_args()
    with serving(arguments.nets) as port:
        asyncio.run(measure(port, arguments))


if __name__ == "__main__":
    main()
