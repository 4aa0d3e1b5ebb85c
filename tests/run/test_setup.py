#!/usr/bin/env python3
"""scripts/benchbench keeps a build for each choice of what is left out: to go without torch once,
and with it again, configures and builds nothing anew. With a cmake and a ninja that only note that
they were called. And where nvcc and the programs of scripts/format come from."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

CMAKE = """#!/bin/bash
echo "cmake $*" >>"$NOTES"
while [[ $# -gt 0 && $1 != -B ]]; do shift; done
mkdir -p "$2/bin" && touch "$2/build.ninja"
cp "$PROGRAM" "$2/bin/benchbench"
"""
NINJA = """#!/bin/bash
echo "ninja $*" >>"$NOTES"
"""
CHOICES = {
    "": {},
    "-no-torch": {"BENCHBENCH_TORCH": "OFF"},
    "-no-arrow": {"BENCHBENCH_ARROW": "OFF"},
    "-no-torch-no-arrow": {"BENCHBENCH_TORCH": "OFF", "BENCHBENCH_ARROW": "OFF"},
}


def main():
    with tempfile.TemporaryDirectory() as folder:
        root, tools, notes = Path(folder, "root"), Path(folder, "tools"), Path(folder, "notes")
        shutil.copytree(ROOT / "scripts", root / "scripts")
        tools.mkdir()
        for name, text in (
            ("cmake", CMAKE),
            ("ninja", NINJA),
            ("dpkg-query", "#!/bin/bash\nexit 0\n"),
            ("comm", "#!/bin/bash\n"),
        ):
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)

        program = Path(folder, "program")  # says which build it is of
        program.write_text('#!/bin/bash\necho "${0%/bin/*}"\n')
        program.chmod(0o755)

        def run(choice, more=None):
            notes.write_text("")
            env = {k: v for k, v in os.environ.items() if not k.startswith("BENCHBENCH_")}
            # Named folders are not looked into here, so that nothing is fetched.
            env |= (
                {
                    "PATH": f"{tools}:{env['PATH']}",
                    "NOTES": str(notes),
                    "PROGRAM": str(program),
                    "BENCHBENCH_TORCH_DIR": "/torch",
                    "BENCHBENCH_ARROW_DIR": "/arrow",
                    "BENCHBENCH_NVCC": "OFF",
                }
                | CHOICES[choice]
                | (more or {})
            )
            ran = subprocess.run(
                [root / "scripts/benchbench"], env=env, capture_output=True, text=True, timeout=60
            )
            assert ran.returncode == 0, ran.stderr
            lines = notes.read_text().splitlines()
            return (
                ran.stdout.strip(),
                [line for line in lines if line.startswith("cmake")],
                [line for line in lines if line.startswith("ninja")],
            )

        for (
            choice,
            settings,
        ) in CHOICES.items():  # the first time each is configured, in a folder of its own
            came_from, configured, built = run(choice)
            wanted = str(root / "build" / f"release{choice}")
            assert came_from == wanted, (came_from, wanted)
            assert len(configured) == 1 and f"-B {wanted} " in configured[0] + " ", configured
            for name in ("TORCH", "ARROW"):
                value = settings.get(f"BENCHBENCH_{name}", "AUTO")
                assert f"-DBENCHBENCH_{name}={value}" in configured[0], configured
            assert len(built) == 1 and f"-C {wanted} " in built[0] + " ", built
        for choice in [*CHOICES, *reversed(CHOICES)]:  # ever after nothing is
            came_from, configured, _ = run(choice)
            assert came_from.endswith(f"release{choice}") and not configured, (choice, configured)
        _, configured, _ = run("", {"BENCHBENCH_TORCH_DIR": "/other"})  # another torch is
        assert len(configured) == 1, configured
        found = root / "build" / "release" / ".found"
        if (
            not os.path.exists("/dev/nvidiactl")
            and not os.path.exists("/proc/driver/nvidia/version")
            and not shutil.which("nvidia-smi")
        ):
            assert found.read_text() == "named /other, named /arrow, ", (
                found.read_text()
            )  # nvcc was not asked for
        (tools / "nvidia-smi").write_text("")
        (tools / "nvidia-smi").chmod(0o755)
        _, configured, _ = run("", {"BENCHBENCH_TORCH_DIR": "/other"})
        assert len(configured) == 1 and found.read_text() != "named /other, named /arrow, ", (
            found.read_text()
        )
    print("each choice has its own build")
    with tempfile.TemporaryDirectory() as folder:
        check_nvcc(Path(folder))
    print("nvcc is fetched once, where none is installed")
    with tempfile.TemporaryDirectory() as folder:
        check_torch(Path(folder))
    print("on a GPU box the active python's torch comes before the downloaded one")
    with tempfile.TemporaryDirectory() as folder:
        check_torch_cuda(Path(folder))
    print("CUDA's libraries for torch are fetched once, where a toolkit has the rest")
    with tempfile.TemporaryDirectory() as folder:
        check_format(Path(folder))
    print("the programs of scripts/format are fetched once")


# Installs the files of all packages, whichever it is asked for; none where OFFLINE is set.
PIP = """#!/bin/bash
[[ $* == *--version* ]] && exit 0
echo "$*" >>"$NOTES"
[[ ${OFFLINE:-} ]] && exit 1
while [[ $1 != --target ]]; do shift; done
for program in nvidia/cu13/bin/nvcc nvidia/nvshmem/lib/libnvshmem_host.so.3 \\
  clang_format/data/bin/clang-format bin/clang-format bin/ruff; do
  mkdir -p "$2/${program%/*}" && touch "$2/$program"
done
"""


def set_up(folder, commands, **more):
    """Returns what the commands print that set something up, and what pip was asked for."""
    (folder / "python3").write_text(PIP)
    (folder / "python3").chmod(0o755)
    notes = folder / "notes"
    notes.write_text("")
    env = {k: v for k, v in os.environ.items() if not k.startswith(("BENCHBENCH_", "CUDA_"))}
    env["PATH"] = f"{folder}:{env['PATH']}"
    env.update(NOTES=str(notes), XDG_CACHE_HOME=str(folder / "cache"), root=str(ROOT), **more)
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", 'source "$root/scripts/setup.sh"; ' + commands],
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip(), notes.read_text()


def check_format(folder):
    def state(**more):
        return set_up(folder, 'set_up_format; echo "$format_tools"', **more)

    assert state(BENCHBENCH_FORMAT_TOOLS="/own") == ("/own", "")
    found, asked = state(OFFLINE="yes")
    assert not found and "scripts/format_requirements.txt" in asked, (found, asked)
    assert state() == ("", "")  # a failure is remembered
    [failed] = (folder / "cache" / "benchbench").glob("*.failed")
    failed.unlink()
    found, asked = state()
    assert found == f"{failed.with_suffix('')}/bin" and asked, (found, asked)
    assert os.readlink(found + "/clang-format") == "../clang_format/data/bin/clang-format"
    assert state() == (found, "")


def check_torch_cuda(folder):
    toolkit = folder / "toolkit"
    (toolkit / "lib64").mkdir(parents=True)

    def state(**more):
        where = f"installed_nvcc() {{ echo {toolkit}/bin/nvcc; }}; set_up_torch_cuda; "
        said = 'echo "$torch_cuda_state ${BENCHBENCH_TORCH_CUDA_LIBRARIES:-}"'
        return set_up(folder, where + said, **more)

    wanted = ("cublas.so.13", "cudnn.so.9", "cufft.so.12", "curand.so.10", "cusparse.so.12")
    for name in wanted:
        (toolkit / "lib64" / f"lib{name}").touch()
    assert state() == ("none", "")  # without NCCL: nothing is fetched
    (toolkit / "lib64" / "libnccl.so.2").touch()
    assert state(BENCHBENCH_TORCH_CUDA="OFF") == ("off", "")
    where, asked = state()
    own = folder / "cache" / "benchbench" / "torch-cuda-2.11.0"
    names = ("cu13", "cusparselt", "nvshmem")
    libraries = ":".join([*(f"{own}/nvidia/{name}/lib" for name in names), f"{toolkit}/lib64"])
    assert where == f"cache {own} {libraries}", where
    assert asked.count("nvidia-") == len(names), asked
    assert state() == (where, "")


def check_torch(folder):
    """The active python has a torch, and so has the cache folder. Nothing is fetched."""
    for packages in (folder / "site", folder / "cache" / "benchbench" / "torch-2.11.0"):
        (packages / "torch").mkdir(parents=True)
        (packages / "torch" / "version.py").write_text("__version__ = '2.11.0+cu130'\n")

    def state(gpu, **more):
        env = {k: v for k, v in os.environ.items() if not k.startswith("BENCHBENCH_")}
        env.update(root=str(ROOT), XDG_CACHE_HOME=str(folder / "cache"), **more)
        env["PYTHONPATH"] = str(folder / "site")
        words = (
            'source "$root/scripts/setup.sh"; '
            f'has_nvidia_gpu() {{ {gpu}; }}; set_up_torch; echo "$torch_state"'
        )
        ran = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", words],
            env=env,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.strip()

    cached = f"cache {folder}/cache/benchbench/torch-2.11.0"
    assert state("false") == cached, state("false")
    assert state("true") == f"python {folder}/site/torch", state("true")
    assert state("true", BENCHBENCH_TORCH="OFF") == "off"
    assert state("true", BENCHBENCH_TORCH_DIR="/other") == "named /other"
    (folder / "site" / "torch" / "version.py").write_text("__version__ = '1.13.0'\n")
    assert state("true") == cached, "the active python's is too old to build with"


def check_nvcc(folder):
    def state(before="", **more):
        return set_up(folder, before + 'set_up_nvcc; echo "$nvcc_state"', **more)

    absent = "installed_nvcc() { return 1; };"
    where, asked = state(absent, BENCHBENCH_NVCC="OFF")
    assert where == "off" and not asked, (where, asked)
    fetched = f"cache {folder}/cache/benchbench/nvcc-13.0.88"
    where, asked = state(absent)
    assert where == fetched and "nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88" in asked, (
        where,
        asked,
    )
    where, asked = state(absent)
    assert where == fetched and not asked, (where, asked)
    (folder / "toolkit" / "bin").mkdir(parents=True)
    (folder / "toolkit" / "bin" / "nvcc").write_text("")
    (folder / "toolkit" / "bin" / "nvcc").chmod(0o755)
    where, asked = state(CUDA_HOME=str(folder / "toolkit"))
    assert where == f"installed {folder}/toolkit/bin/nvcc" and not asked, (where, asked)


if __name__ == "__main__":
    sys.exit(main())
