"""Rounds: each contestant once a round, in another random order each time."""

import random

from contest.contestant import Failed, Result


def run_rounds(contestants, rounds, seconds, seed, tell=lambda text: None):
    """{name: Result}. A process that fails is out from then on, its earlier rounds stay; a command loses the
    round. The others go on."""
    results = {one.name: Result(one.name) for one in contestants}
    running = []
    try:
        for one in contestants:
            tell(f"starting {one.name}")
            running.append(one)
            attempt(one, results, one.start)
            results[one.name].note = one.note
        generator = random.Random(seed)
        for number in range(rounds):
            for one in generator.sample(contestants, len(contestants)):
                result = results[one.name]
                if result.failure:
                    continue
                tell(f"round {number + 1} of {rounds}: {one.name}")
                slice = attempt(one, results, lambda: one.measure(seconds))
                if slice:
                    result.slices[number] = slice
                elif one.can_try_again:
                    result.lost, result.failure = result.failure, ""
    finally:
        for one in running:
            one.close()
    for result in results.values():
        if not result.slices and not result.failure:
            result.failure = result.lost or "no round was measured"
    return results


def attempt(one, results, action):
    try:
        return action()
    except Failed as failure:
        results[one.name].failure = str(failure)
    except OSError as failure:
        results[one.name].failure = f"crashed: {failure.strerror}"
    return None
