"""What the benchmark of the queue is made of."""
