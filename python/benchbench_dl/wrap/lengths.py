"""How long a stretch is, and how many rounds there are, for what the script's batches take."""

FEW_ROUNDS = 3  # fewer than these: fewer batches are held for T
OF_REPLAY = 4  # steps of T that are not counted, beside an eighth of those that are
LEAST_BATCHES = 4  # of a stretch, where the budget is too small
LEAST_OF_ROUND = 16  # of one that ends with an epoch
MOST_STEPS = 200_000  # of a stretch of a script that is watched
LEAST_NS = 100_000_000  # of any but in ranks: class `stretch` of rule R07


def planned(plan, batch_ns, workers, prefetched, kinds=3, slower=1, waits=True):
    """`batch_ns`: of F, as it is now; `slower`: how many times as long the script takes with the
    beginnings of its epochs. What validations take comes on top: the script is stopped at
    `ends_after_ns` at the latest. `short`: fewer or shorter ones than asked for. `needed_ns`: the
    budget of one round, where the one that is given is too small for it; `waits`: steps wait for
    the loader, so that alone it takes as long."""
    group = max(1, workers)
    rounds, budget = max(1, plan.get("rounds") or 5), plan.get("budget") or {}
    size, distinct = plan.get("stretch") or {}, plan.get("distinct") or 16
    batches = whole_groups(size.get("batches") or 16, group)
    stretch = max(size.get("ns") or 0, batches * batch_ns)
    between = overhead(distinct, batch_ns, workers, prefetched, kinds)
    needed = rounds * (between + kinds * stretch)
    given = budget.get("ns")
    most = (budget.get("most_ns") or 0) / slower or needed
    limit = int(
        given * 4 // 5 / slower
        if given
        else min(max(needed, (budget.get("least_ns") or 0) / slower), most)
    )
    least = whole_groups(LEAST_BATCHES, group)
    if needed > limit:
        if limit // (between + kinds * least * batch_ns) < min(rounds, FEW_ROUNDS):
            distinct = min(distinct, LEAST_BATCHES)
            between = overhead(distinct, batch_ns, workers, prefetched, kinds)
        stretch = max(least * batch_ns, LEAST_NS, (limit // rounds - between) // kinds)
        rounds = max(1, min(rounds, int(limit // (between + kinds * stretch))))
        batches = max(least, min(int(stretch // max(1, batch_ns)) // group * group, batches))
    elif needed < limit:
        stretch = (limit // rounds - between) // kinds
    expected, one = (
        rounds * (between + kinds * stretch),
        first_round(least, distinct, batch_ns, workers, prefetched, waits),
    )
    if needed > limit and rounds == 1 and kinds == 3:
        expected = min(expected, max(one, limit))
    return {
        "rounds": rounds,
        "stretch_ns": int(stretch),
        "batches": batches,
        "expected_ns": int(expected * slower),
        "ends_after_ns": int(given or limit * slower * 2 + 10 * 10**9),
        "short": needed > limit,
        "distinct": distinct,
        "needed_ns": int(one * slower * 5 // 4) if kinds > 1 and one > limit else None,
    }


TUNE_NS = 600 * 10**9  # where no budget was given


def before_others(plan, *how):
    """The same for rounds that others follow, which most of the budget is for: as long as asked for
    where that fits."""
    given = (plan.get("budget") or {}).get("ns") or TUNE_NS
    asked = planned(dict(plan, budget={}), *how)
    if asked["expected_ns"] * 2 > given:
        return planned(dict(plan, budget={"ns": given}), *how)
    return dict(asked, ends_after_ns=given)


def first_round(batches, distinct, batch_ns, workers, prefetched, waits):
    """What it takes at least: F goes on from the warm-up, and of L it is known only where steps
    wait for the loader."""
    group = max(1, workers)
    steps = group + batches + distinct + 2 + batches
    return (steps + (prefetched + group + batches if waits else 0)) * batch_ns


def watched(stretch_ns, elapsed_ns, batch_ns):
    """Of a script that runs to its end, however long it runs: some 200 stretches a day, none of
    more steps than are easily held."""
    return max(stretch_ns, min(elapsed_ns // 20, MOST_STEPS * batch_ns))


def within_epoch(left, planned, batch_ns, workers, discarded, distinct):
    """(rounds, batches of a stretch, batches that are held): the first rounds, shorter ones, that
    end with this epoch, where not all whole ones do, as scripts mostly save then; of the least that
    can be counted only one. (0, 0, ...) where not even that does. `left`: of this epoch's batches,
    None: not known."""
    group = max(1, workers)
    whole = max(planned["batches"], planned["stretch_ns"] // batch_ns)
    if left is None or planned["rounds"] * (2 * whole + _beside(distinct, discarded)) <= left:
        return 0, 0, distinct
    few = min(distinct, LEAST_BATCHES)
    for most, held, least in (
        (planned["rounds"], distinct, LEAST_OF_ROUND),
        (1, few, LEAST_BATCHES),
    ):
        least = max(-(-LEAST_NS // batch_ns), whole_groups(least, group))
        for rounds in range(most, 0, -1):
            batches = (left // rounds - _beside(held, discarded)) // 2 // group * group
            if batches >= least:
                return rounds, min(batches, whole), held
    return 0, 0, distinct


def _beside(distinct, discarded):
    """Of each round: held for T, and not counted in F and T and before L."""
    return distinct + 2 * discarded + 2


def between_saves(left, rounds, whole, step_ns, workers, discarded, distinct):
    """The same for the first rounds before the script saves: the first one's F was before. One at
    least. `step_ns`: of T."""
    group = max(1, workers)
    least = max(-(-LEAST_NS // step_ns), whole_groups(LEAST_BATCHES, group))
    for count in range(rounds, 0, -1):
        room = left - count * OF_REPLAY - (count - 1) * (discarded + distinct)
        batches = room * 8 // (9 * count + 8 * (count - 1)) // group * group
        if batches >= least:
            return count, min(batches, whole)
    return 1, whole_groups(LEAST_BATCHES, group)


def least_between_saves(step_ns, workers, prefetched):
    """For F to be counted without them, and T to have room."""
    group = max(1, workers)
    batches = max(-(-LEAST_NS // step_ns), whole_groups(LEAST_BATCHES, group))
    return max(prefetched + 2 * group, OF_REPLAY + batches + batches // 8)


def of_kind(kind, stretch_ns, batches, batch_ns):
    """T counts as many batches as F does in that time: where the step is short, by time it would go
    through many epochs."""
    if kind != "T" or not stretch_ns:
        return {"ns": stretch_ns, "batches": batches}
    return {"ns": min(LEAST_NS, stretch_ns), "batches": max(batches, -(-stretch_ns // batch_ns))}


def slower(batch_ns, epoch_batches, epoch_ns, discarded):
    """How many times as long it takes to count a batch: each epoch begins with `epoch_ns`, and some
    batches are discarded."""
    if not epoch_batches:
        return 1
    counted = (
        epoch_batches - discarded if epoch_batches > 2 * discarded else max(1, epoch_batches // 2)
    )
    return (epoch_ns + epoch_batches * batch_ns) / (counted * batch_ns)


def in_batches(planned, batch_ns, workers):
    """The same in batches alone: all ranks count alike."""
    group = max(1, workers)
    planned["batches"] = max(
        planned["batches"], whole_groups(-(-planned["stretch_ns"] // batch_ns), group)
    )
    planned["stretch_ns"] = 0


def whole_groups(batches, group):
    return -(-batches // group) * group


def overhead(distinct, batch_ns, workers, prefetched, kinds):
    """Of a round: what is discarded but in T, fetched for replay, and the workers' queue once more.
    F alone goes on and on."""
    if kinds == 1:
        return max(1, workers) * batch_ns
    discarded = prefetched + 2 * max(1, workers)
    return ((kinds - 1) * discarded + distinct + prefetched) * batch_ns
