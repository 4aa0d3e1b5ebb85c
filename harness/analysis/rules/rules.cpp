#include "harness/analysis/rules/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/analysis/rules/asked.h"
#include "harness/analysis/rules/checks.h"
#include "harness/core/contains.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

constexpr std::array kRules{
    Rule{"R01", "conservation",
         "Each sample issued is delivered, dropped or in flight; none is duplicated or missing.",
         rules::conservation, "void"},
    Rule{"R02", "content", "Delivered samples have the digest in the manifest.", rules::content,
         "void"},
    Rule{"R03", "errors",
         "Samples could be decoded: all synthesised samples, at least 99.9 % of a user's own.",
         rules::errors, "void; a doubt up to 1 % of a user's own data"},
    Rule{"R04", "cache", "Cold data were not in the page cache, warm data came from it.",
         rules::cache, "void; a doubt if warm could not be verified"},
    Rule{"R05", "size",
         "Cold data were verifiably evicted, or are at least five times as large as memory.",
         rules::size, "void; a doubt if the size is not known"},
    Rule{"R06", "steady", "The rate did not drift across the window.", rules::steady, "doubt"},
    Rule{"R07", "duration", "The window was long enough for its class.", rules::duration,
         "void; a doubt if it is shorter than a period of trainer.postprocess, trainer.checkpoint "
         "or a mock's slow step"},
    Rule{"R08", "quota", "The CPU quota did not throttle the trial.", rules::quota, "doubt", true},
    Rule{"R09", "neighbours",
         "Other guests of the host took less than 1 % of the CPUs, other programs no more than 3 % "
         "of what the trial could have done, and none was on its GPU.",
         rules::neighbours, "doubt", true},
    Rule{
        "R10", "clocks",
        "The CPU's clock at work was at least 97 % of that saved by `doctor --write`, the GPU's at "
        "least 97 % of that in the trial's other rounds, and no fault slowed the GPU down.",
        rules::clocks, "doubt", true},
    Rule{"R11", "device",
         "Steps ran on the requested device, and its memory had no error that "
         "could not be corrected.",
         rules::device,
         "void; a doubt for errors of its memory, and where torch says so of your own step"},
    Rule{"R12", "physics",
         "No rate exceeds those of memory, disk and the link to the GPU "
         "measured by `doctor --write`.",
         rules::physics, "void; a doubt if CPU caches may explain it"},
    Rule{"R13", "telemetry",
         "No probe available on this machine was lost for more than 5 % of the window.",
         rules::telemetry, "doubt", true},
    Rule{"R14", "log path",
         "benchbench's own records were less than 1 % of the bytes written to the "
         "file system under test.",
         rules::log_path, "doubt", true},
    Rule{"R15", "environment",
         "No environment variable that is known to change a run was set, except those in "
         "measure.declare.",
         rules::environment, "doubt"},
    Rule{"R16", "interference", "Measuring itself cost less than 1 %.", rules::interference,
         "doubt above 1 %; above 3 % the rate is a bound, and void where it is needed", true},
    Rule{"R17", "clock slew", "The clock was within 100 ppm of the raw monotonic clock.",
         rules::clock_slew, "doubt"},
    Rule{"R18", "checker",
         "No value is impossible (zero, negative or NaN where a positive number is required).",
         rules::impossible, "void"},
    Rule{"I01", "host timeline",
         "The times of the trainer's thread add up to the window, and no stage is longer.",
         rules::host_identity, "void if over, doubt if under"},
    Rule{"I02", "worker timeline", "Each worker's times add up to its wall time.",
         rules::worker_identity, "doubt"},
    Rule{"I03", "queue",
         "The queue's depth over time equals the sum of the batches' stays (Little's law).",
         rules::littles_law, "doubt"},
    Rule{"I04", "bytes", "The bytes given to the workers match the manifest.", rules::bytes,
         "void"},
    Rule{"I05", "order of rates",
         "The pipeline is not faster than its loader alone or its trainer alone.", nullptr,
         "void in virtual time, else a doubt"},
};

// True for a trial whose rate is compared with another's, so that a bound says nothing: one of a
// substitution, and one of the user's own script.
bool needs_rate_itself(const Trial& trial) {
  return trial.ablation || rules::is_of_script(trial.settings);
}

// A bound needs no precision: steps as short as that drift with the cost of a clock's reading, and
// the identities are off by it.
void drop_doubts_of_precision(Judgement& judgement) {
  std::erase_if(judgement.reasons, [](const Reason& r) {
    return !r.invalid && (r.rule == "R06" || r.rule == "I01" || r.rule == "I02" || r.rule == "I03");
  });
  judgement.status = Status::valid;
  for (const Reason& r : judgement.reasons)
    judgement.status = worst(judgement.status, status_by(r.invalid));
}

void apply_rules(const TrialRecord& record, Judgement& judgement) {
  for (const Rule& rule : kRules)
    if (auto fired = rule.check ? rule.check(record) : std::nullopt) {
      Reason reason{std::string(rule.id), fired->invalid, std::move(fired->text)};
      if (rule.check == rules::interference && fired->invalid && !needs_rate_itself(record.trial))
        judgement.bound = std::move(reason);
      else
        judgement.add(std::move(reason));
    }
  if (judgement.bound) drop_doubts_of_precision(judgement);
}

}  // namespace

void Judgement::add(Reason reason) {
  status = worst(status, status_by(reason.invalid));
  reasons.push_back(std::move(reason));
}

std::span<const Rule> validity_rules() noexcept { return kRules; }

const Rule* find_rule(std::string_view id) noexcept { return find_element(kRules, id, &Rule::id); }

std::vector<Reason> given_reasons(const Judgement& judgement) {
  if (!judgement.reasons.empty()) return judgement.reasons;
  return {{"", false, "no reason was recorded"}};
}

Status status_shown(const Judgement& judgement, const Reason& reason) noexcept {
  return reason.rule.empty() ? judgement.status : status_by(reason.invalid);
}

std::string first_line(const Reason& reason) {
  return reason.text.substr(0, reason.text.find('\n'));
}

Judgement judge(const TrialRecord& record) {
  if (!ran_to_end(record.status)) return {record.status, record.reasons};
  Judgement judgement;
  for (const Reason& r : record.reasons)
    if (!find_rule(r.rule)) judgement.add(r);
  if (is_timeless(record.facts) && !needs_rate_itself(record.trial))
    judgement.bound = Reason{
        "R16", true, fmt::format("{} steps took no virtual time", record.facts.window.steps)};
  // With a value that cannot be, what the other rules would say of it is not true either.
  else if (auto fired = rules::impossible(record))
    judgement.add({"R18", true, std::move(fired->text)});
  else
    apply_rules(record, judgement);
  return judgement;
}

}  // namespace benchbench
