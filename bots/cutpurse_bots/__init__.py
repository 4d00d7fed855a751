"""The house bots of Cutpurse: `random`, `first` and `greedy`.

Each is a function of a decision and a key, and nothing else. The service finds them through the entry-point group
`cutpurse.bots`; `python -m cutpurse_bots NAME` lets one dial in through the SDK.
"""
