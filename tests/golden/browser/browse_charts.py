"""Each chart has the marks that its data ask for, and the page the figures that the JSON has."""

from browse_safety import compared
from site_of_pages import embedded


def marks(page, chart, selector):
    return page.evaluate(
        "([c, s]) => document.querySelectorAll(`figure[data-chart=${c}] .plot svg ${s}`).length",
        [chart, selector],
    )


def drawn(page):
    return page.evaluate(
        "[...document.querySelectorAll('figure.chart')].map((f) => [f.dataset.chart, "
        "f.querySelectorAll('.plot svg').length, f.querySelectorAll('.plot svg *').length])"
    )


def check_each_figure_is_drawn(site):
    for path, kinds in (
        (site.swept(), {"ratio", "anchor", "step", "costs", "axis", "distribution", "series"}),
        (compared(site), {"compare"}),
    ):
        page = site.look_at(path).ready()
        figures = drawn(page)
        assert {kind for kind, _, _ in figures} >= kinds, figures
        assert all(svg >= 1 and marks_in > 8 for _, svg, marks_in in figures), figures
        unnamed = page.evaluate(
            "[...document.querySelectorAll('.plot svg')].filter((s) => s.getAttribute('role') !== "
            "'img' || !(s.getAttribute('aria-label') || "
            "document.getElementById(s.getAttribute('aria-labelledby')))).length"
        )
        assert unnamed == 0


def check_marks_are_those_of_the_data(site):
    page = site.look_at(site.swept()).ready()
    data = embedded(page, "pictures")
    assert marks(page, "ratio", "[data-mark=value]") == len(data["ratio"][0]["rows"])
    assert marks(page, "ratio", "[data-mark=round]") == sum(
        len(row["rounds"]) for row in data["ratio"][0]["rows"]
    )
    assert marks(page, "anchor", "[data-mark=run]") == len(data["anchor"]["rows"])
    assert marks(page, "step", "[data-mark=part]") == sum(
        1 for row in data["step"]["rows"] for part in row["parts"] if part["ms"] > 0
    )
    assert marks(page, "costs", "[data-mark=bar]") == len(data["costs"]["rows"])
    assert marks(page, "axis", "[data-mark=value]") == sum(
        len(line["values"]) for line in data["axes"][0]["lines"]
    )
    assert marks(page, "distribution", "[data-mark=line]") == sum(
        len(one["lines"]) for one in data["distribution"]
    )
    assert marks(page, "series", "[data-mark=line]") == sum(
        len(one["lines"]) for one in data["series"]
    )
    page = site.look_at(compared(site)).ready()
    data = embedded(page, "pictures")
    assert marks(page, "compare", "[data-mark=value]") == sum(
        len(one["rows"]) for one in data["compare"]
    )


def check_first_chart_is_to_scale(site):
    page = site.look_at(site.swept()).ready()
    report = embedded(page, "report")
    widths = page.evaluate(
        "[...document.querySelectorAll('table.times tbody')].map((t) => "
        "[...t.querySelectorAll('rect.bar')].map((r) => r.getBoundingClientRect().width))"
    )
    for point, bars in zip([p for p in report["points"] if p["base"]], widths):
        times = [
            1 / point[f"{side}_rate_samples_per_second"]["value"]
            for side in ("loader", "trainer", "pipeline")
        ]
        for bar, time in zip(bars, times):
            assert abs(bar / bars[0] - time / times[0]) < 0.01 * max(1, time / times[0]), (
                bars,
                times,
            )


def check_figures_are_those_of_the_json(site):
    page = site.look_at(site.swept()).ready()
    report = embedded(page, "report")
    assert report == site.report("swept") | {"series": report["series"]}
    assert report["series"] == site.report("swept")["series"]
    keys = page.evaluate(
        "[...document.querySelectorAll('#trials-table tbody tr')].map((r) => "
        "r.children[3].dataset.sort)"
    )
    rates = [record["rate_samples_per_second"] for record in report["records"]]
    assert len(keys) == len(rates)
    assert all(abs(float(key) - rate) < 1e-9 * rate for key, rate in zip(keys, rates))
    over = embedded(page, "pictures")["ratio"][0]["rows"]
    told = {row["point"]: row["ratio"]["value"] for row in report["over_base"]["points"]}
    assert {row["name"]: round(told[row["name"]], 3) for row in over} == {
        row["name"]: round(row["value"], 3) for row in over
    }


def check_first_screen_needs_no_script(site):
    page = site.open(site.swept(), java_script_enabled=False).page
    text = page.inner_text("main")
    assert "the loader binds" in text and "Charts below the first one" in text
    assert page.locator("table.times tbody").count() == 3
    assert page.locator("#trials-table tbody tr").count() > 20
