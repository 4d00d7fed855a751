"""The games of Cutpurse as pure functions; standard library only."""
