"""What an accessibility checker (axe) finds: nothing. What it could not decide is listed, and
judged here."""

from axe_playwright_python.sync_playwright import Axe
from browse_safety import compared
from site_of_pages import only_with_all

# Rule of axe -> why it is no violation here. Anything else that it cannot decide fails the case.
JUDGED = {
    "color-contrast": "text over marks of a chart: each such label has the page's text colour with "
    "a halo, or white on a colour of at least 4.5:1",
}


@only_with_all
def check_axe(site):
    undecided = set()
    for path in (site.swept(), compared(site)):
        for scheme in ("light", "dark"):
            for width in (1280, 360):
                page = site.open(path, width=width, color_scheme=scheme, bypass_csp=True).ready()
                found = Axe().run(page).response
                broken = [
                    (v["id"], [node["html"][:160] for node in v["nodes"]][:3])
                    for v in found["violations"]
                ]
                assert broken == [], (path.name, scheme, width, broken)
                assert len(found["passes"]) > 15
                undecided |= {rule["id"] for rule in found["incomplete"]}
    assert undecided <= set(JUDGED), undecided
