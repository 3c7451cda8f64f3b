"""The sampling core: random numbers, u (equations 1 and 2), the updates, binding and compiling."""
