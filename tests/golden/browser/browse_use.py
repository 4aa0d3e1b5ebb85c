"""To work with: sorting, filtering, saving, links, keys, print, narrow and dark."""

import json

from browse_safety import compared
from counts import all_are_asked_for
from site_of_pages import embedded

COLUMN = (
    "[...document.querySelectorAll('#trials-table tbody tr:not([hidden])')]"
    ".map((r) => r.children[3].dataset.sort).map((value) => value === '' ? null : +value)"
)


def sort_button(page):
    return page.locator("#trials-table thead th:nth-child(4) button.sort")


def check_sorting(site):
    page = site.look_at(site.swept()).ready()
    original = page.evaluate(COLUMN)
    orders = []
    for _ in range(3):
        sort_button(page).click()
        orders.append(
            (
                page.evaluate(COLUMN),
                page.get_attribute("#trials-table thead th:nth-child(4)", "aria-sort"),
            )
        )
    assert {order for _, order in orders[:2]} == {"ascending", "descending"}, orders
    for values, order in orders[:2]:
        assert values == sorted(values, reverse=order == "descending")
    assert orders[2][0] == original and orders[2][1] in (None, "none")
    assert original != sorted(original) and original != sorted(original, reverse=True)


def check_filtering(site):
    page = site.look_at(site.swept()).ready()
    box = page.locator("input[data-for=trials-table]")
    rows = (
        "[...document.querySelectorAll('#trials-table tbody tr')]"
        ".filter((r) => r.offsetParent !== null).map((r) => r.textContent)"
    )
    every = page.evaluate(rows)
    box.fill("PIPELINE num_workers=4")
    kept = page.evaluate(rows)
    assert 0 < len(kept) < len(every) and all(
        "pipeline" in row and "num_workers=4" in row for row in kept
    ), kept[:3]
    assert f"{len(kept)} of {len(every)}" in page.inner_text("output[data-count=trials-table]")
    box.fill("no such row")
    assert page.evaluate(rows) == []
    box.fill("")
    assert page.evaluate(rows) == every


def check_saving(site):
    page = site.look_at(site.swept()).ready()
    with page.expect_download() as saved:
        page.click("#save-json")
    document = json.loads(saved.value.path().read_text())
    assert document == site.report("swept")
    assert saved.value.suggested_filename == "swept.json"
    with page.expect_download() as saved:
        page.click("#save-trace")
    assert saved.value.path().read_bytes() == (site.folder / "swept.trace").read_bytes()
    assert "ui.perfetto.dev" in page.inner_text(".actions")


def check_links_to_a_point(site):
    page = site.open(site.swept(), "#point-2").ready()
    top = page.evaluate("document.getElementById('point-2').getBoundingClientRect().top")
    assert -5 <= top <= 900, top
    assert page.evaluate("document.querySelector(':target').id") == "point-2"
    targets = page.evaluate(
        "[...document.querySelectorAll('a[href^=\"#\"]')].filter((a) => "
        "!document.getElementById(a.getAttribute('href').slice(1))).length"
    )
    assert targets == 0


def check_keyboard(site):
    page = site.open(site.swept()).ready()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none", "focus cannot be seen"
    sort_button(page).focus()
    page.keyboard.press("Enter")
    first = page.evaluate(COLUMN)
    assert first == sorted(first) or first == sorted(first, reverse=True)
    wanted = {"BUTTON.sort", "SUMMARY.", "BUTTON.save-json", "INPUT."}
    reached = set()
    page.evaluate("document.activeElement.blur()")
    for _ in range(120):
        if wanted <= reached:
            break
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "document.activeElement.tagName + '.' + document.activeElement.className + "
                "document.activeElement.id"
            )
        )
    for wanted in ("BUTTON.sort", "SUMMARY.", "BUTTON.save-json", "INPUT."):
        assert wanted in reached, (wanted, reached)


def check_definitions_on_focus(site):
    page = site.look_at(site.swept()).ready()
    term = page.locator("#points-table thead button[aria-describedby]").first
    tip = page.locator("#" + term.get_attribute("aria-describedby"))
    assert not tip.is_visible()
    term.focus()
    assert tip.is_visible() and len(tip.inner_text()) > 20
    page.keyboard.press("Escape")
    assert not tip.is_visible()


def check_dark(site):
    page = site.look_at(site.swept()).ready()

    def shade(scheme, what):
        page.emulate_media(color_scheme=scheme)
        colour = page.evaluate(f"getComputedStyle(document.body).{what}")
        return sum(int(part) for part in colour[4:-1].replace("(", "").split(",")[:3])

    assert shade("dark", "backgroundColor") < 150 and shade("dark", "color") > 500
    assert shade("light", "backgroundColor") > 600 and shade("light", "color") < 200


def check_narrow(site):
    for path in (site.swept(), compared(site)) if all_are_asked_for() else (site.swept(),):
        for width in (360, 768) if all_are_asked_for() else (360,):
            page = site.open(path, width=width).ready()
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, (path, width, wide)


def check_reduced_motion(site):
    page = site.look_at(site.swept()).ready()
    page.emulate_media(reduced_motion="reduce")
    moving = page.evaluate(
        "[...document.querySelectorAll('*')].filter((e) => "
        "parseFloat(getComputedStyle(e).transitionDuration) > 0 || "
        "getComputedStyle(e).animationName !== 'none').length"
    )
    page.emulate_media(reduced_motion="no-preference")
    assert moving == 0


def check_print(site):
    page = site.look_at(site.swept()).ready()
    page.emulate_media(media="print")
    assert not page.locator("#trials-table").is_visible()
    assert page.locator("text=The table of trials is left out in print").is_visible()
    assert page.locator("table.times").is_visible() and page.locator("#points-table").is_visible()
    pdf = page.pdf()
    page.emulate_media(media="screen")
    assert pdf.startswith(b"%PDF") and pdf.count(b"/Type /Page") > 1


def check_settings_run_again(site):
    page = site.look_at(site.swept()).ready()
    assert "benchbench run " in page.inner_text("#again")
    settings = site.folder / "again.yaml"
    settings.write_text("name: again\n" + page.inner_text("#settings-0") + "\n")
    site.run("validate", settings)
    site.run("run", settings, "--quiet", "--clock", "simulated", "--out", site.folder / "run-again")
    first, second = (site.report(name)["points"][0] for name in ("swept", "again"))
    assert first["settings"] == second["settings"]


def check_values_are_embedded_once(site):
    page = site.look_at(site.swept()).ready()
    assert embedded(page, "pictures")["points"][0]["base"]
