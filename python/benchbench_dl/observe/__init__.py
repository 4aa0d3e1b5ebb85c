"""What is seen of a DataLoader from within: hooks in its workers, and looks at the user's objects.

Standard library only; torch and numpy are used where the user's code has imported them. A hook
changes no object of the user's and no batch; what it cannot see is None, which is "not measured".
"""
