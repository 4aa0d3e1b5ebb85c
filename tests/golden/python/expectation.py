"""The expectations of reports on the scripts in cases/reported and cases/healthy, and verdicts on
such reports.

expect.json of a case has `faulty` and `fixed`, which is the script with --fixed; that of a control,
with which nothing is wrong, has `healthy`:

    sides             what may be said to be the limit: loader, trainer, balanced, contention; none
                      for a report that names no side, or no report
    cause             findings, of which one has to come, and places: text of the lines, of which
                      one has to be where it is; left out where nothing is wrong
    may               findings that are right besides; all others are false
    first_advice_not  what would do harm: the id of an advice, with arguments where these make it so
    codes             exit codes
    within_s          seconds after which it has ended; those of a control count from its own start
    options           of wrap, besides; may be left out

The times of a run have limits of their own: where its steps are under a second, from its first
stretch to the answer; of a hang, from the last sign of life, to the first line that says so, and to
its end.

Findings and advice are read by their ids in the JSON, never by their words."""

import dataclasses
import json
import os
from typing import Any, Dict, List, Optional

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases")
REPORTED, CONTROLS = os.path.join(CASES, "reported"), os.path.join(CASES, "healthy")
VARIANTS = ("faulty", "fixed")
HEALTHY = "healthy"  # the only variant of a control
KEYS = {"sides", "may", "first_advice_not", "codes", "within_s"}
MAY_LACK = {"cause", "options"}
SIDES = {"loader", "trainer", "balanced", "contention", "none"}
NO_SIDE = ("not measured", "unclear")
ANSWER_S = 60  # from the first stretch to the answer
SAID_S, BEYOND_PATIENCE_S = 30, 10  # of a hang, since its last sign of life
SEEN = (None, "few rounds")  # doubts with which a side is named all the same


def list_cases(folder=REPORTED):
    return sorted(name for name in os.listdir(folder) if not name.startswith("."))


def find_folder(case):
    return next(one for one in (REPORTED, CONTROLS) if case in list_cases(one))


def list_variants(case):
    return VARIANTS if find_folder(case) == REPORTED else (HEALTHY,)


def find_script(case):
    return os.path.join(find_folder(case), case, "train.py")


def find_line(script, text):
    """Returns FILE:LINE of the first line of the script that holds the text."""
    with open(script, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if text in line:
                return f"{os.path.basename(script)}:{number}"
    raise ValueError(f"{script} has no line with: {text}")


def read_expectation(case, variant, folder=None):
    """Returns what is expected of a variant, with places as FILE:LINE."""
    path = os.path.join(folder or find_folder(case), case, "expect.json")
    with open(path, encoding="utf-8") as file:
        expected = json.load(file)[variant]
    wrong = (set(expected) - MAY_LACK) ^ KEYS
    wrong |= set(expected.get("sides", ())) - SIDES
    if wrong:
        raise ValueError(f"expect.json of {case}, {variant}: wrong or missing: {sorted(wrong)}")
    if "cause" in expected:
        places = expected["cause"]["places"]
        expected["cause"]["places"] = [find_line(find_script(case), text) for text in places]
    return expected


@dataclasses.dataclass
class Run:
    """The result of a run of `benchbench wrap`; `code` is None where it had to be ended."""

    code: Optional[int]
    seconds: float
    report: Optional[Dict[str, Any]] = None
    left: int = 0  # processes that were running afterwards, and files
    start: float = 0  # seconds that the script itself takes to begin; 0 where they count
    patience: float = 60  # seconds without a sign of life that are a hang


@dataclasses.dataclass
class Verdict:
    """The right and the wrong of a report. `caused` and `placed` are None where nothing is wrong
    with the script."""

    case: str
    variant: str
    seconds: float
    code: Optional[int]
    side: str
    sides: List[str]
    ended: bool
    exits: bool  # with an exit code that is right
    noisy: bool  # noise may have decided the side, the settings to use or the first advice
    false: List[str]
    advice: str
    harms: bool
    left: int
    caused: Optional[bool]
    causes: List[str]
    placed: Optional[bool]
    where: str
    times: Dict[str, float]  # seconds: start, answer; of a hang said, hung
    late: List[str]  # those that are beyond their limit

    @property
    def holds(self):
        """True if it ends, leaves nothing, and says nothing that is wrong."""
        return (
            self.ended
            and self.exits
            and self.side in self.sides
            and not (self.false or self.harms or self.left or self.late)
        )

    @property
    def word(self):
        if not self.holds:
            return "WRONG"
        return "right" if self.caused is not False and self.placed is not False else "no cause"


def read_side(report):
    """Returns the side that a report names, "none" where it names none."""
    values = report["conclusion_values"] if report else {"binds": "unclear", "doubt": None}
    is_named = values["binds"] not in NO_SIDE and values["doubt"] in SEEN
    return values["binds"] if is_named else "none"


def read_findings(report):
    """Returns {id: [FILE:LINE, ...]}, in which files have no folder."""
    found = {}
    for one in ((report or {}).get("external") or {}).get("findings", ()):
        places = found.setdefault(one["kind"], [])
        if one["where"]:
            places.append(os.path.basename(one["where"]))
    return found


def read_first_advice(report):
    """Returns the first advice, or None."""
    advice = report["conclusion_values"]["advice"] if report else ()
    return advice[0] if advice else None


def read_times(run):
    """Returns {name: (seconds, most seconds or None)} of the times that a report has."""
    ending = (run.report or {}).get("ending") or {}
    hang, first = ending.get("hang"), ending.get("first_stretch_s")
    found = {} if first is None else {"start": (first, None)}
    if hang:
        found["said"] = (hang["said_after_s"], SAID_S)
        found["hung"] = (run.seconds - hang["last_sign_s"], run.patience + BEYOND_PATIENCE_S)
    elif first is not None:
        found["answer"] = (run.seconds - first, None if has_slow_steps(run.report) else ANSWER_S)
    return found


def has_slow_steps(report):
    return any(((one.get("step_ms") or {}).get("value") or 0) >= 1000 for one in report["points"])


def list_late(times):
    """Returns the names of the times that are beyond their limit."""
    return [name for name, (seconds, most) in times.items() if most and seconds > most]


def is_like(advice, unwanted):
    """True if an advice has the id, and all arguments that are named."""
    wanted = unwanted.get("arguments", {}).items()
    return advice["id"] == unwanted["id"] and wanted <= advice["arguments"].items()


def judge(case, variant, expected, run):
    found, advice = read_findings(run.report), read_first_advice(run.report)
    cause = expected.get("cause")
    named = [one for one in cause["findings"] if one in found] if cause else []
    where = [place for one in named for place in found[one]]
    wanted = (cause["findings"] if cause else []) + expected["may"]
    times = read_times(run)
    return Verdict(
        case=case,
        variant=variant,
        seconds=run.seconds,
        code=run.code,
        side=read_side(run.report),
        sides=expected["sides"],
        ended=run.code is not None and run.seconds - run.start <= expected["within_s"],
        exits=run.code in expected["codes"],
        noisy=bool(run.report) and run.report["conclusion_values"]["noisy"],
        false=sorted(one for one in found if one not in wanted),
        advice=advice["id"] if advice else "",
        harms=bool(advice) and any(is_like(advice, one) for one in expected["first_advice_not"]),
        left=run.left,
        caused=bool(named) if cause else None,
        causes=cause["findings"] if cause else [],
        placed=bool(set(where) & set(cause["places"])) if cause else None,
        where=", ".join(where),
        times={name: seconds for name, (seconds, _) in times.items()},
        late=list_late(times),
    )


def time_cell(name):
    """Returns the function that writes this time of a verdict."""

    def write(verdict):
        if name not in verdict.times:
            return "-"
        return f"{verdict.times[name]:.0f} s" + (" LATE" if name in verdict.late else "")

    return write


HEADS = (
    ("case", lambda v: v.case if v.variant == HEALTHY else v.case.partition("_")[0]),
    ("variant", lambda v: v.variant),
    ("ends", lambda v: f"{v.seconds:.0f} s" + ("" if v.ended else " LATE" if v.exits else " NO")),
    *((name, time_cell(name)) for name in ("start", "answer", "said", "hung")),
    ("exit", lambda v: "-" if v.code is None else f"{v.code}{'' if v.exits else ' WRONG'}"),
    ("side", lambda v: v.side + ("" if v.side in v.sides else f", not {'/'.join(v.sides)}")),
    ("false findings", lambda v: ", ".join(v.false) or "-"),
    ("first advice", lambda v: (v.advice or "-") + (" HARMS" if v.harms else "")),
    ("cause", lambda v: {None: "-", True: "yes"}.get(v.caused, f"no {'/'.join(v.causes)}")),
    ("place", lambda v: {None: "-", True: v.where, False: f"no {v.where}".strip()}[v.placed]),
    ("left", lambda v: str(v.left)),
    ("noisy", lambda v: "NOISY" if v.noisy else "-"),
    ("verdict", lambda v: v.word),
)


def list_noisy(verdicts):
    """Returns the controls that are NOISY; of ten, one may be."""
    return [v.case for v in verdicts if v.variant == HEALTHY and v.noisy]


def line_up(rows):
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows]


def lay_out_table(verdicts):
    """Returns the lines of a table with a row for each verdict, and one of how many are right."""
    rows = [[head for head, _ in HEADS]] + [[text(v) for _, text in HEADS] for v in verdicts]
    asked = [v for v in verdicts if v.caused is not None]
    return line_up(rows) + [
        f"{sum(v.holds for v in verdicts)} of {len(verdicts)} end in time and say nothing wrong; "
        f"{sum(v.word == 'right' for v in asked)} of {len(asked)} faults with cause and place; "
        f"{sum(v.left for v in verdicts)} processes and files left behind"
    ]
