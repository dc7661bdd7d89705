"""Cases: an owner and a clock for every outcome that needs a person."""
