#include "harness/app/wrap/schedule/round_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/units.h"

namespace benchbench {
namespace {

// The longest wait for the script's next save.
constexpr Nanoseconds kMostToSave = std::chrono::seconds{15};
// The time for a loop of which F alone can be measured.
constexpr Nanoseconds kFullAlone = std::chrono::seconds{15};
// The stretches of a watched script that it has without asking again.
constexpr int kWatchedAtOnce = 16;
// A round takes up to this many times as long as those before did.
constexpr double kLongerRound = 1.1;
// The steps of an epoch that has begun, of a script that is watched for it.
constexpr std::uint64_t kBehindBeginning = 16;
// The longest time for which the script goes on, once its answer is there, until its next epoch.
constexpr Nanoseconds kMostToEpoch = std::chrono::seconds{20};
// Once the script saves, the stretch that takes least of its steps comes last.
constexpr std::string_view kBeforeSave = "FTflL";

WrapKind kind_named(char letter) {
  for (std::size_t i = 0; i < kWordsOf<WrapKind>.size(); ++i)
    if (kWordsOf<WrapKind>[i].front() == letter) return static_cast<WrapKind>(i);
  throw ScenarioError(fmt::format("no stretch has the name {}", letter));
}
std::size_t place_before_save(WrapKind kind) {
  return kBeforeSave.find(kWordsOf<WrapKind>[static_cast<std::size_t>(kind)]);
}

// Returns the time that an end takes, within the budget: a short step, the workers, the report.
Nanoseconds time_to_end(Nanoseconds budget) {
  return std::min<Nanoseconds>(std::chrono::seconds{2}, budget / 30);
}

bool has_room(Nanoseconds expected, Nanoseconds left) noexcept {
  return static_cast<double>(expected.count()) * kLongerRound <= static_cast<double>(left.count());
}

std::string kinds_asked(const WrapOrder& order, const WrapSteady& steady) {
  if (order.keep_going) return "F";
  return steady.changed ? "FTLfl" : "FTL";
}

}  // namespace

RoundSchedule::RoundSchedule(const WrapOrder& order, const WrapSteady& steady)
    : order_(order),
      loop_(steady.loop),
      kinds_(kinds_asked(order, steady)),
      side_(steady.loop.workers > 0),
      random_(order.seed) {
  plan();
}

WrapPlanned RoundSchedule::planned(const WrapSteady& steady) const {
  WrapPlanned planned;
  static_cast<WrapSteady&>(planned) = steady;
  planned.rounds = most_;
  planned.until_settled = until_settled_ && most_ > 1;
  planned.stretch = lengths_.stretch;
  const Nanoseconds whole = lengths_.expected / std::max(1u, lengths_.rounds);
  const std::uint32_t brief = std::min(short_.rounds, most_);
  planned.round = brief > 0 ? expect_short_round() : whole;
  planned.expected = planned.until_settled ? order_.budget.value_or(room_)
                                           : brief * planned.round + (most_ - brief) * whole;
  planned.ends_after = lengths_.ends_after;
  planned.stops_after = lengths_.ends_after - time_to_end(lengths_.ends_after);
  planned.cut = lengths_.cut;
  planned.kinds = kinds_;
  planned.why = why_;
  planned.fewer = find_fewer();
  planned.tunes = steady.tunes && why_.empty();
  return planned;
}

void RoundSchedule::plan() {
  lengths_ = plan_lengths();
  short_.distinct = lengths_.distinct;
  if (kinds_.size() > 1 && (!loop_.is_rank || !loop_.full_alone.empty()))
    if (std::string why = find_no_room(); !why.empty()) measure_full_alone(std::move(why));
  most_ = lengths_.rounds;
  if (may_settle()) plan_until_settled();
  if (loop_.is_rank && !order_.keep_going)
    lengths_ = count_in_batches(lengths_, loop_);
  else if (kinds_ != "F" && !order_.budget)
    short_ = fit_in_epoch(lengths_, loop_);
  if (kinds_ != "F" && !loop_.is_rank && short_.rounds == 0)
    short_ = fit_before_first_save(lengths_, loop_);
  if (until_settled_) most_ = std::clamp(count_that_fit(), 1u, most_);
}

bool RoundSchedule::may_settle() const {
  return order_.most_rounds > 0 && kinds_ == "FTL" && !loop_.is_rank;
}

// A loop without workers has one round: it has all of a budget that is too small for more.
RoundLengths RoundSchedule::plan_lengths() const {
  const unsigned kinds = count_kinds();
  if (order_.tune && kinds > 1) return plan_rounds_of_search(order_, loop_, kinds);
  const RoundLengths lengths = plan_rounds(order_, loop_, kinds);
  if (!lengths.cut || !may_settle() || loop_.workers > 0) return lengths;
  WrapOrder one = order_;
  one.rounds = 1;
  return plan_rounds(one, loop_, kinds);
}

// Without workers the side is seen in the first round.
void RoundSchedule::plan_until_settled() {
  until_settled_ = true;
  if (loop_.workers == 0) lengths_.expected /= std::exchange(lengths_.rounds, 1);
  most_ = loop_.workers > 0 ? order_.most_rounds : 1;
  room_ = order_.budget ? *order_.budget - time_to_end(*order_.budget) : lengths_.expected;
  longest_ = lengths_.stretch;
}

Nanoseconds RoundSchedule::least_stretch() const {
  return std::min(longest_, std::max(order_.stretch, time_for(lengths_.batches, loop_.batch)));
}

Nanoseconds RoundSchedule::expect_short_round() const {
  return expect_round(loop_, short_.distinct, count_kinds(), time_for(short_.batches, loop_.batch));
}

// Returns the rounds that have room, each as short as it may be.
std::uint32_t RoundSchedule::count_that_fit() const {
  const Nanoseconds whole = expect_round(loop_, lengths_.distinct, count_kinds(), least_stretch());
  Nanoseconds left = room_;
  std::uint32_t rounds = 0;
  for (; rounds < most_; ++rounds) {
    left -= rounds < short_.rounds ? expect_short_round() : whole;
    if (left.count() < 0) break;
  }
  return rounds;
}

// Plans the rounds that are left from what those before took. Returns false if not one has room.
bool RoundSchedule::fit_next_round() {
  const Nanoseconds left = room_ - spent_.in_all();
  lengths_.stretch =
      std::clamp(spent_.fit_stretch(left / (most_ - begun_)), least_stretch(), longest_);
  const Nanoseconds next =
      begun_ < short_.rounds ? time_for(short_.batches, loop_.batch) : lengths_.stretch;
  return has_room(spent_.expect_round(next), left);
}

bool RoundSchedule::goes_on(const std::function<bool()>& is_answer_open) {
  if (begun_ >= most_) return false;
  if (!until_settled_ || begun_ == 0) return true;
  const bool is_open = !side_.is_settled() || (is_answer_open && is_answer_open());
  return is_open && fit_next_round();
}

void RoundSchedule::finished(const WrapStretch& stretch, const std::optional<ResourceUse>& used) {
  side_.add(stretch, used);
  spent_.add(stretch);
}

std::string RoundSchedule::find_no_room() const {
  if (!loop_.full_alone.empty()) return loop_.full_alone;
  if (loop_.distinct == 0) return "a batch takes more than a quarter of the memory that is free";
  if (lengths_.needed)
    return fmt::format("a batch takes {:.3g} s: a round of all three has room in --budget {}s",
                       1e-9 * static_cast<double>(loop_.batch.count()),
                       std::chrono::ceil<std::chrono::seconds>(*lengths_.needed).count());
  if (loop_.saves > 1 && loop_.between_saves < least_between_saves(loop_))
    return fmt::format(
        "the script saves every {} batches, which leaves no room for the other two in between",
        loop_.between_saves);
  return "";
}

// Returns that for the rounds that the user asked for.
std::string RoundSchedule::find_fewer() const {
  if (!order_.exact || !why_.empty() || most_ >= order_.rounds) return "";
  return fmt::format("the budget of {} has room for {} of {}",
                     human_duration(order_.budget.value_or(order_.most)), most_,
                     counted(order_.rounds, "round"));
}

// Returns rounds of F alone: few, where no budget would make room for the rest.
RoundLengths RoundSchedule::plan_full_alone() const {
  WrapOrder soon = order_;
  soon.budget = std::min(order_.budget.value_or(kFullAlone), kFullAlone);
  const RoundLengths lengths = plan_rounds(soon, loop_, 1);
  const bool fits = lengths.expected <= lengths.ends_after;
  return fits && !loop_.full_alone.empty() ? lengths : plan_rounds(order_, loop_, 1);
}

void RoundSchedule::measure_full_alone(std::string why) {
  const auto needed = lengths_.needed;
  lengths_ = plan_full_alone();
  if (lengths_.expected > lengths_.ends_after)
    throw ScenarioError(
        why + (needed ? "; in this one not even F has" : "; F alone has no room in --budget"));
  lengths_.needed = needed, lengths_.cut = true;
  kinds_ = "F", why_ = std::move(why);
}

void RoundSchedule::begin_round() {
  ++begun_, place_ = 0;
  std::string letters = kinds_;
  for (std::size_t i = letters.size(); i > 1; --i)
    std::swap(letters[i - 1], letters[random_.below(i)]);
  // F shows whether the script saves, and is there if nothing else will be.
  if (begun_ == 1) std::ranges::stable_partition(letters, [](char c) { return c == 'F'; });
  left_.clear();
  for (const char letter : letters) left_.push_back(kind_named(letter));
}

WrapStretchOrder RoundSchedule::order_next(WrapKind kind) {
  const Nanoseconds batch = loop_.batch;
  WrapStretchOrder asked = begun_ <= short_.rounds
                               ? WrapStretchOrder{kind, kLeastStretch, short_.batches}
                               : order_stretch(kind, lengths_, batch);
  asked.round = begun_ - 1, asked.place = place_++;
  spent_.ask(asked, batch);
  return asked;
}

WrapNext RoundSchedule::take_left() {
  WrapNext next;
  next.distinct = begun_ <= short_.rounds ? short_.distinct : lengths_.distinct;
  for (const WrapKind kind : std::exchange(left_, {})) next.stretches.push_back(order_next(kind));
  return next;
}

WrapNext RoundSchedule::take_watched() {
  WrapNext next;
  for (int i = 0; i < kWatchedAtOnce; ++i) {
    const Nanoseconds least = watch_for(lengths_, watched_, loop_.batch);
    next.stretches.push_back({WrapKind::full, least, lengths_.batches, begun_++, 0});
    watched_ += least;
  }
  return next;
}

std::uint64_t RoundSchedule::count_batches_of_stretch() const {
  return std::max(lengths_.batches, static_cast<std::uint64_t>(
                                        lengths_.stretch / std::max(loop_.batch, Nanoseconds{1})));
}

// If the script saves before all rounds are over, they begin behind a save, or are fewer and
// shorter where the next one is far.
void RoundSchedule::fit_to_saves(const WrapState& state, WrapNext& next) {
  if (state.saves == 0) return;
  std::ranges::stable_sort(left_, {}, place_before_save);
  const std::uint64_t around = loop_.discarded() + lengths_.distinct + 2;
  const std::uint64_t all = lengths_.rounds * (kinds_.size() * count_batches_of_stretch() + around);
  if (state.until_save >= all) return;
  next.after_save = static_cast<std::int64_t>(state.until_save) * loop_.batch <= kMostToSave;
  short_ =
      fit_before_save(lengths_, loop_, next.after_save ? state.between_saves : state.until_save);
}

// The time between two epochs is the job's, too, and in none of a few rounds: validations,
// workers that start, the first batch, and a hang there.
std::optional<WrapNext> RoundSchedule::take_next_epoch(const WrapState& state) {
  if (std::exchange(is_over_, true) || !until_settled_) return std::nullopt;
  if (state.epochs > 0) return std::nullopt;
  const auto most =
      static_cast<std::uint64_t>(kMostToEpoch / std::max(loop_.batch, Nanoseconds{1}));
  const std::uint64_t to_epoch = state.epoch_left.value_or(most);
  if (to_epoch > most) return std::nullopt;
  const std::uint64_t batches = to_epoch + loop_.discarded() + kBehindBeginning;
  const Nanoseconds left =
      (order_.budget ? room_ : std::max(room_, order_.least)) - spent_.in_all();
  if (!has_room(time_for(batches, loop_.batch) + loop_.epoch_beginning, left)) return std::nullopt;
  WrapNext next;
  next.distinct = lengths_.distinct;
  next.stretches = {{WrapKind::full, kLeastStretch, batches, begun_++, 0}};
  return next;
}

std::optional<WrapNext> RoundSchedule::next(const WrapState& state,
                                            const std::function<bool()>& is_answer_open) {
  if (order_.keep_going) return take_watched();
  if (!left_.empty()) {  // of the first round, whose F is over
    WrapNext asked;
    fit_to_saves(state, asked);
    const bool after_save = asked.after_save;
    asked = take_left();
    asked.after_save = after_save;
    return asked;
  }
  if (!goes_on(is_answer_open)) return take_next_epoch(state);
  begin_round();
  if (begun_ > 1) return take_left();
  WrapNext first;
  first.distinct = short_.rounds > 0 ? short_.distinct : lengths_.distinct;
  first.stretches = {order_next(left_.front())};
  left_.erase(left_.begin());
  return first;
}

WrapNext RoundSchedule::take_all() {
  WrapNext all;
  all.distinct = lengths_.distinct;
  while (begun_ < most_) {
    begin_round();
    for (const WrapStretchOrder& asked : take_left().stretches) all.stretches.push_back(asked);
  }
  return all;
}

WrapNext RoundSchedule::add(WrapKind kind, std::map<std::string, ExternalValue> settings) {
  ++begun_, place_ = 0;
  WrapNext next;
  next.distinct = lengths_.distinct;
  next.stretches = {order_next(kind)};
  next.settings = std::move(settings);
  return next;
}

}  // namespace benchbench
