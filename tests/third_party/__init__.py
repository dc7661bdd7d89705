"""Recipients that others wrote, asked by the libraries that agents use, through a proxy of ours that loses replies.

Each has an environment of its own under var/third-party, so that nothing of theirs is on the product's path.
"""
