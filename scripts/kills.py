"""Kills Aloud at random moments while somebody answers, and counts what became of every answer.

    nice python -m scripts.kills                 # 200 kills
    python -m scripts.kills --kills 20 --seed 7 --within 120

Terminal, studio and drills in both, each with the embedded server and with a shared one, which is
killed too. After each kill, everything that was said must be offered or stored; then what is
offered is finished, and must be stored once, with its sound, as given when it was spoken. What
stands in for microphone, engine, hearing and grader is said in ``tests/worlds/scenes.py``.
"""

import argparse
import json
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

from client.core.settings import ClientSettings
from tests.worlds.ports import free_port
from tests.worlds.scenes import SCENES, look_and_finish, note_what_is_said, serve

LONGEST_S: Final = 4.0
"""Each scene is killed within so many seconds after its first sound: some three answers."""
_READY_WITHIN_S: Final = 60.0
_FORK: Final = multiprocessing.get_context("fork")


@dataclass
class Figures:
    """What became of everything, over all kills."""

    kills: int = 0
    said: int = 0
    offered: int = 0
    places: Counter[str] = field(default_factory=Counter)
    stages: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """For people."""
        return [
            f"{self.kills} kills, {self.said} answers and takes said",
            "killed in: " + ", ".join(f"{name} {n}" for name, n in sorted(self.places.items())),
            f"{self.offered} offered again: "
            + ", ".join(f"{name} {n}" for name, n in sorted(self.stages.items())),
            f"{len(self.faults)} faults (lost, doubled, not offered, without sound, other time)",
            *self.faults,
        ]


def main() -> int:
    """Kill as often as asked; the exit status is 1 where anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--within", type=float, default=None, help="seconds for all of it")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.randrange(1 << 30)
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="aloud-kills-") as folder:
        figures = kill_often(Path(folder), options.kills, seed, options.within)
    print("\n".join(figures.lines()))
    print(f"seed {seed}, {time.monotonic() - began_s:.0f} s")
    return 1 if figures.faults else 0


def kill_often(folder: Path, kills: int, seed: int, within_s: float | None = None) -> Figures:
    """Kill scene after scene in random order.

    Args:
        folder: for the data folders, one for each scene.
        kills: how many.
        seed: of the moments and the order.
        within_s: begin no new one after so many seconds; ``None``: no limit.
    """
    rng = random.Random(seed)
    figures = Figures()
    ends_s = None if within_s is None else time.monotonic() + within_s
    places = [(scene, shared) for scene in SCENES for shared in (False, True)]
    order: list[tuple[str, bool]] = []
    while figures.kills < kills and (ends_s is None or time.monotonic() < ends_s):
        if not order:
            order = rng.sample(places, len(places))
        scene, shared = order.pop()
        home = folder / f"{scene}-{shared}".replace(" ", "-")
        _one_kill(home, scene, figures, rng, shared=shared)
    return figures


def _one_kill(
    home: Path, scene: str, figures: Figures, rng: random.Random, *, shared: bool
) -> None:
    home.mkdir(exist_ok=True)
    log = home.with_suffix(".said")
    port = free_port() if shared else 0
    # One address for all kills of a place: an answer goes to the server that it was spoken for.
    name = home.with_suffix(".port")
    if shared and name.exists():
        port = int(name.read_text())
    name.write_text(str(port))
    settings = ClientSettings(home=home, server=f"http://127.0.0.1:{port}" if shared else None)
    server = _begin(serve, settings, port) if shared else None
    if server is not None:
        _wait(lambda: _serves(port))
    said = len(_said(log))

    def play() -> None:
        random.seed(rng.random())
        note_what_is_said(log)
        SCENES[scene](settings)

    player = _begin(play)
    _wait(lambda: len(_said(log)) > said or not player.is_alive())
    time.sleep(rng.uniform(0.0, LONGEST_S))
    victim = "server" if server is not None and rng.random() < 0.3 else "client"
    if server is not None and victim == "server":
        _kill(server)
        time.sleep(rng.uniform(0.0, 1.0))
        server = None
    if not player.is_alive():
        figures.faults.append(f"{scene}: it ended by itself")
    _kill(player)
    if shared and server is None:
        server = _begin(serve, settings, port)
        _wait(lambda: _serves(port))
    found = _in_a_process(lambda: look_and_finish(settings, _said(log)))
    if server is not None:
        _kill(server)
    figures.kills += 1
    figures.places[f"{scene}{', shared server' if shared else ''}"] += 1
    figures.said += len(_said(log)) - said
    figures.offered += found.get("offered", 0)
    figures.stages.update(found.get("stages", []))
    for fault in _FAULTS:
        if found.get(fault):
            figures.faults.append(f"{scene}, {victim} killed, {fault}: {found[fault]}")


_FAULTS: Final = (
    *("error", "lost", "doubled", "not_offered", "failures"),
    *("without_sound", "other_time", "left"),
)


def _said(log: Path) -> list[tuple[str, str, str]]:
    if not log.exists():
        return []
    return [tuple(json.loads(line)) for line in log.read_text().splitlines() if line.endswith("]")]


def _begin(function: Callable[..., None], *arguments: Any) -> Any:
    def run() -> None:
        os.setpgid(0, 0)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 2)
        function(*arguments)

    process = _FORK.Process(target=run, daemon=True)
    process.start()
    return process


def _kill(process: Any) -> None:
    if process.is_alive():
        os.kill(process.pid, signal.SIGKILL)
    process.join()


def _in_a_process(function: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """So that this process opens no database and starts no thread: it is forked again and again."""
    ours, theirs = _FORK.Pipe(duplex=False)

    def run() -> None:
        try:
            theirs.send(function())
        except Exception as error:
            theirs.send({"error": f"{type(error).__name__}: {error}"})

    process = _FORK.Process(target=run)
    process.start()
    found: dict[str, Any] = {"error": "no result within two minutes"}
    if ours.poll(120):
        found = ours.recv()
    _kill(process)
    return found


def _serves(port: int) -> bool:
    """Whether it answers: it listens before, and then a client waits in vain on a busy machine."""
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=1.0).is_success
    except httpx.HTTPError:
        return False


def _wait(condition: Callable[[], bool]) -> None:
    give_up_s = time.monotonic() + _READY_WITHIN_S
    while not condition() and time.monotonic() < give_up_s:
        time.sleep(0.02)


if __name__ == "__main__":
    sys.exit(main())
