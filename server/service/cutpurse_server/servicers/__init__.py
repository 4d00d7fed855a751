"""The gRPC services: each method parses, calls a use case, and renders.

- `gate`: who may call what, and how refusals and failures look from outside; `rates`: how often.
- `bots`: the bots' stream, with `connection` (one stream) and `hub` (all streams of this replica).
- `games`, `identity`, `matches`, `tournaments`, `audits`: the unary services.
"""
