"""Every act that is broken off, by the way in that it goes."""

from tests.faults.acts import agents, deciding, inspecting, signing, telling, working
from tests.faults.case import Act

ACTS: tuple[Act, ...] = (*deciding.ACTS, *signing.ACTS, *inspecting.ACTS, *telling.ACTS, *agents.ACTS, *working.ACTS)
