"""Rounds: each contestant once a round, in another random order each time."""

import random

from contest.contestant import Failed, Result

# Ours and peers alike. What goes wrong more often is no accident, and a restart may take minutes.
MOST_LOST_ROUNDS = 2


def run_rounds(
    contestants, rounds, seconds, seed, tell=lambda text: None, before_rounds=lambda: None
):
    """{name: Result}. One that cannot be started is out. One that fails in a round loses it and
    begins anew in the next; with more than MOST_LOST_ROUNDS it is out, its earlier rounds stay. The
    others go on. `before_rounds` is called when all have been started."""
    results = {one.name: Result(one.name) for one in contestants}
    running = []
    try:
        for one in contestants:
            tell(f"starting {one.name}")
            running.append(one)
            _, results[one.name].failure = attempt(one.start)
            results[one.name].first_batch = one.first_batch
        before_rounds()
        generator = random.Random(seed)
        for number in range(rounds):
            for one in generator.sample(contestants, len(contestants)):
                result = results[one.name]
                if result.failure:
                    continue
                tell(f"round {number + 1} of {rounds}: {one.name}")
                slice, why = attempt(lambda: one.measure(seconds))
                if slice:
                    result.slices[number] = slice
                else:
                    lose_round(one, result, why)
    finally:
        for one in running:
            one.close()
    for result in results.values():
        if not result.slices and not result.failure:
            result.failure = result.lost or "no round was measured"
    return results


def lose_round(one, result, why):
    one.close()
    result.lost, result.lost_rounds = why, result.lost_rounds + 1
    if result.lost_rounds > MOST_LOST_ROUNDS:
        result.failure = f"out after {result.lost_rounds} lost rounds: {why}"


def attempt(action):
    """(what it returns, why it failed): one of them says nothing."""
    try:
        return action(), ""
    except Failed as failure:
        return None, str(failure)
    except OSError as failure:
        return None, f"crashed: {failure.strerror}"
