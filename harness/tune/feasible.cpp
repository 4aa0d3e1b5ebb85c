#include "harness/tune/feasible.h"

#include <algorithm>
#include <functional>
#include <map>
#include <type_traits>
#include <utility>

#include "harness/core/contains.h"
#include "harness/tune/model/memory.h"

namespace benchbench {
namespace {

// A flag's second value asks for more: pinned copies, workers that stay.
bool is_ordered(KnobKind kind) noexcept { return kind != KnobKind::category; }

constexpr int kTwice = 2;  // once may be the machine's moment

bool over_memory(const TuneProblem& problem, const Observation& o) {
  if (o.outcome == TuneOutcome::out_of_memory) return true;
  return problem.limits.memory_bytes && o.memory_bytes &&
         *o.memory_bytes > *problem.limits.memory_bytes;
}

// Bars points by the records, one kind after the other.
class Barring {
 public:
  Barring(const TuneProblem& problem, Observations records)
      : problem_(problem),
        space_(problem.space),
        records_(records),
        out_{std::vector<Barred>(problem.space.combinations(), Barred::no), {}} {}

  Feasible done() {
    by_values();
    by_pairs();
    for (const Observation& o : records_)
      if (o.outcome == TuneOutcome::failed) out_.barred[o.point] = Barred::failed;
    where_alike(TuneOutcome::invalid, Barred::invalid, std::identity());
    by_memory_seen();
    by_memory_law();
    keep_what_worked();
    for (const PointId p : space_.points())
      if (out_.is(p)) out_.points.push_back(p);
    return std::move(out_);
  }

 private:
  // Bars points of which others that are alike, by `key_of`, ended so twice and never had a rate.
  template <class KeyOf>
  void where_alike(TuneOutcome outcome, Barred why, KeyOf key_of) {
    std::map<std::decay_t<decltype(key_of(PointId{}))>, int> ended;
    for (const Observation& o : records_) ended[key_of(o.point)] += o.outcome == outcome;
    for (const Observation& o : with_rate(records_)) ended[key_of(o.point)] = 0;
    for (const PointId p : space_.points())
      if (const int* times = find_value(ended, key_of(p)); times && *times >= kTwice)
        out_.barred[p] = why;
  }

  // A value with which two points failed and none worked, while other values of its knob did.
  void by_values() {
    if (std::ranges::none_of(records_, &Observation::has_rate)) return;
    for (const std::size_t k : space_.knob_indexes())
      where_alike(TuneOutcome::failed, Barred::failed,
                  [&](PointId p) { return space_.index(p, k); });
  }

  // Two categories that failed together and never worked so, while each did with others: such as a
  // setting that needs another one.
  void by_pairs() {
    const auto is_category = [&](std::size_t k) { return !is_ordered(space_.knobs()[k].kind); };
    for (const std::size_t k : space_.knob_indexes())
      for (std::size_t l = k + 1; l < space_.knobs().size(); ++l)
        if (is_category(k) && is_category(l))
          where_alike(TuneOutcome::failed, Barred::failed,
                      [&](PointId p) { return std::pair(space_.index(p, k), space_.index(p, l)); });
  }

  void by_memory_seen() {
    for (const Observation& o : records_) {
      if (!over_memory(problem_, o)) continue;
      for (const PointId p : space_.points())
        if (asks_no_less(space_, p, o.point)) out_.barred[p] = Barred::memory;
    }
  }

  void by_memory_law() {
    const auto& limit = problem_.limits.memory_bytes;
    const std::optional<MemoryLaw> law = limit ? fitted_memory(space_, records_) : std::nullopt;
    if (!law) return;
    for (const PointId p : space_.points())
      if (out_.is(p) && law->at(space_, p) - 2 * law->error > *limit)
        out_.barred[p] = Barred::memory_likely;
  }

  // Keeps points that were measured within the limits, and never over them, whatever a law or a
  // point that asks for less says of them.
  void keep_what_worked() {
    for (const Observation& o : with_rate(records_))
      if (Barred& barred = out_.barred[o.point];
          barred == Barred::memory_likely || barred == Barred::memory)
        barred = Barred::no;
    for (const Observation& o : records_)
      if (over_memory(problem_, o)) out_.barred[o.point] = Barred::memory;
  }

  const TuneProblem& problem_;
  const Space& space_;
  const Observations records_;
  Feasible out_;
};

}  // namespace

bool asks_no_less(const Space& space, PointId a, PointId b) noexcept {
  for (const std::size_t k : space.knob_indexes()) {
    const auto ia = space.index(a, k), ib = space.index(b, k);
    if (is_ordered(space.knobs()[k].kind) ? ia < ib : ia != ib) return false;
  }
  return true;
}

Feasible feasible_points(const TuneProblem& problem, Observations records) {
  return Barring(problem, records).done();
}

}  // namespace benchbench
