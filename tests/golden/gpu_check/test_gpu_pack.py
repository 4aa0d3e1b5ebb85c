#!/usr/bin/env python3
"""test_gpu_pack.py BUILD STUB_FOLDER [TORCH_FOLDER]: scripts/gpu_pack makes one file of all that a
machine without a compiler needs, and what it holds runs from there. With BENCHBENCH_TEST_ALL, and
where the build has a torch, scripts/try_pack tries it in a chroot of a newer Debian too."""

import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.dont_write_bytecode = True
sys.path.append(str(ROOT / "tests" / "run"))
from counts import all_are_asked_for, note  # noqa: E402

LIMIT_S = 3600  # only what hangs takes so long
OF_THE_MACHINE = r"(ld-linux|lib(c|m|dl|rt|pthread|resolv|util|stdc\+\+|gcc_s|gomp)\.so)"
# A torch without its libraries of CUDA, or without a device.
LACKS_CUDA = (
    r"needs torch with CUDA: lib\S+ is not here; the package nvidia-\S+ brings it\n|"
    r"torch finds no CUDA device: "
)
PARTS = ["LICENSE", "bin", "configs", "lib", "python", "scripts"]


def run(*words, **environment):
    dropped = ("BENCHBENCH_STUB_", "BENCHBENCH_TORCH_", "LD_LIBRARY_PATH")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(dropped)}
    done = subprocess.run(
        [str(word) for word in words],
        env={**kept, **environment},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    return done.returncode, done.stdout, done.stderr


def pack(*words):
    return run(sys.executable, ROOT / "scripts" / "gpu_pack", *words)


def check_size(file, out):
    assert re.search(
        r": [\d.]+ MB, \d+ libraries; needs glibc 2\.\d+, GLIBCXX 3\.4\.\d+ and Python 3\.8$",
        out,
        re.M,
    ), out
    assert file.stat().st_size < 50e6


def check_layout(there):
    assert sorted(path.name for path in there.iterdir()) == PARTS
    assert not (there / "python").is_symlink() and (there / "python" / "start_child.py").exists()
    for file in [*(there / "bin").iterdir(), *(there / "lib").iterdir()]:
        assert not re.match(OF_THE_MACHINE, file.name), file
        entries = run("readelf", "--dynamic", "--wide", file)[1]
        assert re.findall(r"\((R\w*PATH)\).*\[(.*)\]", entries) == [("RPATH", "$ORIGIN/../lib")], (
            file
        )


def check_libraries(there):
    """All but the machine's own are from the file, though LD_LIBRARY_PATH is not set."""
    for name in ("benchbench", "libbenchbench_cuda.so"):
        linked = re.findall(
            r"^\s*(\S+) => (.+?)(?: \(0x|$)", run("ldd", there / "bin" / name)[1], re.M
        )
        others = [path for name, path in linked if not re.match(OF_THE_MACHINE, name)]
        assert others and all(path.startswith(str(there)) for path in others), (name, linked)


def check_on_stub(there, stub, folder):
    """gpu_check looks for the program in its own folder; kernels come from the module there."""
    cache = {"BENCHBENCH_CACHE": f"{folder}/cache", "LD_LIBRARY_PATH": stub}
    code, out, said = run(there / "scripts" / "gpu_check", BENCHBENCH_STUB_DEVICES="0", **cache)
    assert code == 6 and out.startswith(
        "SKIPPED all of it: no CUDA device: the CUDA driver finds no device"
    ), (code, out, said)
    words = "--set trainer.device=cuda:0 --set measure.modes=trainer --rounds 1 --quiet"
    only = ["trainer.in_flight=2", "loader.pin_memory=true", "trainer.non_blocking=true"]
    words = [*words.split(), *(word for one in only for word in ("--only", one))]
    code, out, said = run(
        there / "bin" / "benchbench",
        "run",
        there / "configs" / "device.yaml",
        *words,
        "--out",
        f"{folder}/run",
        BENCHBENCH_STUB_STRANGERS="0",
        **cache,
    )
    assert code in (0, 8), out + said  # 8: a busy machine has made all trials INVALID
    assert "FAILED" not in out, out
    assert os.path.getsize(f"{folder}/run/journal.jsonl") > 0


def check_torch(there, torch, folder):
    """The one that is named, and no other; the wrong one is a sentence with both versions."""
    program = there / "bin" / "benchbench"
    code, _, said = run(program, "probe-module", "torch", BENCHBENCH_TORCH_DIR=torch)
    assert code == 0, said
    code, _, said = run(program, "probe-module", "torch_cuda", BENCHBENCH_TORCH_DIR=torch)
    assert code == 0 or re.match(LACKS_CUDA, said), said
    wrong = pathlib.Path(folder, "wrong", "torch")
    wrong.mkdir(parents=True)
    (wrong / "version.py").write_text("__version__ = '1.0.0'\n")
    code, _, said = run(program, "probe-module", "torch", BENCHBENCH_TORCH_DIR=str(wrong))
    assert code == 1 and re.match(
        rf"needs libtorch: built with torch [\d.]+, but BENCHBENCH_TORCH_DIR \({wrong}\) holds "
        r"1\.0\.0\n",
        said,
    ), said


def check_errors(build, folder):
    code, _, said = pack(f"{folder}/none.tar.gz", "--build", folder)
    assert code == 1 and "scripts/test builds it" in said, said
    code, _, said = pack(f"{folder}/nowhere/none.tar.gz", "--build", build)
    assert code == 1 and "could not be written: No such file" in said, said


def check_chroot(file, stub, torch):
    code, out, said = run(
        ROOT / "scripts" / "try_pack", file, "--torch", pathlib.Path(torch).parent, "--stub", stub
    )
    print(out + said)
    if code == 6:
        note("within", pathlib.Path(__file__).name, f"chroot: {said}")
    else:
        assert code == 0, out + said


def main(build, stub, torch=""):
    with tempfile.TemporaryDirectory(prefix="benchbench-gpu-pack-") as folder:
        file = pathlib.Path(folder, "carried.tar.gz")
        code, out, said = pack(file, "--build", build)
        assert code == 0, (code, out, said)
        check_size(file, out)
        with tarfile.open(file) as archive:
            archive.extractall(folder + "/box")
        there = pathlib.Path(folder, "box", "benchbench").resolve()
        check_layout(there)
        check_libraries(there)
        check_on_stub(there, stub, folder)
        check_errors(build, folder)
        if torch:
            check_torch(there, torch, folder)
        if torch and all_are_asked_for():
            check_chroot(file, stub, torch)
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main(*sys.argv[1:])
