"""Runs with little in them, and runs with much."""

import json
import pathlib
import shutil
import tarfile

from site_of_pages import embedded, only_with_all


@only_with_all
def check_one_point_one_round(site):
    site.store("alone", sweep="", rounds=1)
    opened = site.open(site.page_of("alone"))
    page = opened.ready()
    assert "There is one point, so nothing is compared with it." in page.inner_text("#real")
    assert "Nothing was swept" in page.inner_text("#time")
    assert opened.said == []


def check_invalid_trials(site):
    """All but the trainer's have too few batches for their class, which the page must not draw."""
    site.store(
        "invalid",
        arguments=(
            "--set",
            "trainer.step_time=6ms",
            "--set",
            "measure.window=200ms",
            "--set",
            "measure.window_batches=50",
        ),
        codes=(0, 1, 8),
    )
    opened = site.open(site.page_of("invalid", codes=(0, 1, 8)))
    page = opened.ready()
    statuses = [record["status"] for record in embedded(page, "report")["records"]]
    assert statuses.count("INVALID") > len(statuses) / 2, statuses
    assert page.locator("#trials-table .status.invalid").count() == statuses.count("INVALID")
    assert page.locator("table.times tr.invalid").count() > 0
    assert page.locator("table.times tr.invalid rect.bar").count() == 0
    assert (
        page.locator("table.times tr.invalid .status.invalid").count()
        == page.locator("table.times tr.invalid").count()
    )
    assert opened.said == []


@only_with_all
def check_series_that_are_gone(site):
    site.store("swept")
    folder = site.folder / "run-gone"
    shutil.copytree(site.folder / "run-swept", folder, dirs_exist_ok=True)
    shutil.rmtree(folder / "series")
    opened = site.open(site.page_of("gone"))
    page = opened.ready()
    assert "The store's series could not be read" in page.inner_text("#time")
    assert page.locator("figure[data-chart=series]").count() == 0
    assert opened.said == []


@only_with_all
def check_a_stored_resnet(site):
    """A real run with real JPEGs, as its store was packed: `run configs/resnet.yaml --rounds 3`,
    without results.h5."""
    with tarfile.open(pathlib.Path(__file__).parent / "resnet.tar.gz") as packed:
        packed.extractall(site.folder, filter="data") if hasattr(
            tarfile, "data_filter"
        ) else packed.extractall(site.folder)
    opened = site.open(site.page_of("resnet", codes=(0, 1, 8)))
    page = opened.ready()
    report = embedded(page, "report")
    drawn = page.evaluate(
        "[...document.querySelectorAll('figure.chart')].map((f) => f.dataset.chart)"
    )
    assert {"ratio", "anchor", "step", "costs", "axis", "distribution", "series", "probes"} <= set(
        drawn
    ), drawn
    assert drawn.count("axis") == sum(
        1
        for axis in report["axes"]
        if axis["outcome"] not in ("could not be tried", "invalid", "not compared")
    )
    assert page.evaluate(
        "[...document.querySelectorAll('figure.chart')].every((f) => f.querySelector('.plot svg'))"
    )
    assert page.locator("table.times tbody").count() == len(report["points"])
    assert "resnet" in page.inner_text("h1") and report["conclusion"].split(".")[
        0
    ] in page.inner_text("#answer")
    assert page.locator(".status.skipped").count() > 0  # pin_memory, on a machine without a GPU
    assert opened.said == []


@only_with_all
def check_five_hundred_trials(site):
    values = ", ".join(f"{1 + i / 100:.2f}ms" for i in range(52))
    site.store("many", sweep=f"loader.batch_time: [{values}]", rounds=5)
    path = site.page_of("many")
    assert path.stat().st_size < 3e6, path.stat().st_size
    page = site.open(path).ready()
    assert page.locator("#trials-table tbody tr").count() >= 500


@only_with_all
def check_a_thousand_points(site):
    values = ", ".join(f"{1000 + i}us" for i in range(1000))
    site.store("most", sweep=f"loader.batch_time: [{values}]", rounds=1)
    path = site.page_of("most")
    assert path.stat().st_size < 8e6, path.stat().st_size
    opened = site.open(path, accept_downloads=True)
    page = opened.ready()
    with page.expect_download() as saved:
        page.click("#save-json")
    assert (
        json.loads(saved.value.path().read_text())
        == embedded(page, "report")
        == site.report("most")
    )
    assert page.locator("#points-table tbody tr").count() >= 1000
    assert page.locator("table.times tbody").count() == 40
    assert "40 of 1,00" in page.inner_text("#times figcaption")
    assert opened.said == []


def check_a_page_that_cannot_be_written(site):
    site.store("swept")
    for target in ("/dev/full", site.folder):
        ran = site.run("report", site.folder / "run-swept", "--html", target, codes=(5,))
        assert str(target) in ran.stderr and "loader" in ran.stdout
