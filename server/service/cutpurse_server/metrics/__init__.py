"""What an operator can watch: counts and durations of calls and of the log, for Prometheus."""

from cutpurse_server.metrics.figures import Figures
from cutpurse_server.metrics.metered_log import MeteredLog

__all__ = ["Figures", "MeteredLog"]
