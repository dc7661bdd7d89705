"""The parts of the benchmark `ingest`: an open desk, items to register, the rows they become, a load over HTTP."""
