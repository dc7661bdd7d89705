"""What every test stands on."""

from hypothesis import settings

# The same examples in every run: a red run can be run again. `--hypothesis-profile=search` looks for new ones.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None, max_examples=2_000)
settings.load_profile("steady")
