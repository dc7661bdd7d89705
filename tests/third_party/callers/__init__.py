"""What agents run: each file is a program in the environment of its recipient, and the product imports none of them.

A program reads one JSON object a line from standard input and answers each with one: `result`, or `error` and `message`
as its library raised them.
"""
