// The thresholds that decide what a report says, with their reasons: what is worth a word, what an
// answer needs, how many rounds it takes. Equal ones are one. A limit that one rule alone has
// stands in that rule's file (rules/), what a nightly look needs in history/.
#pragma once
#include <cstddef>
#include <cstdint>

namespace benchbench {

// --- Shares of a rate, a step or a time that are worth a word.

// Two settings within this share are the same, a side or a finding that costs less
// is not named, a gain below it is no gain. One share for all, so that no two parts of a report
// contradict each other.
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
// The choice between settings that are as cheap and slower by no more falls on the one that differs
// from the base on the fewest axes, then on the one that holds the fewest batches.
inline constexpr double kNoMatter = 0.005;
// With as many workers as another, a point is the cheaper one below this share of its memory:
// readings of memory differ by as much by themselves.
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
// Half: a neighbour that costs so much of the contention is named, and a part instead of the
// hand-over; a step that waits so much may gain twofold.
inline constexpr double kMostOfIt = 0.5;
// The least share of a step without the trainer's wait for a core: the rest of less is no measure.
inline constexpr double kLeastWithCore = 0.5;
// A loader alone is ample from this multiple of the trainer alone on.
inline constexpr double kAmpleHeadroom = 1.2;
// The share of a warm window's bytes that may come from the device: with more it is not warm (R04).
inline constexpr double kFromDevice = 0.02;
// Another depth is quicker where its step is less than this share of the best one's.
inline constexpr double kQuickerDepth = 0.999;
// Daemons and the like stay under kFairPart of the cores and, where there are many, this of one.
inline constexpr double kCoresOfDaemons = 0.5;
// Shares of a step: of a host that does nothing else, of a device that waits for launches.
inline constexpr double kNothingElse = 0.9, kLaunchWaits = 0.04;
// A setting of a search with less of the incumbent's rate is not measured to its end.
inline constexpr double kHopeless = 0.75;

// --- Workers.

// The cores that there are over those in use, from which on another worker has one.
inline constexpr double kFreeCores = 1.2;
// Something else holds workers back if less of their time than this was timed.
inline constexpr double kTimedShare = 0.7;
// The largest worker's share over an even one, from which on they are uneven.
inline constexpr double kUnevenWorkers = 1.25;
// Times as fast that more workers must be foretold to be: rates that were tried were within a tenth
// of what was foretold.
inline constexpr double kWorthAWorker = 1.1;
// A worker, over a window: the interpreter's own objects. Two workers over a NumPy array copied 0.4
// MiB each in 10,848 samples (4 s), over generated images nothing, over a list of a million tuples
// 31 MiB each in 9,152. One over epochs of 96 samples that hold nothing copied 1.3 MiB.
inline constexpr double kFaultBytes = 2 << 20;
// A worker, over the window or what it comes to by the end of an epoch: 5.4 MiB in all were seen of
// a data set of two numbers.
inline constexpr double kFaultBytesInAll = 8 << 20;
// The least pace of copies in one window, over its mean. Lists whose objects are read had 0.86 and
// 0.96, a worker's first full collection 0.
inline constexpr double kSteadyCopies = 0.25;
// The least part of the machine's memory that is worth starting workers again for each validation.
inline constexpr double kStayShare = 0.1;
// Threads that want a core, over the cores: more than counting can be wrong by.
inline constexpr double kMoreThreads = 1.1;
// Threads of a worker that want a core, in the mean. One that makes its batches with one thread has
// another that sends them: 1.05 to 1.1 were seen. With two threads of OpenBLAS it was 2.
inline constexpr double kPoolThreads = 1.3;
// Batches that are delivered in order take within this share of the step that was measured, where
// uneven samples are to explain it.
inline constexpr double kForetold = 0.25;
// A validation and saves take some of every job's time.
inline constexpr double kOutsideShare = 0.2;
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
// 95 of 100 pairs of identical trials differ by less than this multiple of the noise of
// one: 1.96·√2.
inline constexpr double kFloorInNoise = 2.77;
// The present settings are kept if the chance that something is faster is below this.
inline constexpr double kKeepChance = 0.1;

// --- Rounds.

inline constexpr std::uint64_t kTailBatches = 100;   // fewer, and no tail percentile is shown
inline constexpr double kTimelessRate = 1e12;        // samples/s: from here on a bound is no figure
inline constexpr std::uint32_t kFirmRounds = 5;      // fewer, and a point is "indicative" only
inline constexpr std::uint32_t kCertainRounds = 3;   // of a script: fewer are few
inline constexpr std::uint32_t kRoundsToSpeak = 10;  // pairs: 2/2^10 is the first below kMinP
inline constexpr std::uint32_t kSetToSpeak = 7;      // 7 against 7 give p >= 0.00058, fewer no less
// A script's rounds while other programs are busy: a load that lasts over one of them made a step
// of two threads 30 times slower.
inline constexpr std::uint32_t kBusyRounds = 2;
// Pairs with the present settings when a choice is measured again: fewer say nothing of how far
// they may be off, and more are measured while they disagree by more than a gain must be worth.
inline constexpr std::uint32_t kRecheckRounds = 5, kMostRecheckRounds = 12;

// --- What is expected before anything is measured.

// The standard deviation of a ratio's logarithm from round to round: of scripts that had the
// machine to themselves, and of others. What was measured in 20 reports of a busy machine is 0.23.
inline constexpr double kQuietSpread = 0.1, kBusySpread = 0.23;
// The expected spread counts as this many rounds.
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
