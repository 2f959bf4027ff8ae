"""The former name of ``outflank.protocol.drivers``, kept for one release."""

from outflank.protocol.drivers import *  # noqa: F403
from outflank.protocol.drivers import ProcessSettings as ProcessSettings
