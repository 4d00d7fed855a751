"""What a running service tells of its tournaments to be published: manifests, entrants, bundles of what is over."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from cutpurse_server.cli.remote import CallFailed, Organiser
from cutpurse_server.cli.there import Json, at_a_service
from cutpurse_server.whole_files import whole_file

__all__ = ["COMMANDS"]


def list_(there: Organiser, as_json: Json = False) -> None:
    """List the tournaments of a service, by name; with an organiser's or an auditor's token."""
    names = there.names()
    typer.echo(json.dumps(names, indent=2) if as_json else "\n".join(names) or "There is no tournament yet.")


def show(there: Organiser, tournament: Annotated[str, typer.Argument(help="Its name.")], as_json: Json = False) -> None:
    """Show a tournament's manifest, entrants and progress; any role's token will do.

    The manifest commits to all deals. Publish it before anybody enters: an auditor compares it with the bundle's.

    Example:  cutpurse tournament show cup --json > cup-manifest.json
    """
    told = there.show(tournament)
    if as_json:
        typer.echo(json.dumps(told, indent=2))
        return
    manifest, progress = told["manifest"], told["progress"]
    root = base64.b64decode(manifest["deals_root"]).hex()
    typer.echo(f"{tournament}: {manifest['configuration']['game']}, tables of {manifest['players']}")
    typer.echo(f"  manifest     {told['manifest_hash']}")
    typer.echo(f"  format       {_word(manifest['format'], 'TOURNAMENT_FORMAT_')}, {manifest['rounds']} rounds")
    typer.echo(f"  deals        {manifest['deal_slots']:,} under the root {root}")
    typer.echo(f"  rated        {'yes' if manifest['rated'] else 'no: its deals were made from a seed'}")
    typer.echo(
        f"  phase        {_word(progress['phase'], 'TOURNAMENT_PHASE_')}{', paused' if progress['paused'] else ''}, "
        f"{progress['matches_done']:,} of {progress['matches_total']:,} matches"
    )
    typer.echo(f"  entrants     {len(told['entrants'])}")
    for entrant in told["entrants"]:
        left = _word(entrant["left"], "LEAVE_CAUSE_")
        notes = [f"of {entrant['owner']}", *([left] if left != "unspecified" else [])]
        notes += ["in quarantine"] if entrant["quarantined"] else []
        typer.echo(f"    {entrant['bot']}: {', '.join(notes)}")


def export(
    there: Organiser,
    tournament: Annotated[str, typer.Argument(help="Its name, or with --match the match's id.")],
    bundle: Annotated[Path, typer.Argument(help="The file to write.")] = Path("bundle"),
    match: Annotated[bool, typer.Option("--match", help="Export a single match.")] = False,
) -> None:
    """Write the bundle of a tournament that is over, while its service goes on; `cutpurse audit` judges it anywhere.

    With an organiser's or an auditor's token. The page and the tables come from it: see `cutpurse tournament report`.

    Example:  cutpurse tournament export cup cup.bundle
    """
    try:
        with whole_file(bundle) as file:
            for piece in there.bundle(tournament, match=match):
                file.write(piece)
    except OSError as problem:
        raise CallFailed(f"{bundle} cannot be written: {problem.strerror or problem}") from None
    typer.echo(f"{bundle}: {bundle.stat().st_size:,} bytes; judge it with: cutpurse audit {bundle}")


def _word(name: str, kind: str) -> Any:
    """An enum's value in words."""
    return name.removeprefix(kind).lower().replace("_", " ")


COMMANDS = (at_a_service(list_), at_a_service(show), at_a_service(export))
"""Commands of `cutpurse tournament`."""
