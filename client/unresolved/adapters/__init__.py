"""Under an agent's runtime: its tools, its interruptions, and what its requests to a model carried.

Import the one that you use, `unresolved.adapters.openai_agents` or `unresolved.adapters.langgraph`: each needs its own
runtime.
"""
