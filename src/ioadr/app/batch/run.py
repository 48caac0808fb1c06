"""A batch from its items to its summary."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from ioadr.app.batch.cluster import Team, TeamLost, check_library, connected, local_team, remote_team
from ioadr.app.batch.earlier import check_store, earlier_outcome, sole_owner
from ioadr.app.batch.items import Item, Outcome, Settings, failed, left
from ioadr.app.batch.jobs import Job, item_job, tiled_job, video_job
from ioadr.app.batch.loop import Loop
from ioadr.app.batch.progress import Watch, watching
from ioadr.app.batch.sizing import CLIENT, PIECES, Crew, Need, check_need, choose_crew, machine_memory, need_of
from ioadr.app.batch.storage import Store, input_fingerprint, is_url
from ioadr.app.batch.summary import Summary
from ioadr.app.batch.video import gains, segments, video_keys
from ioadr.app.batch.work import prepare
from ioadr.app.terminal import Terminal
from ioadr.errors import InputError


@dataclass(frozen=True)
class Manner:
    """Options of a batch run."""

    scheduler: str | None = None
    workers: int | None = None
    threads: int | None = None
    memory: int | None = None
    """Bytes for everything on this machine."""
    resume: bool = False
    overwrite: bool = False
    attempts: int = 3
    """Number of workers that may die on an item before it is given up."""
    keyframes: int = 24
    dashboard: bool = False
    """Whether Dask serves its pages about the run."""


class Batch:
    """One run."""

    def __init__(self, terminal: Terminal, items: Sequence[Item], settings: Settings, manner: Manner) -> None:
        self.terminal, self.items, self.manner = terminal, items, manner
        self.settings = replace(settings, topic=f"ioadr-{secrets.token_hex(4)}")
        self.store = Store(settings.out)
        self.segments = segments(items, manner.keyframes) if items[0].video is not None else []
        self.outcomes: dict[str, Outcome] = {}
        self.keys: dict[str, str] = {}
        self.needs: dict[str, Need] = {}
        self.team_text = ""

    def run(self, finish: Callable[[Summary], None]) -> None:
        """Run the batch. `finish` receives the summary, even after an interrupt or the loss of all workers."""
        begin = time.monotonic()
        check_store(self.store, self.items, self.manner.resume or self.manner.overwrite)
        with sole_owner(self.store):
            try:
                self._prepare()
                if self._todo():
                    with connected():
                        self._work()
            except KeyboardInterrupt:
                finish(self._summary(begin, "the batch was interrupted"))
                raise
            except TeamLost as error:
                self.terminal.note(f"stopped: {error}; continue with --resume")
                finish(self._summary(begin, str(error)))
                return
            finish(self._summary(begin))

    def _prepare(self) -> None:
        """Compute fingerprints and keys, find finished items, and measure the memory of all others."""
        with self.terminal.busy("examining the light fields"), ThreadPoolExecutor(8) as pool:
            prints = dict(pool.map(self._fingerprint, self.items))
            self._make_keys({name: text for name, text in prints.items() if text is not None})
            if self.manner.resume:
                earlier = pool.map(lambda i: earlier_outcome(self.store, i, self.keys[i.name]), self._todo())
                self.outcomes |= {outcome.name: outcome for outcome in earlier if outcome is not None}
            list(pool.map(self._measure, self._todo()))

    def _todo(self) -> list[Item]:
        return [item for item in self.items if item.name not in self.outcomes]

    def _fingerprint(self, item: Item) -> tuple[str, str | None]:
        try:
            if item.problem is not None:
                raise InputError(item.problem)
            return item.name, input_fingerprint(item.path)
        except InputError as error:
            self.outcomes[item.name] = failed(item, error.for_command_line())
            return item.name, None

    def _make_keys(self, prints: dict[str, str]) -> None:
        if not self.segments:
            self.keys = {i.name: self.settings.key(i, prints[i.name]) for i in self.items if i.name in prints}
            return
        for segment in self.segments:
            usable = replace(segment, frames=[frame for frame in segment.frames if frame.name in prints])
            self.keys |= video_keys(usable, self.settings, prints)

    def _measure(self, item: Item) -> None:
        """Memory and time that the item needs; unknown for a URL until a worker has fetched it."""
        try:
            if not is_url(item.path):
                self.needs[item.name] = need_of(
                    item.path, item.reading, self.settings.parameters, self.settings.every_view
                )
            elif self.settings.tiles is not None:
                raise InputError(f"{item.path}: --tiles needs a file or folder, not a URL. Copy it first.")
        except InputError as error:
            self.outcomes[item.name] = failed(item, error.for_command_line(), self.keys[item.name])

    def _work(self) -> None:
        check_library()
        with self._team() as team:
            memory = team.memory()
            self._refuse_too_large(memory)
            self.team_text = team.describe()
            self.terminal.note(f"{len(self._todo())} items for {self.team_text}" + self._dashboard(team))
            if team.local:
                # Whatever goes wrong here goes wrong for an item again, and is told there.
                team.client.submit(prepare, self.settings.parameters).exception()
            with watching(self.terminal, len(self.items), len(self.outcomes)) as watch:
                team.client.subscribe_topic(self.settings.topic, watch.heard)
                Loop(team, watch.begun, watch.tick).run(self._jobs(memory, watch))

    def _team(self) -> AbstractContextManager[Team]:
        if self.manner.scheduler is not None:
            return remote_team(self.manner.scheduler)
        crew = self._crew()
        self.settings = replace(self.settings, threads=crew.threads)
        return local_team(crew, self.manner.attempts, self.manner.dashboard)

    def _crew(self) -> Crew:
        """Workers for the remaining items that fit into this machine."""
        budget = self.manner.memory or machine_memory()
        self._refuse_too_large(budget - CLIENT)
        seconds, largest = [], 0
        for item in self._todo():
            need = self.needs.get(item.name)
            if need is None:
                seconds.append(1.0)
            elif self._is_tiled(need, budget - CLIENT):
                seconds += [need.seconds / PIECES] * PIECES
                largest = max(largest, need.result)
            else:
                seconds.append(need.seconds)
                largest = max(largest, need.bytes)
        chains = [1.0] * len(self.segments) if self.settings.warm else seconds
        return choose_crew(chains or [1.0], largest, budget, self.manner.workers, self.manner.threads)

    def _refuse_too_large(self, memory: int | None) -> None:
        for item in self._todo():
            need = self.needs.get(item.name)
            try:
                if need is not None and self.settings.tiles is None:
                    check_need(item.path, need.bytes, memory)
            except InputError as error:
                self.outcomes[item.name] = failed(item, error.for_command_line(), self.keys[item.name])

    def _is_tiled(self, need: Need, memory: int | None) -> bool:
        if self.settings.tiles is None:
            return False
        wanted = 0 < self.settings.tiles < max(need.height, need.width)
        return wanted or (memory is not None and need.bytes > memory)

    def _jobs(self, memory: int | None, watch: Watch) -> Iterator[Job]:
        def record(outcome: Outcome) -> None:
            self.outcomes[outcome.name] = outcome
            watch.ended(outcome)

        todo = self._todo()
        if self.segments:
            finished = {name for name, outcome in self.outcomes.items() if outcome.finished}
            usable = finished | {item.name for item in todo}
            for segment in self.segments:
                frames = [frame for frame in segment.frames if frame.name in usable]
                yield video_job(frames, self.keys, finished, self.settings, record)
            return
        # The longest first: a short one at the end keeps fewer workers waiting.
        length = {name: need.seconds for name, need in self.needs.items()}
        for item in sorted(todo, key=lambda item: -length.get(item.name, 0.0)):
            need = self.needs.get(item.name)
            if need is not None and self._is_tiled(need, memory):
                yield tiled_job(item, self.keys[item.name], self.settings, need, memory, record)
            else:
                yield item_job(item, self.keys[item.name], self.settings, record)

    def _summary(self, begin: float, stopped: str = "") -> Summary:
        """The summary; `stopped` says why items are unfinished."""
        for item in self._todo():
            key = self.keys.get(item.name, "")
            # It may have been finished just before the end, without having been told.
            earlier = earlier_outcome(self.store, item, key)
            reason = f"{stopped}; continue with --resume"
            self.outcomes[item.name] = replace(earlier, state="done") if earlier else left(item, reason, key)
        ordered = [self.outcomes[item.name] for item in self.items]
        videos = gains(self.segments, self.outcomes, self.settings) if self.segments else []
        return Summary(ordered, time.monotonic() - begin, self.team_text, videos)

    def _dashboard(self, team: Team) -> str:
        return f"; dashboard at {team.dashboard}" if team.dashboard else ""
