"""The house bots of Cutpurse."""
