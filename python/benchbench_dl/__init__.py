"""benchbench in the user's Python, where their DataLoader is. Standard library only; torch is
imported where the user's code needs it. All modules are private: others rely on ../PROTOCOL.md and
../WRAP.md alone. No modules import each other in a circle, and folders only what is below:

    serve/  a function of the user's, called        wrap/  a script that knows nothing of us
                 observe/  what is seen of a DataLoader, its workers, its process
                 the modules here: what these three have in common
"""

PROTOCOL = 1
