"""Notices: what is said to people outside of the desk's pages, one module a way; docs/notices.md is what they may rely on."""
