#!/usr/bin/env python3
"""scripts/benchbench keeps a build for each choice of what is left out: to go without torch once, and with it again,
configures and builds nothing anew. With a cmake and a ninja that only note that they were called."""
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
        for name, text in (("cmake", CMAKE), ("ninja", NINJA), ("dpkg-query", "#!/bin/bash\nexit 0\n"), ("comm", "#!/bin/bash\n")):
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)

        program = Path(folder, "program")  # says which build it is of
        program.write_text('#!/bin/bash\necho "${0%/bin/*}"\n')
        program.chmod(0o755)

        def run(choice, more=None):
            notes.write_text("")
            env = {k: v for k, v in os.environ.items() if not k.startswith("BENCHBENCH_")}
            # Named folders are not looked into here, so that nothing is fetched.
            env |= {"PATH": f"{tools}:{env['PATH']}", "NOTES": str(notes), "PROGRAM": str(program), "BENCHBENCH_TORCH_DIR": "/torch",
                    "BENCHBENCH_ARROW_DIR": "/arrow"} | CHOICES[choice] | (more or {})
            ran = subprocess.run([root / "scripts/benchbench"], env=env, capture_output=True, text=True, timeout=60)
            assert ran.returncode == 0, ran.stderr
            lines = notes.read_text().splitlines()
            return ran.stdout.strip(), [l for l in lines if l.startswith("cmake")], [l for l in lines if l.startswith("ninja")]

        for choice, settings in CHOICES.items():  # the first time each is configured, in a folder of its own
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
    print("each choice has its own build")


if __name__ == "__main__":
    sys.exit(main())
