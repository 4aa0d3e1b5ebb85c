"""Measures the training loop of a script that runs unchanged: see ../../WRAP.md."""
