"""Names what is not defined; no import of torch is needed to see that."""

sizes = [0, undefined_name]  # noqa: F821


def make_data():
    return sizes
