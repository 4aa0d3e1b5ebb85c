#include "harness/analysis/rules.h"

#include <algorithm>
#include <array>

#include "harness/analysis/rules/checks.h"

namespace benchbench {
namespace {

constexpr std::array kRules{
    Rule{"R01", "conservation",
         "Each sample issued is delivered, dropped or in flight; none twice or missing.",
         rules::conservation},
    Rule{"R02", "content", "What was delivered has the digest that the manifest names.", rules::content},
    Rule{"R03", "errors", "Samples could be decoded: all of synthesised data, 999 of 1,000 of a user's.",
         rules::errors},
    Rule{"R06", "steady", "The rate did not drift across the window.", rules::steady},
    Rule{"R07", "duration", "The window lasted long enough for its class.", rules::duration},
    Rule{"R08", "quota", "The CPU quota did not throttle us.", rules::quota},
    Rule{"R09", "neighbours", "Other guests of the host took less than 1 % of the CPUs.", rules::neighbours},
    Rule{"R15", "environment", "No environment variable that changes behaviour was set.", rules::environment},
    Rule{"R16", "interference", "Measuring itself cost less than 1 %.", rules::interference},
    Rule{"R18", "checker", "No value is impossible: 0, negative or no number where there must be one.",
         rules::impossible},
    Rule{"I01", "host timeline", "The parts of the steps are no longer than the steps.",
         rules::host_identity},
    Rule{"I02", "worker timeline", "The workers' times add up to their wall time.", rules::worker_identity},
};

Status worse(Status status, bool voids) {
  if (voids || status == Status::invalid) return Status::invalid;
  return Status::noisy;
}

}  // namespace

std::span<const Rule> validity_rules() noexcept { return kRules; }

const Rule* find_rule(std::string_view id) noexcept {
  const auto at = std::find_if(kRules.begin(), kRules.end(), [&](const Rule& r) { return r.id == id; });
  return at == kRules.end() ? nullptr : &*at;
}

Judgement judge(const TrialRecord& record) {
  const bool ran =
      record.status == Status::valid || record.status == Status::noisy || record.status == Status::invalid;
  if (!ran) return {record.status, record.reasons};
  Judgement judgement;
  for (const Reason& r : record.reasons) {
    if (find_rule(r.rule)) continue;
    judgement.status = worse(judgement.status, r.voids);
    judgement.reasons.push_back(r);
  }
  for (const Rule& rule : kRules)
    if (auto fired = rule.check(record)) {
      judgement.status = worse(judgement.status, fired->voids);
      judgement.reasons.push_back({std::string(rule.id), fired->voids, std::move(fired->text)});
    }
  return judgement;
}

}  // namespace benchbench
