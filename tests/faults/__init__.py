"""Every step of every door is broken off, at each point and in each process, and the recipient's truth is compared."""
