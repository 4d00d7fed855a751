"""Audits: everything that a bundle claims is computed again, from the file down to every choice.

- `auditing`: one pass over the file; `verdict`: what it finds.
- `tournament`, `beginning`, `replay`: the tournament's log, how its matches must begin, and a match on the rules.
- `export`: writing bundles.
"""

from cutpurse_server.audit.auditing import FINDINGS_MAX, audit
from cutpurse_server.audit.export import write_match_bundle, write_tournament_bundle
from cutpurse_server.audit.verdict import Finding, Verdict

__all__ = ["FINDINGS_MAX", "Finding", "Verdict", "audit", "write_match_bundle", "write_tournament_bundle"]
