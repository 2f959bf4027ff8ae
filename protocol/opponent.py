"""The former name of ``outflank.protocol.drivers``, kept for one release."""

from outflank.protocol import drivers
from outflank.protocol.drivers import *  # noqa: F403
from outflank.protocol.drivers import ProcessSettings as Surroundings

__all__ = [*drivers.__all__, "Surroundings"]
