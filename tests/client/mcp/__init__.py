"""What agents meet over MCP, against the SDK's own client."""
