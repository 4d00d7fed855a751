"""The HTML page: it needs nothing, shows what the results say, and takes names for text."""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser
from itertools import combinations
from random import Random

import pytest

from cutpurse_server.matches.events import Cause
from cutpurse_server.reports import page_of
from cutpurse_server.reports.gathering import BotUse, Fault
from tests.server.reports.made_up import made_up_report
from tests.server.tournaments.simulated import block_of, by_strength, round_robin

BOTS = ["anna", "bert", "carla", "dora", "emil"]
EVIL = ["<script>alert(1)</script>", '"onload="x', "a&b", "</title><b>", "'>"]


class Tags(HTMLParser):
    """Checks that tags are closed in their order, and collects texts and attributes."""

    OPEN_ENDED = frozenset({"meta", "circle", "rect", "line", "wbr"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.texts: list[str] = []
        self.goes_on = False
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.attributes += attrs
        # A long name may be broken, and is one name all the same.
        self.goes_on = tag == "wbr"
        if tag not in self.OPEN_ENDED:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.goes_on:
            self.texts[-1] += data
        else:
            self.texts.append(data)
        self.goes_on = False


def page(bots: list[str], players: int = 3, rounds: int = 2, uses: dict[str, BotUse] | None = None) -> str:
    strengths = {bot: 1.5**number for number, bot in enumerate(bots)}
    blocks = round_robin(bots, players, rounds, by_strength(strengths), Random(4))
    return page_of(made_up_report(bots, players, blocks, uses))


def test_the_page_is_whole_and_needs_nothing_from_elsewhere() -> None:
    written = page(BOTS)

    tags = Tags(written)

    assert tags.open == []
    assert not tags.seen & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    assert not re.search(r"://|url\(|@import|javascript:", written)
    assert not any(name.startswith("on") or name in ("src", "href") for name, _ in tags.attributes)


def test_the_page_fits_a_telephone_and_the_dark() -> None:
    written = page(BOTS)

    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in written
    assert "prefers-color-scheme: dark" in written
    assert written.count('<div class="scroll">') == written.count("<table")
    strips = re.findall(r"<svg [^>]*>", written)
    assert strips
    assert not any("width=" in strip or "viewBox" in strip for strip in strips), "as wide as the page gives"


def test_names_are_text_whatever_they_hold() -> None:
    tags = Tags(page(EVIL))

    assert tags.open == []
    assert "script" not in tags.seen
    assert "b" not in tags.seen
    assert not any(name.startswith("on") for name, _ in tags.attributes)
    assert {text for text in tags.texts if text in EVIL} == set(EVIL)


def test_names_are_text_in_flags_too() -> None:
    bots = EVIL[:3]
    uses = {bot: BotUse() for bot in bots}
    uses[bots[0]].means = [("<i>m</i>", 1.0)] * 4 + [("<i>slow</i>", 900.0)]

    written = page(bots, players=2, uses=uses)

    assert escape("<i>slow</i>") in written
    assert "<i>" not in written


def test_the_page_shows_the_numbers_of_the_results() -> None:
    strengths = {bot: 1.5**number for number, bot in enumerate(BOTS)}
    report = made_up_report(BOTS, 3, round_robin(BOTS, 3, 2, by_strength(strengths), Random(4)))

    texts = Tags(page_of(report)).texts

    for row in report.standings:
        assert f"{row.points_mean:.3f}" in texts
        assert f"{row.points_low:.3f} – {row.points_high:.3f}" in texts
    for rating in report.ratings.ratings:
        assert f"{rating.rating:.0f}" in texts
        assert f"{rating.low:.0f} – {rating.high:.0f}" in texts
    for encounter in report.matrix.values():
        assert f"{float(encounter.share):.2f}" in texts


def test_who_is_stronger_than_all_from_one_on_is_said_in_few_words() -> None:
    bots = [f"bot-{number}" for number in range(9)]
    pairs = list(combinations(bots, 2))
    blocks = [
        block_of(round_number, table, pair, [(1, 2), (2, 1)])
        for round_number in range(1, 7)
        for table, pair in enumerate(pairs, 1)
    ]

    written = page_of(made_up_report(bots, 2, blocks))
    significant = written[written.index("<h2>What is significant") : written.index("<h2>Each against each")]

    assert re.search(r"bot-[1-4] and all [4-7] below it", significant)


def test_faults_are_shown_and_bots_without_any_left_out() -> None:
    uses = {"bert": BotUse(strikes=7)}
    uses["bert"].counts["default", Cause.TIMEOUT] = 13
    uses["bert"].faults.append(Fault("m", "default", Cause.TIMEOUT, 3))

    written = page(BOTS, uses=uses)
    faults = written[written.index("<h2>Faults") : written.index("<h2>Oddities")]

    assert ">13<" in faults
    assert ">7<" in faults
    assert "anna" not in faults


def test_a_tournament_without_a_completed_block_has_a_page() -> None:
    assert Tags(page_of(made_up_report(BOTS, 3, []))).open == []


def test_a_large_field_is_cut_and_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    # How many repetitions there are does not matter here, and they take the time.
    monkeypatch.setattr("cutpurse_server.tournaments.ratings.REPETITIONS", 2)
    bots = [f"bot-{number:03}" for number in range(45)]

    written = page(bots, players=2, rounds=1)

    assert "Only the first 40 of 45 bots are shown." in written
    assert len(written) < 600_000
