"""Practice at home: the matches that a tournament of the same bots and seed would play, many of them, quickly."""

from cutpurse_server.practice.parts import BotGone, PlayedMatch, Practice, play_part
from cutpurse_server.practice.playing import play_scheduled
from cutpurse_server.practice.processes import play_in_processes
from cutpurse_server.practice.schedule import TOURNAMENT, home_schedule
from cutpurse_server.practice.summary import Summary, summed_up

__all__ = [
    "TOURNAMENT",
    "BotGone",
    "PlayedMatch",
    "Practice",
    "Summary",
    "home_schedule",
    "play_in_processes",
    "play_part",
    "play_scheduled",
    "summed_up",
]
