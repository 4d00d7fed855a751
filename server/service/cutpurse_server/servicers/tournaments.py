"""TournamentService."""
