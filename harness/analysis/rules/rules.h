// Validity: which trials may be believed. Each rule is one file in rules/ and one line in
// rules.cpp.
#pragma once
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/record/trial_record.h"

namespace benchbench {

// The one order of statuses, from best to worst: of several the worst is told.
constexpr int badness(Status s) noexcept {
  constexpr std::array order{Status::valid,   Status::noisy,   Status::skipped,
                             Status::aborted, Status::invalid, Status::failed};
  return static_cast<int>(std::ranges::find(order, s) - order.begin());
}
constexpr Status worst(Status a, Status b) noexcept { return badness(a) < badness(b) ? b : a; }
// Measured and to be believed.
constexpr bool is_usable(Status s) noexcept { return s == Status::valid || s == Status::noisy; }
constexpr bool ran_to_end(Status s) noexcept { return is_usable(s) || s == Status::invalid; }
// What a rule that fired, or a recorded reason, makes of a trial that ran to its end.
constexpr Status status_by(bool invalid) noexcept {
  return invalid ? Status::invalid : Status::noisy;
}

// What a rule says of a trial that fired it.
struct Firing {
  bool invalid = false;  // else a warning
  std::string text;      // with the value and what was allowed
};

// Looks at one trial that ran to its end; nullopt where nothing is wrong or the facts do not hold
// what it needs.
using RuleCheck = std::optional<Firing>(const TrialRecord& record);
struct Rule {
  std::string_view id;       // "R06"
  std::string_view name;     // "steady"
  std::string_view watches;  // one sentence in plain words
  RuleCheck* check;          // null where it is of the trials of a point together (rate_order.h)
  std::string_view level;    // "void", "doubt", or when it is which
  // True if what it finds can only have made the trial slower.
  bool costs_time = false;
};

std::span<const Rule> validity_rules() noexcept;
const Rule* find_rule(std::string_view id) noexcept;

struct Judgement {
  Status status = Status::valid;
  std::vector<Reason> reasons;
  // Set where measuring took more than 3 % of a step too short to be resolved: the rate is at least
  // what was measured. The reason (R16) is not among `reasons`, and voids only what needs the rate
  // itself.
  std::optional<Reason> bound = {};
  // Adds a reason, and what it makes of the status.
  void add(Reason reason);
};

// Returns its reasons; one that says so where none was recorded.
std::vector<Reason> given_reasons(const Judgement& judgement);
// Returns what a reason makes of the trial by itself: a doubt stays one where another rule makes
// the trial INVALID. Of a cause that is no rule it is the trial's own status.
Status status_shown(const Judgement& judgement, const Reason& reason) noexcept;
std::string first_line(const Reason& reason);
// A record's status by all rules. FAILED, SKIPPED and ABORTED stay as they are. Reasons in the
// record that are of no rule here are kept and count; so judging a judged record changes nothing.
Judgement judge(const TrialRecord& record);

}  // namespace benchbench
