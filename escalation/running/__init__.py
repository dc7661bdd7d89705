"""How `manage.py up` keeps a desk running: the data folder, the servers and the processes that serve."""
