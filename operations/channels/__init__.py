"""How a recipient is asked and listened to; what it means is a contract's to say. Nothing here knows a row."""
