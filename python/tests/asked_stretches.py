"""Stands in for benchbench's schedule: plain rounds, F first, of the sizes that a test gives."""

LEAST_NS = 100_000_000


class AskedStretches:
    """`rounds`, `stretch`, `distinct` and `kinds` of the plan are what is asked for. `whole`: all
    of it at once; else the first F alone, as benchbench does to see whether the script saves."""

    def __init__(self, plan, steady):
        self._plan, self._loop = plan, steady["loop"]
        self._counts = steady["rank"] is not None
        held = self._loop["distinct"] > 0 and not self._loop["full_alone"]
        held = held and not plan.get("keep_going")
        self._kinds = plan.get("kinds") or (
            "F" if not held else "FTLfl" if steady["changed"] else "FTL"
        )
        self._round = 0
        self._batches = None  # of each stretch between two saves

    def first(self):
        if not self._plan.get("saves"):
            count = 1000 if self._plan.get("keep_going") else self._plan["rounds"]
            rounds = [self.of_round() for _ in range(count)]
            return self.message("go", [asked for asked_of in rounds for asked in asked_of])
        return self.message("go", [self._stretch("F", 0)])

    def rest(self, state):
        """Returns the rest of the first round, behind the next save, then the others."""
        if self._round >= self._plan["rounds"]:
            return {"type": "enough"}
        if self._round > 0:
            return self.message("round", self.of_round())
        if state["saves"]:
            self._batches = max(4, (state["between_saves"] - 4) * 8 // 9)
        asked = [self._stretch(kind, order + 1) for order, kind in enumerate(self._kinds[1:])]
        self._round += 1
        return dict(self.message("round", asked), after_save=state["saves"] > 0)

    def message(self, kind, stretches, **members):
        distinct = self._plan["distinct"]
        return dict(
            {"type": kind, "stretches": stretches, "distinct": distinct, "after_save": False},
            settings=None,
            **members,
        )

    def of_round(self, kinds=None):
        self._round += 1
        asked = enumerate(kinds or self._kinds)
        return [dict(self._stretch(kind, order), round=self._round - 1) for order, kind in asked]

    def _stretch(self, kind, order):
        ns, batches = self._plan["stretch"]["ns"], self._plan["stretch"]["batches"]
        if self._batches:
            ns, batches = 0, self._batches
        elif kind == "T" or self._counts:  # T counts as many batches as F does in that time
            batches = max(batches, -(-ns // self._loop["batch_ns"]))
            ns = 0 if self._counts else min(ns, LEAST_NS)
        group = max(1, self._loop["workers"])
        batches = -(-batches // group) * group
        return {"kind": kind, "ns": ns, "batches": batches, "round": self._round, "order": order}
