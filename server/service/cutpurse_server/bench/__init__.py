"""Benchmarks. Every figure is a ratio to a floor that is measured in the same run, in turn with it.

- `measures`: what is measured, against which floor, and with which goal.
- `service`, `echo`: decisions through the service, and the bare gRPC stream that is their floor.
- `appends`: durable appends, and bare SQLite.
- `playouts`: matches on the rules alone, and OpenSpiel; `replays`: replay of stored matches with full checking.
"""
