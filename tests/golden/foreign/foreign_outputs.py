"""What a run is told in for other programs, read by their own readers: junitparser,
prometheus_client, jsonschema."""

import json
import os
import re
import shutil
import subprocess
import tempfile

import jsonschema
import junitparser
import prometheus_client.parser

# Two rounds in virtual time.
SCENARIO = """\
name: outputs
loader: {use: synthetic, num_workers: 2, batch_size: 4, batch_time: 2ms}
trainer: {use: timed, step_time: 1ms}
measure: {class: selftest, window: 200ms, window_batches: 100, rounds: 2}
sweep: {loader.num_workers: [1, 2, 4]}
"""

# Reports with members that a plain sweep of mocks does not have.
SCENARIOS = {
    "substituted": SCENARIO.replace(
        "rounds: 2", "rounds: 3, substitute: true, interference: true, au_at_least: 0.9"
    ),
    "data": """\
name: data
dataset:
  format: image_folder
  synthesize: {samples: 96, image: {mean_width: 48, mean_height: 32}, classes: 4}
loader: {use: native, num_workers: 1, batch_size: 16, transform: {random_resized_crop: 32}}
trainer: {use: discard}
measure: {class: selftest, window: 200ms, window_batches: 100, rounds: 1}
""",
    "faulty": """\
name: faulty
loader: {use: faulty, num_workers: 1, batch_size: 4, fault: throw}
trainer: {use: timed, step_time: 1ms}
measure: {class: selftest, window: 200ms, window_batches: 100, rounds: 1}
""",
}


# The folder of the run that the checks begin with, made by the first of them.
shared = tempfile.TemporaryDirectory(prefix="benchbench-foreign-run-")


def ran(place):
    """The run with its outputs, each in a file that is named as its option, in the check's
    folder."""
    if not os.listdir(shared.name):
        make_run(place.program)
    shutil.copytree(shared.name, place.folder, dirs_exist_ok=True)


def make_run(program):
    with open(os.path.join(shared.name, "scenario.yaml"), "w", encoding="utf-8") as file:
        file.write(SCENARIO)
    words = "run scenario.yaml --clock simulated --out run --junit junit --json json"
    done = subprocess.run(
        [program, *words.split(), "--prometheus", "prometheus"],
        cwd=shared.name,
        env=dict(os.environ, BENCHBENCH_CACHE=os.path.join(shared.name, "cache")),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr


def read(place, name):
    with open(place.at(name), encoding="utf-8") as file:
        return file.read()


def check_junit(place):
    ran(place)
    points = json.loads(read(place, "json"))["points"]
    (suite,) = junitparser.JUnitXml.fromfile(place.at("junit"))
    cases = list(suite)
    assert suite.tests == len(cases) == 5 * len(points), (suite.tests, len(cases), len(points))
    assert (suite.failures, suite.errors) == (0, 0)
    assert suite.name == cases[0].classname == "outputs", suite.name
    by_name = {case.name: case for case in cases}
    assert len(by_name) == len(cases), "two cases have one name"
    for point in points:
        case = by_name[f"pipeline_rate_samples_per_second {point['name']}"]
        values = {p.name: p.value for p in case.child(junitparser.Properties)}
        assert (
            abs(float(values["value"]) / point["pipeline_rate_samples_per_second"]["value"] - 1)
            < 1e-9
        ), values
        assert values["status"] == "VALID" and case.is_passed, values
    assert {p.name: p.value for p in suite.properties()}["clock"] == "simulated"


def check_prometheus(place):
    ran(place)
    points = {p["name"]: p for p in json.loads(read(place, "json"))["points"]}
    families = {
        f.name: f
        for f in prometheus_client.parser.text_string_to_metric_families(read(place, "prometheus"))
    }
    rates = families["benchbench_pipeline_rate_samples_per_second"].samples
    assert len(rates) == len(points)
    for sample in rates:
        assert sample.labels["scenario"] == "outputs", sample
        told = points[sample.labels["point"]]["pipeline_rate_samples_per_second"]["value"]
        assert abs(sample.value / told - 1) < 1e-9, sample
    assert all(f.type == "gauge" and f.documentation for f in families.values())
    assert not os.path.exists(place.at("prometheus.part"))


def schema():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
    with open(os.path.join(root, "docs", "report.schema.json"), encoding="utf-8") as file:
        return json.load(file)


def closed(node):
    """The same schema, but no member may be there that it does not describe."""
    if isinstance(node, list):
        return [closed(one) for one in node]
    if not isinstance(node, dict):
        return node
    node = {key: closed(value) for key, value in node.items()}
    if "properties" in node and "required" in node:
        node.setdefault("additionalProperties", False)
    return node


def errors_of(document):
    validator = jsonschema.Draft202012Validator(closed(schema()))
    return [
        f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}"
        for e in validator.iter_errors(document)
    ]


def check_schema_is_one(place):
    jsonschema.Draft202012Validator.check_schema(schema())


def check_json_against_schema(place):
    ran(place)
    report = json.loads(read(place, "json"))
    assert not errors_of(report), errors_of(report)[:10]
    assert report["points"][0]["setting_values"]["loader.batch_time"] == {
        "type": "duration",
        "value": 2_000_000,
        "unit": "ns",
    }


def check_schema_refuses(place):
    """What a report must not be: numbers as text, statuses of no kind, settings of another type,
    members left out."""
    ran(place)
    text = read(place, "json")

    def refused(change):
        report = json.loads(text)
        change(report)
        return bool(errors_of(report))

    def rate_as_text(report):
        report["points"][0]["loader_rate_samples_per_second"]["value"] = "1000"

    def status_of_no_kind(report):
        report["points"][0]["status"] = "GOOD"

    def setting_of_another_type(report):
        report["points"][0]["setting_values"]["loader.num_workers"]["value"] = "2"

    def duration_without_unit(report):
        del report["points"][0]["setting_values"]["loader.batch_time"]["unit"]

    def without_records(report):
        del report["records"]

    def another_version(report):
        report["schema"] = "benchbench.report/2"

    for change in (
        rate_as_text,
        status_of_no_kind,
        setting_of_another_type,
        duration_without_unit,
        without_records,
        another_version,
    ):
        assert refused(change), change.__name__
    assert not refused(lambda report: None)


def check_json_of_other_runs(place):
    """Substitution, interference, goals, a failing loader, skipped points."""
    for name, scenario in SCENARIOS.items():
        with open(place.at("other.yaml"), "w", encoding="utf-8") as file:
            file.write(scenario)
        clock = "real" if "native" in scenario else "simulated"
        words = ["run", place.at("other.yaml"), "--clock", clock, "--out", place.at(name)]
        done = subprocess.run(
            [place.program, *words, "--json", "-"],
            env=dict(os.environ, BENCHBENCH_CACHE=place.at("cache")),
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode in (0, 1, 8), (name, done.stderr)
        errors = errors_of(json.loads(done.stdout))
        assert not errors, (name, errors[:10])


def pandas_code(page):
    """The one block of Python in a page that makes a data frame."""
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
    with open(os.path.join(root, page), encoding="utf-8") as file:
        blocks = re.findall(r"```python\n(.*?)```", file.read(), re.DOTALL)
    (code,) = [block for block in blocks if "DataFrame" in block]
    return code


def check_hdf5_in_pandas(place):
    """As README.md and results/README.md say, in the run's folder."""
    ran(place)
    told = json.loads(read(place, "json"))["points"]
    for page in ("README.md", os.path.join("results", "README.md")):
        before = os.getcwd()
        os.chdir(place.at("run"))
        try:
            names = {}
            exec(pandas_code(page), names)
        finally:
            os.chdir(before)
        points = names["points"]
        assert list(points["point"]) == [p["name"] for p in told], points["point"]
        assert set(points["status"]) == {"VALID"}
        for column in (
            "loader_rate_samples_per_second",
            "trainer_rate_samples_per_second",
            "pipeline_rate_samples_per_second",
        ):
            for row, point in zip(points.itertuples(), told):
                assert abs(getattr(row, column) / point[column]["value"] - 1) < 1e-12, (column, row)
                assert getattr(row, column + "_n") == point[column]["n"]
        assert points["cache_share"].isna().all(), "what was not measured is NaN"
