"""The border: turns the service's own types into protobuf messages and back. Nothing else knows protobuf.

- `games`: views and actions, by game, in the table `GAME_WIRE`; each game has a module of its own name.
- `components`: cards and tiles of every game as numbers.
- `matches`: configurations, decisions, replies, results.
- `match_events`, `tournament_events`, `identity_events`: what the log keeps.
- `bundle`: the auditors' file.
- `sealing`: commitments and their salts.
- `local_decisions`: decisions for house bots that are called in process.
"""
