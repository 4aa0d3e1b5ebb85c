"""The pages that the cases open, each made once, and how they are opened."""

import base64
import gzip
import json
import os
import subprocess

MOCKS = """name: {name}
question: {question}
loader: {{use: synthetic, num_workers: 2, batch_size: 32, batch_time: 5ms}}
trainer: {{use: timed, step_time: 2ms, device: cpu}}
{sweep}
measure: {{rounds: {rounds}, class: selftest, window: 1s, window_batches: 100}}
"""

LIMIT_S = 1800  # only what hangs takes so long, with sanitizers too


def only_with_all(case):
    """Marks a case that is not in the sample."""
    case.only_with_all = True
    return case


class Opened:
    """A page, with what the console said and what it asked the network for."""

    def __init__(self, context, path, fragment=""):
        self.said, self.asked = [], []
        self.page = context.new_page()
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(f"file://{path}{fragment}")

    def ready(self):
        self.page.wait_for_function("document.documentElement.dataset.ready === 'true'")
        return self.page


class Site:
    def __init__(self, browser, program, folder):
        self.browser, self.program, self.folder = browser, program, folder
        self.made, self.contexts, self.looked_at = {}, [], {}

    def run(self, *arguments, env=None, codes=(0,)):
        ran = subprocess.run(
            [self.program, *map(str, arguments)],
            cwd=self.folder,
            env={**os.environ, **(env or {})},
            text=True,
            errors="replace",
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )
        assert ran.returncode in codes, (
            arguments,
            ran.returncode,
            ran.stdout[-2000:],
            ran.stderr[-2000:],
        )
        return ran

    def store(
        self,
        name,
        sweep="loader.num_workers: [0, 4]",
        question="Which side binds?",
        rounds=5,
        arguments=(),
        codes=(0,),
        clock="simulated",
    ):
        """The folder of a run of mocks in virtual time."""
        folder = self.folder / f"run-{name}"
        if not folder.exists():
            scenario = self.folder / f"{name}.yaml"
            scenario.write_text(
                MOCKS.format(
                    name=name,
                    question=json.dumps(question),
                    sweep=f"sweep: {{{sweep}}}" if sweep else "",
                    rounds=rounds,
                )
            )
            self.run(
                "run",
                scenario,
                "--out",
                folder,
                "--quiet",
                "--clock",
                clock,
                *arguments,
                codes=codes,
            )
        return folder

    def page_of(self, name, *arguments, codes=(0,), env=None):
        """The file of a store's page."""
        path = self.folder / f"{name}.html"
        if name not in self.made:
            self.run(
                "report",
                self.folder / f"run-{name}",
                "--html",
                path,
                *arguments,
                codes=codes,
                env=env,
            )
            self.made[name] = path
        return path

    def report(self, name):
        return json.loads(
            self.run("report", self.folder / f"run-{name}", "--json", "-", codes=(0, 1, 8)).stdout
        )

    def swept(self):
        self.store("swept", arguments=("--trace", self.folder / "swept.trace"))
        return self.page_of("swept")

    def open(self, path, fragment="", width=1280, height=900, **context):
        made = self.browser.new_context(viewport={"width": width, "height": height}, **context)
        made.set_default_timeout(1000 * LIMIT_S)
        self.contexts.append(made)
        return Opened(made, path, fragment)

    def look_at(self, path):
        """The page as it opens, shared by the cases that leave it as it was."""
        if path not in self.looked_at:
            self.looked_at[path] = self.open(path)
            self.contexts.pop()
        return self.looked_at[path]

    def close_pages(self):
        for context in self.contexts:
            context.close()
        self.contexts = []


def embedded(page, name):
    document = json.loads(page.evaluate(f"document.getElementById('{name}').textContent"))
    return (
        json.loads(gzip.decompress(base64.b64decode(document["gzip_base64"])))
        if "gzip_base64" in document
        else document
    )
