"""The HTML page: one file without scripts, network, or anything beside it. Whatever bots are called is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape
from math import isnan

from cutpurse_server.matches.events import Cause
from cutpurse_server.reports import pictures
from cutpurse_server.reports.course_section import course_section
from cutpurse_server.reports.odd_section import oddities_section
from cutpurse_server.reports.report import Report
from cutpurse_server.reports.style import STYLE
from cutpurse_server.reports.tables import name, section, table
from cutpurse_server.tournaments.events import Standing
from cutpurse_server.tournaments.ratings import COMPARED_MAX, repetitions_of
from cutpurse_server.tournaments.telling import VERDICTS

__all__ = ["page_of"]

_MATRIX_MAX = 40
_PLOTTED_MAX = 100
_SEATED_MAX = 8
_NAMES_MAX = 4

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Nothing is loaded and nothing is run, whatever a name might hold."""


def page_of(report: Report) -> str:
    """The whole page."""
    title = escape(f"{report.manifest.tournament}: {report.manifest.game}")
    sections = [
        _standings(report),
        _ratings(report),
        _significance(report),
        _matrix(report),
        _scores(report),
        _times(report),
        _faults(report),
        oddities_section(report),
        course_section(report),
        _notes(report),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"{_heading(report)}{''.join(sections)}</main>\n</body>\n</html>\n"
    )


def _heading(report: Report) -> str:
    manifest = report.manifest
    format_ = manifest.format.name.lower().replace("_", " ")
    facts = [
        escape(manifest.game),
        f"{format_}, tables of {manifest.players}",
        f"{len(report.standings)} bots",
        f"{report.matches:,} matches in {len(report.blocks):,} blocks",
    ]
    if report.started_ms:
        begun = datetime.fromtimestamp(report.started_ms / 1_000, UTC)
        facts.append(f"begun on {begun:%Y-%m-%d at %H:%M} UTC")
    if manifest.seed:
        facts.append("unrated: its deals come from a seed")
    state = "" if report.finished else '<p class="flag">It is not over: this is what the completed blocks say.</p>\n'
    if report.verdict is not None:
        challenger = name(manifest.settings.challenger)
        state += f"<p>Verdict: <b>{challenger}</b> is {VERDICTS[report.verdict]}.</p>\n"
    return f'<h1>{escape(manifest.tournament)}</h1>\n<p class="soft">{" · ".join(facts)}</p>\n{state}'


def _standings(report: Report) -> str:
    seats = report.manifest.players if report.manifest.players <= _SEATED_MAX else 0
    scored = any(row.score != row.points_mean for row in report.standings)
    rested = any(row.byes for row in report.standings)
    headings = ["", "bot", *(["score"] if scored else []), "points", "95 % interval", "matches"]
    headings += [*(["byes"] if rested else []), "firsts", "forfeits", *(f"seat {seat}" for seat in range(seats))]
    rows = [_standing(report, row, seats, scored=scored, rested=rested) for row in report.standings]
    note = "Points in a match: the share of the other seats that are placed below, those beside counting half. "
    note += "Places follow from the score of the format; " if scored else ""
    note += "equal scores share a place." if scored else "Equal means share a place."
    return section("Standings" if report.finished else "Provisional standings", table(headings, rows), note)


def _standing(report: Report, row: Standing, seats: int, *, scored: bool, rested: bool) -> list[str]:
    by_seat = ["–" if isnan(points) else f"{points:.2f}" for points in row.points_by_seat[:seats]]
    remark = row.left.name.lower() if row.left else "quarantined" if row.bot in report.quarantined else ""
    owner = report.owners.get(row.bot, row.bot)
    return [
        str(row.place),
        name(row.bot)
        # Most owners have one bot, that is called as they are.
        + (f' <span class="soft">of {name(owner)}</span>' if owner != row.bot else "")
        + (f' <span class="soft">({remark})</span>' if remark else ""),
        *([f"{row.score:.3f}"] if scored else []),
        *([f"{row.points_mean:.3f}", f"{row.points_low:.3f} – {row.points_high:.3f}"] if row.matches else ["–", "–"]),
        f"{row.matches:,}",
        *([f"{row.byes:,}"] if rested else []),
        f"{row.firsts:,}",
        f"{row.forfeits:,}",
        *by_seat,
    ]


def _ratings(report: Report) -> str:
    ratings = report.ratings.ratings[:_PLOTTED_MAX]
    scale = pictures.linear(end for each in ratings for end in (each.rating, each.low, each.high) if end is not None)
    axis = pictures.axis(scale, [f"{tick:.0f}" for tick in scale.ticks])
    rows = []
    for each in ratings:
        known = each.low is not None and each.high is not None
        interval = f"{each.low:.0f} – {each.high:.0f}" if known else "unknown"
        said = f"rating {each.rating:.0f}, 95 % interval {interval}"
        plot = pictures.interval(scale, each.rating, each.low, each.high, said)
        rows.append([name(each.bot), plot, f"{each.rating:.0f}", interval, str(each.blocks)])
    note = (
        "Bradley and Terry's model, fitted to all pairs of seats at once, a tie as half a win; the mean of the field "
        "is 1500, and 400 more means ten to one. Intervals: bootstrap over blocks, "
        f"{repetitions_of(len(report.blocks))} repetitions, seeded by the tournament's name. "
        f"{_cut(report, _PLOTTED_MAX)}"
    )
    return section("Ratings", table(["bot", axis, "rating", "95 % interval", "blocks"], rows, plot=1), note)


def _significance(report: Report) -> str:
    stronger: dict[str, list[str]] = {}
    unknown: dict[str, list[str]] = {}
    for each in report.ratings.comparisons:
        if each.significant:
            stronger.setdefault(each.better, []).append(each.worse)
        else:
            unknown.setdefault(each.better, []).append(each.worse)
            unknown.setdefault(each.worse, []).append(each.better)
    bots = [rating.bot for rating in report.ratings.ratings[:COMPARED_MAX]]
    rows = [[name(bot), _weaker(bots, stronger.get(bot, [])), _equals(bots, bot, unknown.get(bot, []))] for bot in bots]
    found = sum(each.significant for each in report.ratings.comparisons)
    note = (
        f"{found} of {len(report.ratings.comparisons)} pairs can be told apart. The chance that even one of these "
        "statements is wrong is about 5 %, by Holm's correction for all pairs. Not told apart does not mean equal. "
        f"{_cut(report, COMPARED_MAX)}"
    )
    headings = ["bot", "stronger than", "not told apart from"]
    return section("What is significant", table(headings, rows, words=(1, 2)), note)


def _weaker(bots: Sequence[str], names: Sequence[str]) -> str:
    """Those that a bot is stronger than; in few words where they are all from one on, in order of the ratings."""
    if len(names) > _NAMES_MAX and list(names) == list(bots[-len(names) :]):
        return f"{name(names[0])} and all {len(names) - 1} below it"
    return _names(names)


def _equals(bots: Sequence[str], bot: str, names: Sequence[str]) -> str:
    """Those that a bot is not told apart from; in few words where they are many."""
    if len(names) == len(bots) - 1 > _NAMES_MAX:
        return f"all {len(names)} others"
    if len(names) > _NAMES_MAX:
        # In order of the ratings they stand next to the bot; what counts is how far up and down.
        order = sorted([*names, bot], key=bots.index)
        if order == list(bots[bots.index(order[0]) :][: len(order)]):
            return f"the {len(names)} from {name(order[0])} to {name(order[-1])}"
    return _names(names)


def _matrix(report: Report) -> str:
    bots = [row.bot for row in report.standings[:_MATRIX_MAX]]
    headings = ["bot", *(str(number) for number in range(1, len(bots) + 1))]
    rows = []
    for number, bot in enumerate(bots, 1):
        cells = [
            f'<td class="name">{number}&nbsp;{name(bot)}</td>',
            *(_encounter(report, bot, other) for other in bots),
        ]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    head = "".join(f'<th class="{"name" if not at else ""}">{each}</th>' for at, each in enumerate(headings))
    body = f'<div class="scroll"><table class="matrix"><thead><tr>{head}</tr></thead>'
    body += f"<tbody>{''.join(rows)}</tbody></table></div>\n"
    note = (
        "The share of matches in which the row's bot was placed before the column's, a tie as half; columns are "
        "numbered "
        f"as the rows are. {_cut(report, _MATRIX_MAX)}"
    )
    return section("Each against each", body, note)


def _encounter(report: Report, bot: str, other: str) -> str:
    encounter = report.matrix.get((bot, other))
    if encounter is None:
        return "<td></td>"
    share = float(encounter.share)
    colour, depth = ("good" if share >= 0.5 else "bad"), abs(share - 0.5) * 1.3
    title = f"{encounter.matches} matches"
    return f'<td title="{title}" style="background: rgb(var(--{colour}) / {depth:.2f})">{share:.2f}</td>'


def _scores(report: Report) -> str:
    bots = [row.bot for row in report.standings[:_PLOTTED_MAX]]
    scores = {bot: report.scores(bot) for bot in bots}
    scale = pictures.linear(float(score) for each in scores.values() for score in each)
    axis = pictures.axis(scale, [f"{tick:g}" for tick in scale.ticks])
    rows = []
    for bot, each in scores.items():
        mean = sum(each) / len(each) if each else 0.0
        said = f"scores, mean {mean:.1f}"
        plot = pictures.bars(scale, [float(score) for score in each], said)
        ends = [str(min(each)), f"{mean:.1f}", str(max(each))] if each else ["–"] * 3
        rows.append([name(bot), plot, *ends])
    note = f"By the game's own scores; the line is the mean. {_cut(report, _PLOTTED_MAX)}"
    return section("Scores", table(["bot", axis, "least", "mean", "most"], rows, plot=1), note)


def _times(report: Report) -> str:
    bots = [row.bot for row in report.standings[:_PLOTTED_MAX]]
    scale = pictures.logarithmic(max((use.longest_ms for use in report.uses.values()), default=1))
    axis = pictures.axis(scale, [_milliseconds(tick) for tick in scale.ticks])
    rows = []
    for bot in bots:
        use = report.uses[bot]
        middle, high, longest = use.quantile_ms(0.5), use.quantile_ms(0.95), use.longest_ms
        said = f"median {middle} ms, 95 % within {high} ms, longest {longest} ms"
        plot = pictures.spread(scale, max(1, middle), max(1, high), max(1, longest), said)
        if not use.choices:
            rows.append([name(bot), "", "–", "–", "–", "0"])
            continue
        shown = [_milliseconds(each) for each in (middle, high, longest)]
        rows.append([name(bot), plot, *shown, f"{use.choices:,}"])
    note = (
        "From when a bot was asked until its answer was there, its way included, gaps of the platform taken off: "
        "the dot is the median, the box reaches to where 95 % are done, the line to the longest. "
        f"{_cut(report, _PLOTTED_MAX)}"
    )
    return section("Time", table(["bot", axis, "median", "95 %", "longest", "choices"], rows, plot=1), note)


def _faults(report: Report) -> str:
    causes = (Cause.TIMEOUT, Cause.ILLEGAL, Cause.MALFORMED, Cause.DISCONNECTED, Cause.CRASHED)
    headings = ["bot", "forfeits", "strikes", "refused", *(cause.name.lower() for cause in causes)]
    rows = []
    for row in report.standings:
        use = report.uses[row.bot]
        counts = [row.forfeits, use.strikes, use.count("refused"), *(use.count("default", cause) for cause in causes)]
        if any(counts):
            rows.append([name(row.bot), *(f"{count:,}" if count else "·" for count in counts)])
    if not rows:
        return section("Faults", "", "No bot gave a wrong answer, was late or was away.")
    note = (
        "Bots without any are left out. A refused answer may be corrected. The last columns count by their causes the "
        "decisions in which the page's default was played instead of an answer, each a strike."
    )
    return section("Faults", table(headings, rows), note)


def _notes(report: Report) -> str:
    return section(
        "What this is",
        "",
        "Computed from the completed blocks of the tournament's log, in whatever order they ended; whoever has "
        "the log or "
        "the bundle gets the same. The page itself is no proof: <code>cutpurse audit</code> on the bundle is.",
    )


def _cut(report: Report, most: int) -> str:
    bots = len(report.standings)
    return f"Only the first {most} of {bots} bots are shown." if bots > most else ""


def _names(bots: Iterable[str]) -> str:
    return ", ".join(name(bot) for bot in bots) or "–"


def _milliseconds(ms: float) -> str:
    return f"{ms / 1_000:g} s" if ms >= 1_000 else f"{ms:g} ms"
