"""All contests that were asked for, one after the other; a contest that breaks gives lines that say
so."""

from contest import contests
from contest.contestant import Failed, Result
from contest.progress import Progress


def steps_of(settings):
    """How many starts and slices there will be, for the time left."""
    peers = sum(name in contests.PEERS for name in settings.only)
    nulls = sum(name in contests.NULL for name in settings.only)
    storage = sum(name in contests.FIO for name in settings.only)
    contestants = (peers + 1) * len(settings.workers) if peers else 0
    contestants += (
        (nulls + 1) * len(settings.workers) * len(contests.HAND_OVER_PREFETCH) if nulls else 0
    )
    return (contestants + 2 * storage) * (settings.rounds + 1)


def run_all(stage):
    """(rows, details): details has every slice, for --json."""
    settings = stage.settings
    tell = Progress(steps_of(settings), settings.seconds + 2)
    rows, details = [], []

    def contest(name, run, make_rows, names):
        try:
            results = run(tell)
        except Failed as failure:
            results = {who: Result(who, failure=str(failure)) for who in names}
        rows.extend(make_rows(results))
        details.append({"contest": name, "results": [told(result) for result in results.values()]})

    peers = [name for name in contests.PEERS if name in settings.only]
    for workers in settings.workers if peers else ():
        contest(
            f"images, {workers} workers",
            lambda tell: contests.image_contest(stage, workers, tell),
            lambda results: contests.image_rows(results, workers),
            ["ours", *peers],
        )
    nulls = [name for name in contests.NULL if name in settings.only]
    for workers in settings.workers if nulls else ():
        for prefetch in contests.HAND_OVER_PREFETCH:
            contest(
                f"null batches, {workers} workers, prefetch {prefetch}",
                lambda tell: contests.hand_over_contest(stage, workers, prefetch, tell),
                lambda results: contests.hand_over_rows(results, workers, prefetch),
                ["ours", *nulls],
            )
    for pattern in contests.PATTERNS:
        if f"fio-{pattern}" in settings.only:
            contest(
                f"cold reads, {pattern}",
                lambda tell: contests.storage_contest(stage, pattern, tell),
                lambda results: [contests.storage_row(results, pattern)],
                ["ours", "fio"],
            )
    return rows, details


def told(result):
    return {
        "name": result.name,
        "failure": result.failure,
        "lost": result.lost,
        "lost_rounds": result.lost_rounds,
        "first_batch": result.note,
        "slices": {
            str(number): {
                "samples": slice.samples,
                "seconds": slice.seconds,
                "cpu_seconds": slice.cpu_seconds,
            }
            for number, slice in sorted(result.slices.items())
        },
    }
