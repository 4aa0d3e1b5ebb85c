"""Functions of the user's, called: what `use: python` asks for. See ../../PROTOCOL.md."""
