import no_such_package


def make_data():
    return no_such_package
