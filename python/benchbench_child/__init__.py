"""benchbench's side in the user's Python: standard library only; torch is imported where the user's
code needs it."""

PROTOCOL = 1
