"""All contests that were asked for, one after the other; a contest that breaks gives lines that say
so."""

from dataclasses import asdict

from contest import contests, storage
from contest.contestant import Failed, Result
from contest.progress import Progress


def wanted(settings):
    """Yields (name, run, make_rows, their arguments, names of the contestants) of each contest."""
    peers, nulls = (
        [name for name in those if name in settings.only]
        for those in (contests.PEERS, contests.NULL)
    )
    for workers in settings.workers if peers else ():
        run = contests.image_contest, contests.image_rows, (workers,)
        yield (f"images, {workers} workers", *run, peers)
    for workers in settings.workers if nulls else ():
        for prefetch in contests.HAND_OVER_PREFETCH:
            what = f"null batches, {workers} workers, prefetch {prefetch}"
            run = contests.hand_over_contest, contests.hand_over_rows, (workers, prefetch)
            yield (what, *run, nulls)
    for pattern in storage.PATTERNS:
        if f"fio-{pattern}" in settings.only:
            run = contests.storage_contest, contests.storage_rows, (pattern,)
            yield (f"cold reads, {pattern}", *run, ["fio"])


def run_all(stage):
    """Returns (rows, details): details has every slice, for --json."""
    settings, rows, details = stage.settings, [], []
    all_of_them = list(wanted(settings))
    contestants = sum(1 + len(names) for *_, names in all_of_them)
    tell = Progress(contestants * (settings.rounds + 1), settings.seconds + 2)
    for name, run, make_rows, words, names in all_of_them:
        try:
            results = run(stage, *words, tell)
        except Failed as failure:
            results = {who: Result(who, failure=str(failure)) for who in ["ours", *names]}
        details.append({"contest": name, "results": [told(one) for one in results.values()]})
        rows += make_rows(results, *words)
    return rows, details


def told(result):
    made = asdict(result)
    slices = sorted(made.pop("slices").items())
    return {**made, "slices": {str(number): slice for number, slice in slices}}
