"""Offline, quiet, and nothing of a run is run."""

from site_of_pages import embedded

LONG = "x" * 190 + "<b>end</b>"


def check_console_is_clean_and_nothing_is_asked_for(site):
    for path in (site.swept(), compared(site)):
        opened = site.look_at(path)
        page = opened.ready()
        page.mouse.wheel(0, 20000)
        assert opened.said == [], opened.said
        assert opened.asked == [f"file://{path}"], opened.asked


def compared(site):
    site.store("swept")
    site.store("slower", arguments=("--set", "trainer.step_time=6ms"))
    path = site.folder / "compared.html"
    if path.exists():
        return path
    site.run(
        "compare",
        site.folder / "run-swept",
        site.folder / "run-slower",
        "--across",
        "trainer.step_time",
        "--html",
        path,
        codes=(0, 3, 4),
    )
    return path


def check_policy_is_in_force(site):
    broken = site.folder / "injected.html"
    broken.write_text(
        site.swept()
        .read_text()
        .replace(
            "<main>",
            "<main><script>window.injected = 1</script><img src='http://localhost:9/x.png'>",
            1,
        )
    )
    opened = site.open(broken)
    page = opened.ready()
    assert page.evaluate("window.injected") is None
    assert any("Content Security Policy" in said for said in opened.said), opened.said
    policy = page.evaluate("document.querySelector('meta[http-equiv]').content")
    assert policy.count("sha256-") == 3 and "unsafe" not in policy, policy


def check_changed_script_does_not_run(site):
    changed = site.folder / "changed.html"
    changed.write_text(
        site.swept().read_text().replace('"use strict";', '"use strict"; window.changed = 1;')
    )
    opened = site.open(changed)  # until all of its scripts have run that may
    assert any("Content Security Policy" in said for said in opened.said), opened.said
    assert opened.page.evaluate("window.changed") is None
    assert opened.page.evaluate("document.documentElement.dataset.ready") is None


def check_names_are_text(site):
    hostile = (
        "<img src=x onerror=window.injected=1></script><script>window.injected=2</script>\u0007"
    )
    site.store("hostile", question=hostile + LONG, sweep="loader.num_workers: [4]")
    path = site.page_of("hostile")
    opened = site.open(path, width=360)
    page = opened.ready()
    assert page.evaluate("window.injected") is None
    assert page.evaluate("document.images.length") == 0
    assert "<img src=x onerror=window.injected=1></script>" in page.inner_text(".question")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
        "a long name widens the page"
    )
    assert embedded(page, "report")["question"].startswith("<img src=x")


def check_same_store_same_bytes(site):
    site.store("swept")
    first = site.swept().read_bytes()
    for environment in (
        {"TZ": "Asia/Kolkata", "LC_ALL": "C"},
        {"TZ": "America/St_Johns", "LC_ALL": "de_DE.UTF-8", "LANG": "tr_TR.UTF-8"},
    ):
        again = site.folder / "again.html"
        site.run("report", site.folder / "run-swept", "--html", again, env=environment)
        assert again.read_bytes() == first, environment
