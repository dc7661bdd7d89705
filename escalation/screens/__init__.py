"""What a screen shows, as values: the words are chosen here, the templates only place them."""
