// `benchbench wrap -- COMMAND`: L, T and F of a training script that runs unchanged.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <signal.h>

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "harness/analysis/findings.h"
#include "harness/analysis/rules.h"
#include "harness/app/doctor/ceilings.h"
#include "harness/app/exit_code.h"
#include "harness/app/output_file.h"
#include "harness/app/run/outputs.h"
#include "harness/app/tell.h"
#include "harness/app/wrap/wrap_run.h"
#include "harness/app/wrap/wrap_words.h"
#include "harness/core/called_as.h"
#include "harness/core/error.h"
#include "harness/core/foreground_process.h"
#include "harness/core/process_mark.h"
#include "harness/dataset/dataset_need.h"
#include "harness/store/run_folder.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

constexpr int kSliceMs = 50;
constexpr auto kLastWords = std::chrono::milliseconds{500};   // of a process that has ended: what is still on its way

std::atomic<int> g_signal{0};

// From the terminal the script gets them too, and ends as it likes; those to us alone are handed on.
void note_signal(int signal) { g_signal.store(signal); }

void leave_signals_to_the_script() {
  for (const int number : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = note_signal;
    sigaction(number, &action, nullptr);
  }
}

void hand_on_signal(ForegroundProcess& script) {
  const int number = g_signal.exchange(0);
  if (number == SIGTERM || number == SIGHUP) script.send_signal(number);
}

std::string state_folder() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state && *state) return std::string(state) + "/benchbench";
  const char* home = std::getenv("HOME");
  return fmt::format("{}/.local/state/benchbench", home && *home ? home : ".");
}

std::string folder_for(const WrapRequest& request, const std::string& name) {
  if (!request.folder.empty()) return request.folder;
  const std::string base = fmt::format("{}/wrap/{}-{:%Y%m%d-%H%M%S}", state_folder(), name, fmt::localtime(std::time(nullptr)));
  std::string path = base;
  std::error_code ignored;
  for (int i = 2; fs::exists(path, ignored); ++i) path = fmt::format("{}.{}", base, i);
  return path;
}

// Until the command has ended, and what its processes said has been heard.
ChildEnd run_script(const WrapRequest& request, WrapRun& run) {
  const auto session = make_wrap_session(request.order, run);
  std::vector<std::string> environment = session->environment();
  environment.insert(environment.end(), request.environment.begin(), request.environment.end());
  leave_signals_to_the_script();
  ForegroundProcess script(request.words, environment);
  std::optional<ChildEnd> end;
  while (!(end = script.ended())) {
    hand_on_signal(script);
    session->hear(kSliceMs);
    run.look();
  }
  const auto until = std::chrono::steady_clock::now() + kLastWords;
  do session->hear(kSliceMs);
  while (session->connected() && std::chrono::steady_clock::now() < until);
  for (const std::string& variable : environment)
    if (variable.starts_with("BENCHBENCH_WRAP_TOKEN=") && run.lead())
      if (const auto left = marked_processes(variable); !left.empty())
        tell(fmt::format("benchbench: still running after {} ended: {} {}\n", request.script, left.size() == 1 ? "process" : "processes", fmt::join(left, ", ")));
  return *end;
}

std::uint32_t rounds_in(const Plan& plan, const std::vector<TrialRecord>& records) {
  std::uint32_t rounds = 0;
  const std::size_t kinds = plan.points.front().trials.size();
  std::map<std::uint32_t, std::size_t> of_round;
  for (const TrialRecord& r : records) rounds += ++of_round[r.planned.round] == kinds;
  return rounds;
}

struct Measured3 {
  Plan plan;
  std::vector<TrialRecord> records;
  std::uint32_t rounds = 0;   // complete
};

Measured3 records_of(const WrapRequest& request, const WrapRun& run, const WrapProcess& lead) {
  Environment environment = observe_environment();
  add_ceilings(environment, default_cache_folder());
  Measured3 m{wrap_plan(request, lead.hello, *lead.planned, environment), {}, 0};
  for (const SeenStretch& seen : run.stretches()) {
    m.records.push_back(record_of(m.plan, seen, *lead.planned, lead.end ? &*lead.end : nullptr, environment));
    TrialRecord& record = m.records.back();
    Judgement judgement = judge(record);
    record.status = judgement.status;
    record.reasons = std::move(judgement.reasons);
    record.sequence = m.records.size() - 1;
    m.plan.order.push_back(record.planned);
  }
  m.rounds = rounds_in(m.plan, m.records);
  m.plan.rounds = std::max(1u, request.order.keep_going ? static_cast<std::uint32_t>(m.records.size()) : m.rounds);
  return m;
}

// The folder; empty, and said, where it could not be written.
std::string store(const WrapRequest& request, Measured3& m) {
  const std::string path = folder_for(request, m.plan.scenario.name);
  try {
    RunFolder folder = RunFolder::create(path, m.plan, m.records.front().environment);
    for (TrialRecord& record : m.records) {
      folder.append(record);
      record.raw_series.clear();
    }
    folder.sync();
    return path;
  } catch (const Error& e) {
    tell(fmt::format("error: the record was not written: {}\nhint: {}\n", e.what(), as_called(e.hint())));
    return {};
  }
}

int report(const Arguments& arguments, const WrapRequest& request, Measured3& m) {
  std::vector<int> codes;
  const std::string folder = store(request, m);
  if (folder.empty()) codes.push_back(kNotWritten);
  else tell(fmt::format("benchbench: record: {}\n", folder));
  const Findings findings = analyse(m.plan, m.records, &built_in_catalog());
  try {
    write_outputs(arguments, findings, m.plan, m.records, folder);
  } catch (const StoreError& e) {
    tell(fmt::format("error: {}\nhint: {}\n", e.what(), as_called(e.hint())));
    codes.push_back(kNotWritten);
  }
  codes.push_back(exit_code_of(findings, m.plan, arguments.flag("--strict")));
  return strongest(codes);
}

int wrap(const Arguments& arguments) {
  check_outputs(arguments);
  const WrapRequest request = wrap_request(arguments);
  if (!request.folder.empty()) RunFolder::refuse_used(request.folder);
  const auto runtime = make_real_runtime(Nanoseconds{0});
  WrapRun run(request, *runtime);
  print_fitted(stderr, start_words(request));
  const ChildEnd script = run_script(request, run);
  const WrapProcess* lead = run.lead();
  const WrapEnd* end = lead && lead->end ? &*lead->end : nullptr;
  if (!end && run.connections() > 0) end = run.any_end();
  if (end && end->reason == WrapReason::checked) {
    print_fitted(check_words(request, *end));
    return exit_code_of(end, script, true, 0);
  }
  std::optional<Measured3> m;
  if (lead && lead->planned && !lead->stretches.empty()) m = records_of(request, run, *lead);
  tell(run.rank_lines());
  const bool answered = m && (m->rounds > 0 || request.order.keep_going);
  print_fitted(stderr, "benchbench: " + end_words(request, end, script, m ? m->rounds : 0));
  const int ours = end && end->reason == WrapReason::internal ? kTrialFailed : end && end->reason == WrapReason::refused ? kUsage : kDone;
  if (!answered) return exit_code_of(end, script, false, ours);
  return exit_code_of(end, script, true, std::max(ours, report(arguments, request, *m)));
}

const std::vector<Option> kOptionsOfWrap = with_wrap_options();

}  // namespace

const Command wrap_command{"wrap", "measure", "measure a training script of yours, unchanged", "-- COMMAND...", 0, 0, kOptionsOfWrap,
                           "  benchbench wrap -- python train.py --epochs 3\n"
                           "  benchbench wrap --budget 2min --json wrap.json -- torchrun --nproc_per_node 2 train.py\n"
                           "  benchbench wrap --check -- python train.py\n",
                           wrap, kOursAdded};

}  // namespace benchbench
