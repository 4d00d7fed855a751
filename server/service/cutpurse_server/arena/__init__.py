"""A whole tournament on one machine: the service, bots as child processes, standings, bundle, verdict.

- `plan`: what is to be played, from a file or from options, and who plays.
- `children`, `leash`: bots as child processes.
- `running`: the run itself, which may be killed and taken up again.
"""
