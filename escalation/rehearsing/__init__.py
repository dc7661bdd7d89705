"""Rehearsing: a contract's counterexamples played at the collection desk, with the effects counted.

A rehearsal tests our reading of a contract and not the recipient; that sentence is stored with every result.
"""
