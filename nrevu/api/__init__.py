"""What `import nrevu` offers to Python and to notebooks; docs/python.md explains it."""
