"""Recipients that tests and the demo really call, and the behaviours that each of them has to show."""
