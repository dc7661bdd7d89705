"""One task asks hundreds of operations at once, politely, and what it learns is durable in batches.

A claim says what may be asked of whom (recording.claiming); one asyncio loop asks; a writer thread records what came, so
that asking goes on meanwhile. Asking only reads: whoever dies leaves leases that lapse, and the ask is made again.
Nothing here judges: an answer becomes a reading where every report does (`reporting`).
"""

from operations.polling.loop import Polled, poll

__all__ = ["Polled", "poll"]
