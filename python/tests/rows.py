"""Which row of ctest a test is of."""
ROWS = ("rates", "others", "wrap")


def alone(test):
    """Of a test that compares times: nothing else runs meanwhile."""
    test.alone = True
    return test


def tests_of(suite, row):
    """Those of one row, of all where it is empty; those of wrap have files of their own."""
    for one in suite:
        if hasattr(one, "__iter__"):
            yield from tests_of(one, row)
        elif row in ("", "wrap") or (row == "rates") == getattr(getattr(one, one.id().rpartition(".")[2], None), "alone", False):
            yield one
