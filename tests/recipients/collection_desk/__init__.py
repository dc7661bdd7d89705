"""A harmless recipient over real HTTP: it issues numbered collection tickets for a parcel at a place.

It can be told, request by request, to lose, delay, repeat, refuse or contradict, and it knows its own truth: what came
in, what it did and when. README.md lists what product and control may ask.

`values`, `terms`, `programme`, `ledger`, `keys`, `record`, `clerk`, `reads` and `desk` are pure: they hold state in
memory, are told the time, and know no thread or socket. `running` makes them safe for threads and durable, `serving`,
`front` and `control` are their two HTTP ports, `webhooks` tells others, `opening` puts it all together.
"""
