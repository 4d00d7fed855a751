"""The log: the only truth. One port, one contract test suite, several backends.

- `port`: what a backend must do.
- `chain`: commitments and the hash chain.
- `memory`: for tests.
- `sqlite`: the embedded default; `sqlite_file`: its tables, settings and owner.
"""
