"""What the `polling` benchmark measures with: a desk's servers, a recipient, operations that are due, and the peers."""
