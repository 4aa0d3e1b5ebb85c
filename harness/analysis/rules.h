// Validity: which trials may be believed. Each rule is one file in rules/ and one line in rules.cpp.
#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/record/trial_record.h"

namespace benchbench {

// What a rule says of a trial that fired it.
struct Firing {
  bool invalid = false;  // else a doubt
  std::string text;    // with the value and what was allowed
};

struct Rule {
  std::string_view id;       // "R06"
  std::string_view name;     // "steady"
  std::string_view watches;  // one sentence in plain words
  // Looks at one trial that ran to its end; nullopt where nothing is wrong or the facts do not hold what it
  // needs.
  std::optional<Firing> (*check)(const TrialRecord& record);
  std::string_view level;    // "void", "doubt", or when it is which
};

std::span<const Rule> validity_rules() noexcept;
const Rule* find_rule(std::string_view id) noexcept;

struct Judgement {
  Status status = Status::valid;
  std::vector<Reason> reasons;
};

// A record's status by all rules. FAILED, SKIPPED and ABORTED stay as they are. Reasons in the record that
// are of no rule here are kept and count; so judging a judged record changes nothing.
Judgement judge(const TrialRecord& record);

}  // namespace benchbench
