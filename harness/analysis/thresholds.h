// Every threshold that decides what is said, with its reason: what is worth a word, what an answer
// needs, how many rounds it takes. Equal ones are one. Those that only one rule has stand in that
// rule's file (rules/).
#pragma once
#include <cstddef>
#include <cstdint>

namespace benchbench {

// --- Shares of a rate, a step or a time that are worth a word.

// Less is no difference: two settings within it are the same, a side or a finding that costs less
// is not named, a gain below it is no gain. It is what repeats of a trial on a quiet machine differ
// by in five rounds, and what no change of settings is made for.
inline constexpr double kWorth = 0.02;
// The same under kFirmRounds rounds, whose means may be off by as much.
inline constexpr double kWorthInFew = 0.10;
// The same of few rounds in exact time, whatever is compared.
inline constexpr double kExactInFew = 0.05;
// A change of a rate between runs or nights: less is never called, whatever is asked for. Programs
// that take less of a rate are not spoken of either (R09), so that pairs within it are alike.
inline constexpr double kMinEffect = 0.03;
// A wait or a cost of this share or less is next to nothing.
inline constexpr double kNextToNothing = 0.01;
// Of settings that are as cheap and slower by no more, the one that differs from the base on the
// fewest axes is used, then the one that holds the fewest batches.
inline constexpr double kNoMatter = 0.005;
// With as many workers as another, a point is the cheaper one below this share of its memory: what
// readings of memory differ by by themselves is no saving.
inline constexpr double kLessMemory = 0.9;
// F below this share of what L, T and C allow leaves a rest that is neither side's.
inline constexpr double kContention = 0.95;
// F equals a side's rate within kWorth, or within the A/A floor up to this.
inline constexpr double kWidestFloor = 0.10;
// A part of a step that is spoken of by itself, as a wait for a lock, what no side explains or a
// wait that loader code could mend; and a gain that is worth another round.
inline constexpr double kLargePart = 0.1;
// A part of an epoch, a job or a step that a change of settings is worth a line for: its beginning,
// what comes again outside of steps, a copy that could be hidden, uneven samples.
inline constexpr double kFairPart = 0.05;
// F over the slower of L and T: of steps alike it is 1 at most.
inline constexpr double kAboveASide = 1.05;
// A side that takes less of the step is not all there is to say.
inline constexpr double kSmallSide = 1.0 / 3;
// What is left of a step of which the trainer's wait for a core is more is no measure.
inline constexpr double kLeastWithCore = 0.5;
// Rounds that would not have shown a gain of half the rate, as a share, say nothing of use.
inline constexpr double kBlindFrom = 0.5;

// --- What intervals and tests may miss.

// The share of 95 % intervals that miss, and of a family of them that share it (Bonferroni).
inline constexpr double kErrors = 0.05;
// The same of intervals that are looked at again and again: after each round of a script, and at
// each of the about seven steps of a search for a rate, of which a wrong one misleads the rest.
inline constexpr double kErrorsOfLooks = 0.01;
// The p that an exact rank test must be below, and the errors of what is surely above a side.
inline constexpr double kMinP = 0.002;
// Benjamini–Hochberg's q over all comparisons of two runs is at most this.
inline constexpr double kMaxFalse = 0.05;
// 95 of 100 pairs of identical trials differ by less than so many times the noise of one: 1.96·√2.
inline constexpr double kFloorInNoise = 2.77;
// The present settings are kept if the chance that something is faster is below this.
inline constexpr double kKeepChance = 0.1;

// --- Rounds.

inline constexpr std::uint32_t kFirmRounds = 5;      // fewer, and a point is "indicative" only
inline constexpr std::uint32_t kCertainRounds = 3;   // of a script: fewer are few
inline constexpr std::uint32_t kRoundsToSpeak = 10;  // pairs: 2/2^10 is the first below kMinP
inline constexpr std::uint32_t kSetToSpeak = 7;      // 7 against 7 give p >= 0.00058, fewer no less
// Of a script while other programs are busy: a load that lasts over one round made a step of two
// threads 30 times slower.
inline constexpr std::uint32_t kBusyRounds = 2;
// Pairs with the present settings when a choice is measured again: fewer say nothing of how far
// they may be off, and more are measured while they disagree by more than a gain must be worth.
inline constexpr std::uint32_t kRecheckRounds = 5, kMostRecheckRounds = 12;

// --- What is expected before anything is measured.

// The standard deviation of a ratio's logarithm from round to round: of scripts that had the
// machine to themselves, and of others. What was measured in 20 reports of a busy machine is 0.23.
inline constexpr double kQuietSpread = 0.1, kBusySpread = 0.23;
// The expected spread counts as so many rounds.
inline constexpr double kRoundsOfSpread = 4;
// The cores that other programs take of a machine that is busy.
inline constexpr double kBusyCores = 0.2;
// Two sides are balanced within this share: on a busy machine, where more than twenty rounds would
// show no less.
inline constexpr double kBalancedQuiet = 0.15, kBalancedBusy = 0.25;

// Returns the share of a step that a side must cost before it is named, by the rounds that say so.
constexpr double min_share(std::uint32_t rounds) noexcept {
  return rounds < kFirmRounds ? kWorthInFew : kWorth;
}

}  // namespace benchbench
