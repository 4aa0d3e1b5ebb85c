"""Which row of ctest a test is of."""

ROWS = ("rates", "others", "wrap")


def alone(test):
    """Of a test that compares times: nothing else runs meanwhile."""
    test.alone = True
    return test


def row_of(test):
    if getattr(getattr(test, test.id().rpartition(".")[2], None), "alone", False):
        return "rates"
    return "wrap" if type(test).__module__.startswith("test_wrap_") else "others"


def tests_of(suite, row):
    """Those of one row, of all where it is empty."""
    for one in suite:
        if hasattr(one, "__iter__"):
            yield from tests_of(one, row)
        elif row in ("", row_of(one)):
            yield one
