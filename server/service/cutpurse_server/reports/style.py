"""The page's style: light and dark as the reader has it, nothing from elsewhere."""

__all__ = ["STYLE"]

STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b6570; --paper: #fbfaf7; --card: #ffffff; --line: #dcd9d0;
  --good: 38 110 168; --bad: 190 92 24; --accent: #2a6da0; --fill: #8db8d8; --warn: #9a4a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e6e1; --soft: #a3abb3; --paper: #15181b; --card: #1d2125;
  --line: #353b41; --good: 92 160 214; --bad: 226 140 78; --accent: #7ab5e0; --fill: #3f6f93; --warn: #f0a860; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.45;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; font-size: 15px; }
main { max-width: 66rem; margin: 0 auto; padding: 1rem 0.8rem 3rem; }
h1 { font-size: 1.55rem; margin: 0.4rem 0 0.1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 0 0 0.3rem; }
p { margin: 0.3rem 0 0.7rem; max-width: 46rem; }
.soft, .note { color: var(--soft); }
.note { font-size: 0.86rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 0.9rem; margin: 1rem 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 0.22rem 0.5rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); font-weight: 600; font-size: 0.82rem; vertical-align: bottom; }
th.name, td.name, th.words, td.words { text-align: left; }
td.name { white-space: normal; font-weight: 600; }
td.words { white-space: normal; min-width: 7rem; }
td.plot, th.plot { width: 99%; min-width: 11rem; padding: 0 0.6rem; }
tbody tr:last-child td { border-bottom: 0; }
.strip { display: block; width: 100%; overflow: visible; }
.strip text { font-size: 11px; fill: var(--soft); }
.grid { stroke: var(--line); stroke-width: 1; }
.reach { stroke: var(--accent); stroke-width: 3; stroke-linecap: round; }
.reach.thin { stroke-width: 1.5; }
.dot { fill: var(--accent); stroke: var(--card); stroke-width: 1.5; }
.bar { fill: var(--fill); }
.mean { stroke: var(--ink); stroke-width: 1.5; }
.matrix td { text-align: center; min-width: 2.6rem; padding: 0.25rem 0.3rem; border: 1px solid var(--card); }
.matrix td.name { text-align: left; position: sticky; left: 0; background: var(--card); }
.matrix th { text-align: center; }
.matrix th.name { text-align: left; }
.flag { color: var(--warn); font-weight: 600; }
ul { padding-left: 1.2rem; margin: 0.3rem 0 0.7rem; }
li { margin: 0.2rem 0; }
@media (max-width: 34rem) { body { font-size: 14px; } th, td { padding: 0.2rem 0.35rem; }
  section { padding: 0.7rem 0.6rem; } .strip text.wide { display: none; } }
"""
