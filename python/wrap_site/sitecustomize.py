"""Found by every Python that `benchbench wrap` starts, directly or not, because this folder is on
PYTHONPATH. It does nothing but wait for torch to be imported, or for a signal that asks where the
process stands, and gives way to the user's own sitecustomize. In syntax that old Pythons read; see
../WRAP.md."""

import os
import sys


def _without_frame(function):
    """Returns it, left out of tracebacks by Python as the frames of its own import are."""
    code = function.__code__
    if hasattr(code, "replace"):
        name, file = "_call_with_frames_removed", "<frozen importlib._bootstrap>"
        function.__code__ = code.replace(co_name=name, co_filename=file)
    return function


class _AfterTorch:
    """A finder: calls benchbench_dl once torch is imported, and finds our package without a
    place on sys.path."""

    def __init__(self, folder):
        self.folder = folder
        self.looking = self.attached = False

    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            return self._watched(name, path, target)
        if name == "benchbench_dl":
            from importlib.machinery import PathFinder

            return PathFinder.find_spec(name, [self.folder])
        return None

    def _watched(self, name, path, target):
        if self.looking:  # another hook of this form asks all others, too
            return None
        self.looking = True
        try:
            spec = self._found(name, path, target)
        finally:
            self.looking = False
        execute = getattr(spec.loader, "exec_module", None) if spec is not None else None
        if execute is not None:

            def execute_and_attach(module):
                execute(module)
                interrupted = self._attach()
                if interrupted is not None:
                    raise interrupted

            try:
                spec.loader.exec_module = _without_frame(execute_and_attach)
            except AttributeError:  # a loader of the script's that takes none: it is not seen
                pass
        return spec

    def _found(self, name, path, target):
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find and finder is not self else None
            if spec is not None:
                return spec
        return None

    def _attach(self):
        if self.attached:
            return None
        self.attached = True
        try:
            from benchbench_dl.wrap import attach

            attach.to_torch()
        except Exception:  # the script runs as if we were not there
            pass
        except KeyboardInterrupt as error:  # none of these frames is the script's
            return error.with_traceback(None)
        return None


@_without_frame
def _say_where(number, frame):
    try:
        from benchbench_dl.wrap import signals
    except Exception:  # it may have interrupted the import of a module that these need
        return
    signals.answer(number, frame)


def _answer_signals():
    """A process that stands still before it imports torch says where."""
    try:
        import _signal

        if _signal.getsignal(_signal.SIGRTMAX - 4) is _signal.SIG_DFL:
            _signal.signal(_signal.SIGRTMAX - 4, _say_where)
    except Exception:  # it is left as it is, as any program without us
        pass


def _give_way(folder):
    """To the sitecustomize that would have been found without us."""
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != folder]
    ours = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # noqa: F401
    except ImportError:
        if "sitecustomize" not in str(sys.exc_info()[1]):
            raise
    finally:
        sys.modules.setdefault("sitecustomize", ours)


_folder = os.path.dirname(os.path.abspath(__file__))
if sys.version_info >= (3, 7) and os.environ.get("BENCHBENCH_WRAP"):
    sys.meta_path.insert(0, _AfterTorch(os.path.dirname(_folder)))
    _answer_signals()
_give_way(_folder)
