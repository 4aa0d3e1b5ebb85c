#include "harness/analysis/rules.h"

#include <algorithm>
#include <array>

#include "harness/analysis/rules/checks.h"

namespace benchbench {
namespace {

constexpr std::array kRules{
    Rule{"R01", "conservation",
         "Each sample issued is delivered, dropped or in flight; none twice or missing.",
         rules::conservation,
         "void"},
    Rule{"R02", "content", "What was delivered has the digest that the manifest names.", rules::content,
         "void"},
    Rule{"R03", "errors", "Samples could be decoded: all of synthesised data, 999 of 1,000 of a user's.",
         rules::errors,
         "void; of a user's own data a doubt up to 1 %"},
    Rule{"R04", "cache", "Cold data was not in the page cache, warm data came from it.", rules::cache,
         "void; a doubt where warm could not be proven"},
    Rule{"R05", "size", "Data read cold was evicted and proven so, or is five times the memory.", rules::size,
         "void; a doubt where the size is not known"},
    Rule{"R06", "steady", "The rate did not drift across the window.", rules::steady,
         "doubt"},
    Rule{"R07", "duration", "The window lasted long enough for its class.", rules::duration,
         "void"},
    Rule{"R08", "quota", "The CPU quota did not throttle us.", rules::quota,
         "doubt"},
    Rule{"R09", "neighbours",
         "Other guests of the host took less than 1 % of the CPUs, and other processes did not make us wait.",
         rules::neighbours,
         "doubt"},
    Rule{"R10", "clocks", "The CPU's clock was 97 % or more of the one that `doctor --write` kept.", rules::clocks,
         "doubt"},
    Rule{"R11", "device", "Steps ran on the kind of device that was asked for.", rules::device,
         "void"},
    Rule{"R12", "physics", "No rate is beyond what `doctor --write` found this machine's memory and disk can do.",
         rules::physics,
         "void; a doubt where CPU caches may explain it"},
    Rule{"R13", "telemetry", "No probe that this machine has was lost for over 5 % of the window.",
         rules::telemetry,
         "doubt"},
    Rule{"R14", "log path", "Our own records were under 1 % of what was written to the file system under test.",
         rules::log_path,
         "doubt"},
    Rule{"R15", "environment",
         "No environment variable that changes behaviour was set, but those of measure.declare.",
         rules::environment,
         "doubt"},
    Rule{"R16", "interference", "Measuring itself cost less than 1 %.", rules::interference,
         "doubt over 1 %, void over 3 %"},
    Rule{"R17", "clock slew", "The clock ran within 100 ppm of the raw one.", rules::clock_slew,
         "doubt"},
    Rule{"R18", "checker", "No value is impossible: 0, negative or no number where there must be one.",
         rules::impossible,
         "void"},
    Rule{"I01", "host timeline", "What the trainer's thread did adds up to the window, and no stage is longer.",
         rules::host_identity,
         "void where over, doubt where under"},
    Rule{"I02", "worker timeline", "Each worker's times add up to its wall time.", rules::worker_identity,
         "doubt"},
    Rule{"I03", "queue", "The queue's depth over time is what the batches' stays add up to (Little's law).",
         rules::littles_law,
         "doubt"},
    Rule{"I04", "bytes", "The bytes that the workers were given are those of the manifest.", rules::bytes,
         "void"},
};

}  // namespace

std::span<const Rule> validity_rules() noexcept { return kRules; }

const Rule* find_rule(std::string_view id) noexcept {
  const auto at = std::find_if(kRules.begin(), kRules.end(), [&](const Rule& r) { return r.id == id; });
  return at == kRules.end() ? nullptr : &*at;
}

Judgement judge(const TrialRecord& record) {
  const bool ran = is_usable(record.status) || record.status == Status::invalid;
  if (!ran) return {record.status, record.reasons};
  Judgement judgement;
  for (const Reason& r : record.reasons) {
    if (find_rule(r.rule)) continue;
    judgement.status = worst(judgement.status, status_by(r.invalid));
    judgement.reasons.push_back(r);
  }
  // With a value that cannot be, what the other rules would say of it is not true either.
  if (auto fired = rules::impossible(record)) {
    judgement.status = Status::invalid;
    judgement.reasons.push_back({"R18", true, std::move(fired->text)});
    return judgement;
  }
  for (const Rule& rule : kRules)
    if (auto fired = rule.check(record)) {
      judgement.status = worst(judgement.status, status_by(fired->invalid));
      judgement.reasons.push_back({std::string(rule.id), fired->invalid, std::move(fired->text)});
    }
  return judgement;
}

}  // namespace benchbench
