"""What was asked, what is known, what is allowed."""
