"""Stands before any MCP server: effectful calls are on record before they reach it, and everything else passes unchanged.

It needs nothing but the standard library, and neither the agent nor the server knows of it.
"""
