"""An exception of the user's code as an answer: the place in their files, and a way out."""

import sys

from . import tracebacks
from .failure import Failure
from .hints import hint_for
from .sources import place_of

# Packages that are installed by another name than they are imported by.
_INSTALLED_AS = {
    "PIL": "pillow",
    "cv2": "opencv-python",
    "sklearn": "scikit-learn",
    "skimage": "scikit-image",
    "yaml": "pyyaml",
}


def failure_of(error, doing):
    """Returns the answer to an exception of the user's code. `doing` names the code: "train.py",
    "make_data"."""
    if isinstance(error, Failure):
        return error
    message, text, where = tracebacks.describe(error)
    where = place_of(*where) if where else None
    if isinstance(error, SystemExit):
        return Failure(
            "user",
            "{} calls sys.exit({})".format(doing, "" if error.code is None else repr(error.code)),
            "benchbench calls functions of the script; what ends the process belongs below "
            'if __name__ == "__main__":',
            where,
            text,
        )
    if isinstance(error, ModuleNotFoundError) and error.name:
        package = error.name.split(".")[0]
        if package not in sys.modules:
            return lack(package, where, where, text)
    return Failure("user", tracebacks.headline(message), hint_for(message), where, text)


def lack(package, needed_by, where=None, text=None):
    """A package that is missing. `needed_by`: "train.py:3", or why."""
    return Failure(
        "lack",
        "needs {}, which {} does not have{}: pip install {}".format(
            package,
            sys.executable,
            f" ({needed_by})" if needed_by else "",
            _INSTALLED_AS.get(package, package),
        ),
        "or name another interpreter with `python:`",
        where,
        text,
    )
