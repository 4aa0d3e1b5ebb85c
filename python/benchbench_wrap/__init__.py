"""Measures the training loop of a script that runs unchanged: see ../WRAP.md. Standard library
only; torch is the script's own."""

PROTOCOL = 1
