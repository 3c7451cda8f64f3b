"""The distributions that can be sampled, one file each."""
