"""What lies on disk: series files, the layout of results/, provenance, the reference run."""
