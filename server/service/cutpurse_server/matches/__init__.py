"""Matches: what happens in them, what the service knows of them, and how commands are decided.

- `events`: the facts that a match's log holds; `beginning`: the first of them.
- `record`: everything known about a match, a fold over its events; `replies`: what was answered to its bots.
- `clock`: deadlines and charges.
- `deciding`: commands become events.
- `desk`: commands of many matches, flushed together; `crowd`: the matches it holds; `credits`: time given back;
  `deadlines`: noticing whose time is over; `stalls`: and that nobody could be heard;
  `keeping`: records and what the log keeps; `observers`: who hears of it.
- `story`: what everybody may know; `presence`: which bots are there.
"""
