#!/usr/bin/env python3
"""media.py PROGRAM SHIM [--whole] [--only FORMAT,FORMAT] [--show]: a disk that cannot read one
byte, under each format's reader.

The data of each format are made; then every read of one byte of one of their files fails with EIO,
and a sweep is to end with trials that FAILED, or to refuse the data, with the file and the cause
named. Without --whole one byte of each format that a reader comes to, with BENCHBENCH_TEST_ALL
four; --whole: more bytes of more files."""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import sys
import traceback

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "run")]

from counts import all_are_asked_for, note, note_end  # noqa: E402
from place import Place  # noqa: E402
from state import State  # noqa: E402

LOADER = """name: media
loader: {use: native, num_workers: 1, batch_size: 8, access: sequentialIO}
trainer: {use: discard}
dataset: {format: FORMAT, SYNTHESIZE}
measure:
  {class: selftest, window: 200ms, window_batches: 100, rounds: 1, modes: loader, observer: 0}
"""
IMAGES = "synthesize: {samples: 32, seed: 3, image: {mean_width: 48, mean_height: 48}}"
TOKENS = (
    "synthesize: {samples: 64, seed: 3, tokens: {mean_length: 100, min_length: 16, "
    "max_length: 200, vocab_size: 1000}}"
)
VOLUMES = (
    "synthesize: {samples: 32, seed: 3, volume: {depth: 8, height: 16, width: 16, dtype: int16}}"
)
ARRAYS = ("npy", "npz", "npz_deflated", "hdf5_contiguous", "hdf5_chunked", "hdf5_gzip")


def scenario(made):
    data, transform = (IMAGES, "random_resized_crop: 32")
    if made == "tokens":
        data, transform = (TOKENS, "max_length: 200, pad_to_multiple_of: 8, pad_token_id: 0")
    elif made in ARRAYS:
        data, transform = (VOLUMES, "")
    text = LOADER.replace("FORMAT", made).replace("SYNTHESIZE", data)
    return text.replace("IO}", ", transform: {" + transform + "}}" if transform else "}")


def bytes_of(files, whole):
    """[(file, byte)]: of the largest file, or of every file, some."""
    largest = max(files, key=lambda path: path.stat().st_size)
    for path in sorted(files) if whole else [largest]:
        size = path.stat().st_size
        places = [size // 2, size // 3, size // 5, size // 7]
        for at in dict.fromkeys(places + [0, size - 1, size // 11] if whole else places):
            yield path, at


def dataset_of(path):
    """The name of the folder that all data of one format are in."""
    return path.parts[path.parts.index("datasets") + 1]


def is_padding(place, path, at):
    """True if the data are the same with another value of that byte: it was read ahead, by
    pages."""
    with open(path, "r+b") as file:
        file.seek(at)
        before = file.read(1)
        file.seek(at)
        file.write(bytes([before[0] ^ 0xFF]))
        file.flush()
        code, _ = place.run("data", "s.yaml", "--verify")
        file.seek(at)
        file.write(before)
    return code == 0


def check(place, shim, path, at):
    state = State(str(place.folder / "state"))
    shutil.rmtree(place.folder / "r", ignore_errors=True)
    faulty = {
        "LD_PRELOAD": shim,
        "BENCHBENCH_FAULT": f"media:{at}:EIO",
        "BENCHBENCH_FAULT_FILE": str(path),
        "BENCHBENCH_FAULT_STATE": state.path,
    }
    code, text = place.sweep(environment=faulty)
    if not state.read().hit:
        return "not read"
    if (
        code in (0, 8) and "FAILED" not in text and is_padding(place, path, at)
    ):  # 8: other processes made the trials INVALID
        return "padding"
    told = re.search("Input/output error", text) and any(
        name in text for name in (path.name, dataset_of(path))
    )
    assert code in (1, 2, 5, 8) and told, f"byte {at} of {path}: exit {code}\n{text}"
    return "said"


def formats_of(program):
    place = Place(program)
    _, text = place.run("describe", "formats")
    shutil.rmtree(place.folder)
    return re.findall(r"^  (\w+) +real", text, re.M)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("shim")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--only", type=lambda text: set(text.split(",")), default=set())
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    made_all = [
        made
        for made in formats_of(arguments.program)
        if not arguments.only or made in arguments.only
    ]
    note("started", "test_faults_media", len(made_all))
    failed, skipped = [], []

    def one(made):
        place = Place(arguments.program)
        try:
            place.write("s.yaml", scenario(made))
            code, text = place.run("data", "s.yaml")
            if "is not part of this build" in text or "Parquet" in text and code in (2, 8):
                skipped.append(made)
                note("skipped", "test_faults_media", f"{made}: not part of this build")
                return print(f"{made:<16} SKIPPED: not part of this build", flush=True)
            assert code == 0, text
            files = [
                path
                for path in (place.folder / "cache" / "datasets").glob("*/**/*")
                if path.is_file() and path.stat().st_size > 0
            ]
            results = []
            for path, at in bytes_of(files, arguments.whole):
                results.append(check(place, arguments.shim, path, at))
                if results[-1] == "said" and not (arguments.whole or all_are_asked_for()):
                    break
            assert "said" in results, "no read of any such byte"
            print(
                "{:<16} {} bytes: {} said, {} of padding, {} not read".format(
                    made, len(results), *map(results.count, ("said", "padding", "not read"))
                ),
                flush=True,
            )
        except Exception:
            failed.append(made)
            print(f"{made:<16} FAILED\n{traceback.format_exc(limit=-1)}", flush=True)
        finally:
            if arguments.show:
                print(*place.shown, sep="\n", flush=True)
            shutil.rmtree(place.folder, ignore_errors=True)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(one, made_all))
    note_end(
        "test_faults_media", len(made_all) - len(failed) - len(skipped), len(failed), len(skipped)
    )
    return 1 if failed or not made_all else 77 if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
