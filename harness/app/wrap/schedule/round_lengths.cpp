#include "harness/app/wrap/schedule/round_lengths.h"

#include <algorithm>

namespace benchbench {
namespace {

// A round with fewer others than these holds fewer batches for T.
constexpr std::uint32_t kFewRounds = 3;
// T counts no more than these steps less: they come before it, with an eighth of those it counts.
constexpr std::uint64_t kStepsBeforeReplay = 4;
// The batches of a stretch, where the budget is too small for more.
constexpr std::uint64_t kLeastBatches = 4;
// The batches of a stretch in a round that ends with an epoch.
constexpr std::uint64_t kLeastInEpoch = 16;
// The steps of a stretch of a script that is watched only.
constexpr std::int64_t kMostSteps = 200'000;
// The length of a stretch before a save that may come at any time.
constexpr Nanoseconds kBeforeFirstSave = std::chrono::seconds{1};
constexpr Nanoseconds kSearchBudget = std::chrono::minutes{10};
constexpr Nanoseconds kGrace = std::chrono::seconds{10};
constexpr double kOfBudget = 0.8;
// The share that rounds have which were asked for and do not fit otherwise.
constexpr double kOfBudgetAtMost = 0.95;

std::uint64_t group_size(const WrapLoop& loop) noexcept {
  return std::max<std::uint64_t>(1, loop.workers);
}
std::uint64_t in_whole_groups(std::uint64_t batches, const WrapLoop& loop) noexcept {
  const std::uint64_t group = group_size(loop);
  return (batches + group - 1) / group * group;
}
std::uint64_t batches_within(Nanoseconds time, Nanoseconds batch) noexcept {
  return static_cast<std::uint64_t>(time / std::max(batch, Nanoseconds{1}));
}
std::uint64_t batches_for(Nanoseconds time, Nanoseconds batch) noexcept {
  return batches_within(time + std::max(batch, Nanoseconds{1}) - Nanoseconds{1}, batch);
}
Nanoseconds times(Nanoseconds time, double factor) noexcept {
  return Nanoseconds{static_cast<std::int64_t>(static_cast<double>(time.count()) * factor)};
}
std::uint64_t down_to_groups(std::uint64_t batches, const WrapLoop& loop) noexcept {
  return batches / group_size(loop) * group_size(loop);
}

// Returns the least batches of a stretch, where one takes `batch`.
std::uint64_t least_batches(const WrapLoop& loop, Nanoseconds batch,
                            std::uint64_t least = kLeastBatches) noexcept {
  return std::max(batches_for(kLeastStretch, batch), in_whole_groups(least, loop));
}

// Returns the batches of a stretch of its whole length.
std::uint64_t whole_stretch(const RoundLengths& lengths, const WrapLoop& loop) noexcept {
  return std::max(lengths.batches, batches_within(lengths.stretch, loop.batch));
}

// Returns the batches of a round that are discarded (in all but T), fetched for T, and prefetched
// once more. F alone goes on and on.
std::uint64_t batches_around(const WrapLoop& loop, std::uint64_t distinct, unsigned kinds) {
  if (kinds == 1) return group_size(loop);
  const std::uint64_t discarded = loop.prefetched + 2 * group_size(loop);
  return (kinds - 1) * discarded + distinct + loop.prefetched;
}

// Returns the time of a round of stretches of this length, where no batch waits.
Nanoseconds time_of_round(const WrapLoop& loop, std::uint64_t distinct, unsigned kinds,
                          Nanoseconds stretch) {
  return time_for(batches_around(loop, distinct, kinds), loop.batch) + kinds * stretch;
}

// Returns the least time of a round: F goes on from the warm-up, and it is known how long L takes
// only where steps wait for the loader.
Nanoseconds least_round(const WrapLoop& loop, std::uint64_t distinct) {
  const std::uint64_t group = group_size(loop), batches = in_whole_groups(kLeastBatches, loop);
  std::uint64_t steps = group + batches + distinct + 2 + batches;
  if (loop.waits()) steps += loop.prefetched + group + batches;
  return time_for(steps, loop.batch);
}

// Returns how many times as long it takes to count a batch where each `batches` begin with
// `beginning`, and some of them are discarded.
double slower_by_epochs(Nanoseconds batch, std::optional<std::uint64_t> batches,
                        Nanoseconds beginning, std::uint64_t discarded) {
  if (!batches || *batches == 0) return 1;
  const std::uint64_t counted =
      *batches > 2 * discarded ? *batches - discarded : std::max<std::uint64_t>(1, *batches / 2);
  return static_cast<double>((beginning + time_for(*batches, batch)).count()) /
         static_cast<double>(time_for(counted, batch).count());
}

double slower_than_batches(const WrapLoop& loop) {
  if (loop.is_rank) return 1;
  const std::uint64_t discarded = loop.discarded();
  const double epochs =
      slower_by_epochs(loop.batch, loop.epoch_batches, loop.epoch_beginning, discarded);
  if (loop.saves < 2) return epochs;
  return std::max(epochs,
                  slower_by_epochs(loop.batch, loop.between_saves, Nanoseconds{0}, discarded));
}

Nanoseconds limit_of(const WrapOrder& order, Nanoseconds needed, double slower) {
  if (order.budget) return times(*order.budget, kOfBudget / slower);
  const Nanoseconds most = order.most.count() > 0 ? times(order.most, 1 / slower) : needed;
  return std::min(std::max(needed, times(order.least, 1 / slower)), most);
}

// Makes stretches shorter, at last rounds fewer than `asked`, so that they fit. Where
// `least_rounds` have no room, T holds fewer batches.
void fit(RoundLengths& lengths, const WrapLoop& loop, Nanoseconds limit, unsigned kinds,
         std::uint32_t asked, std::uint32_t least_rounds) {
  const auto round_of = [&](std::uint64_t batches) {
    return time_of_round(loop, lengths.distinct, kinds, time_for(batches, loop.batch));
  };
  const std::uint64_t least = in_whole_groups(kLeastBatches, loop);
  lengths.rounds = asked;
  if (limit < least_rounds * round_of(least))
    lengths.distinct = std::min(lengths.distinct, kLeastBatches);
  const Nanoseconds around = round_of(0);
  lengths.stretch = std::max(
      {time_for(least, loop.batch), kLeastStretch, (limit / lengths.rounds - around) / kinds});
  const auto fitting = limit / (around + kinds * lengths.stretch);
  lengths.rounds = static_cast<std::uint32_t>(std::clamp<std::int64_t>(fitting, 1, lengths.rounds));
  const std::uint64_t within = batches_within(lengths.stretch, loop.batch);
  lengths.batches = std::max(least, std::min(down_to_groups(within, loop), lengths.batches));
}

void fit_asked(const WrapOrder& order, const WrapLoop& loop, RoundLengths& lengths,
               Nanoseconds limit, double slower, unsigned kinds) {
  const std::uint32_t asked = lengths.rounds;
  const std::uint32_t least = order.exact ? asked : std::min(asked, kFewRounds);
  fit(lengths, loop, limit, kinds, asked, least);
  if (order.exact && order.budget && lengths.rounds < asked)
    fit(lengths, loop, times(*order.budget, kOfBudgetAtMost / slower), kinds, asked, least);
}

}  // namespace

RoundLengths plan_rounds(const WrapOrder& order, const WrapLoop& loop, unsigned kinds) {
  RoundLengths lengths;
  const double slower = slower_than_batches(loop);
  lengths.rounds = std::max(1u, order.rounds);
  lengths.distinct = loop.distinct;
  lengths.batches = in_whole_groups(order.stretch_batches, loop);
  lengths.stretch = std::max(order.stretch, time_for(lengths.batches, loop.batch));
  const auto whole = [&] {
    return lengths.rounds * time_of_round(loop, lengths.distinct, kinds, lengths.stretch);
  };
  const Nanoseconds needed = whole(), limit = limit_of(order, needed, slower);
  lengths.cut = needed > limit;
  if (lengths.cut) fit_asked(order, loop, lengths, limit, slower, kinds);
  if (needed < limit) {
    const Nanoseconds around = time_of_round(loop, lengths.distinct, kinds, Nanoseconds{0});
    lengths.stretch = (limit / lengths.rounds - around) / kinds;
  }
  Nanoseconds expected = whole();
  const Nanoseconds one = least_round(loop, lengths.distinct);
  if (lengths.cut && lengths.rounds == 1 && kinds == 3)
    expected = std::min(expected, std::max(one, limit));
  lengths.expected = times(expected, slower);
  lengths.ends_after = order.budget ? *order.budget : times(limit, 2 * slower) + kGrace;
  if (kinds > 1 && one > limit) lengths.needed = times(one, slower * 1.25);
  return lengths;
}

RoundLengths plan_rounds_of_search(const WrapOrder& order, const WrapLoop& loop, unsigned kinds) {
  WrapOrder asked = order;
  const Nanoseconds given = order.budget.value_or(kSearchBudget);
  asked.budget.reset(), asked.least = asked.most = Nanoseconds{0};
  RoundLengths lengths = plan_rounds(asked, loop, kinds);
  if (lengths.expected * 2 > given) {
    asked.budget = given;
    return plan_rounds(asked, loop, kinds);
  }
  lengths.ends_after = given;
  return lengths;
}

Nanoseconds expect_round(const WrapLoop& loop, std::uint64_t distinct, unsigned kinds,
                         Nanoseconds stretch) {
  return times(time_of_round(loop, distinct, kinds, stretch), slower_than_batches(loop));
}

RoundLengths count_in_batches(RoundLengths lengths, const WrapLoop& loop) {
  const std::uint64_t batches = batches_for(lengths.stretch, loop.batch);
  lengths.batches = std::max(lengths.batches, in_whole_groups(batches, loop));
  lengths.stretch = Nanoseconds{0};
  return lengths;
}

ShortRounds fit_in_epoch(const RoundLengths& lengths, const WrapLoop& loop) {
  const std::uint64_t whole = whole_stretch(lengths, loop);
  const auto around = [&](std::uint64_t distinct) { return distinct + 2 * loop.discarded() + 2; };
  if (!loop.epoch_left ||
      lengths.rounds * (2 * whole + around(lengths.distinct)) <= *loop.epoch_left)
    return {0, 0, lengths.distinct};
  struct Try {
    std::uint32_t rounds;
    std::uint64_t distinct, least;
  };
  const std::uint64_t few = std::min(lengths.distinct, kLeastBatches);
  for (const Try& t :
       {Try{lengths.rounds, lengths.distinct, kLeastInEpoch}, Try{1, few, kLeastBatches}}) {
    const std::uint64_t least = least_batches(loop, loop.batch, t.least);
    for (std::uint32_t rounds = t.rounds; rounds > 0; --rounds) {
      const std::uint64_t share = *loop.epoch_left / rounds, not_counted = around(t.distinct);
      if (share <= not_counted) continue;
      const std::uint64_t batches = down_to_groups((share - not_counted) / 2, loop);
      if (batches >= least) return {rounds, std::min(batches, whole), t.distinct};
    }
  }
  return {0, 0, lengths.distinct};
}

ShortRounds fit_before_first_save(const RoundLengths& lengths, const WrapLoop& loop) {
  if (!loop.will_save || loop.saves > 0) return {0, 0, lengths.distinct};
  const std::uint64_t batches = std::max(kLeastInEpoch, batches_for(kBeforeFirstSave, loop.batch));
  return {std::min(lengths.rounds, kFewRounds),
          std::min(in_whole_groups(batches, loop), whole_stretch(lengths, loop)), lengths.distinct};
}

ShortRounds fit_before_save(const RoundLengths& lengths, const WrapLoop& loop,
                            std::uint64_t batches_left) {
  const std::uint64_t least = least_batches(loop, loop.step);
  for (std::uint64_t rounds = lengths.rounds; rounds > 0; --rounds) {
    const std::uint64_t not_counted =
        rounds * kStepsBeforeReplay + (rounds - 1) * (loop.discarded() + lengths.distinct);
    if (batches_left <= not_counted) continue;
    const std::uint64_t room = batches_left - not_counted;
    const std::uint64_t batches = down_to_groups(room * 8 / (9 * rounds + 8 * (rounds - 1)), loop);
    if (batches >= least)
      return {static_cast<std::uint32_t>(rounds), std::min(batches, whole_stretch(lengths, loop)),
              lengths.distinct};
  }
  return {1, in_whole_groups(kLeastBatches, loop), lengths.distinct};
}

std::uint64_t least_between_saves(const WrapLoop& loop) noexcept {
  const std::uint64_t batches = least_batches(loop, loop.step);
  return std::max(loop.prefetched + 2 * group_size(loop),
                  kStepsBeforeReplay + batches + batches / 8);
}

WrapStretchOrder order_stretch(WrapKind kind, const RoundLengths& lengths, Nanoseconds batch) {
  if (kind != WrapKind::trainer || lengths.stretch.count() == 0)
    return {kind, lengths.stretch, lengths.batches};
  return {kind, std::min(kLeastStretch, lengths.stretch),
          std::max(lengths.batches, batches_for(lengths.stretch, batch))};
}

Nanoseconds watch_for(const RoundLengths& lengths, Nanoseconds elapsed, Nanoseconds batch) {
  return std::max(lengths.stretch, std::min(elapsed / 20, kMostSteps * batch));
}

}  // namespace benchbench
