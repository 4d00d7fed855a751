"""The Cutpurse SDK: write a bot in Python."""
