"""One grid point: its settings, its identity (digest) and the running of its chains."""
