"""The log: the only truth. One port, one contract test suite, several backends.

- `port`: what a backend must do.
- `chain`: commitments and the hash chain.
- `memory`: for tests.
- `sqlite`: the embedded default; `sqlite_file`: its tables, settings and owner.
- `postgresql`: for several replicas; `postgresql_connections`: its connections and their failures;
  `postgresql_schema`: its tables; `postgresql_clock`: the database's time.
- `packing`, `one_owner`: what some of them share.
"""
