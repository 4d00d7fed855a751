"""The Cutpurse service: log, use cases, servicers, command line."""
