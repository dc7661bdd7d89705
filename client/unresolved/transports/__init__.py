"""What goes under a library's own client. Each module needs the library it is for, and nothing else here imports it."""

from unresolved.transports.intent import Intent, NoIntent, intended

__all__ = ["Intent", "NoIntent", "intended"]
