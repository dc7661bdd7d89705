"""A server that agents speak to the desk through, over MCP. It needs the extra `mcp`, and nothing else here imports it.

What comes in here is an agent's own word: it is on record as reported by an agent, and settles nothing.
"""
