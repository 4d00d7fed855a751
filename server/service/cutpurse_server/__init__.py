"""The Cutpurse service: log, use cases, servicers, command line."""

import os
from importlib.metadata import version

# Children become other programs at once, so gRPC need not follow forks; it would complain about them on standard error.
# It looks at this when it is loaded.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

__version__ = version("cutpurse-server")
