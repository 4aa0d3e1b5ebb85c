// `benchbench wrap -- COMMAND`: L, T and F of a training script that runs unchanged.
#include <fmt/format.h>

#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/analysis/external/script_end.h"
#include "harness/analysis/findings.h"
#include "harness/app/doctor/ceilings.h"
#include "harness/app/exit_code.h"
#include "harness/app/output_file.h"
#include "harness/app/run/outputs.h"
#include "harness/app/tell.h"
#include "harness/app/tune/tune_told.h"
#include "harness/app/wrap/ending/wrap_ending.h"
#include "harness/app/wrap/folder_copy.h"
#include "harness/app/wrap/wrap_kept.h"
#include "harness/app/wrap/wrap_places.h"
#include "harness/app/wrap/wrap_rest.h"
#include "harness/app/wrap/wrap_watch.h"
#include "harness/app/wrap/wrap_words.h"
#include "harness/core/error.h"
#include "harness/core/files/folder_paths.h"
#include "harness/core/foreground/foreground_process.h"
#include "harness/core/foreground/foreground_signals.h"
#include "harness/dataset/dataset_need.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

constexpr int kSliceMs = 50;
// Nicer than the script: what is heard and written meanwhile does not hold the script up.
constexpr int kGivesWay = 10;
// A process that has ended has this long for what is still on its way.
constexpr auto kLastWords = std::chrono::milliseconds{500};

Environment environment_now() {
  Environment environment = observe_environment();
  if (const std::string problem = add_ceilings(environment, default_cache_folder());
      !problem.empty())
    tell(fmt::format("benchbench: {}\n", problem));
  return environment;
}

// We have ended it, with all that it started.
bool was_ended(const WrapRun& run) {
  return run.hung() || (run.ended_first() && is_ended_by_us(run.ended_first()->end->reason));
}

// Returns the process whose end is the command's; null: none said one, or another one hung, which
// had said nothing. Ranks hang because one of them has failed.
const WrapProcess* find_ended(const WrapRun& run) {
  const WrapProcess* ended = run.ended_first();
  if (!ended || !run.hung() || ended->hello.rank || is_ended_by_us(ended->end->reason))
    return ended;
  return nullptr;
}

void end_rest(const WrapRequest& request, const WrapRun& run, const WrapRest& rest) {
  if (was_ended(run) && !request.order.keep_going) return rest.kill();
  if (const auto left = rest.running(); run.lead() && !left.empty())
    tell(fmt::format("benchbench: still running after {} ended: {} {}\n", request.script,
                     left.size() == 1 ? "process" : "processes", fmt::join(left, ", ")));
}

// Until the command has ended, and what its processes said has been heard. The rest of the
// machine is looked at while the script starts.
ChildEnd run_script(const WrapRequest& request, ForegroundSignals& signals, WrapRun& run,
                    std::optional<WrapKept>& kept, const FolderCopy* copy, Runtime& runtime) {
  const auto session = make_wrap_session(request.order, run);
  std::vector<std::string> environment = session->environment();
  environment.insert(environment.end(), request.environment.begin(), request.environment.end());
  if (copy) environment.push_back("PWD=" + copy->path());
  run.look_at_cards();
  ForegroundProcess script(request.words, environment,
                           {copy ? copy->path() : "", request.gives_stdout_away});
  run.command_started();
  ::setpriority(PRIO_PROCESS, 0, kGivesWay);
  kept.emplace(request, environment_now());
  run.ask_of_answer([&] { return kept->is_answer_open(run); });
  WrapRest rest(environment);
  WrapWatch watch(request, run, rest, runtime, script.pid(), environment);
  std::optional<ChildEnd> end;
  while (!(end = script.ended()) && !watch.gave_up()) {
    signals.hand_on(script);
    session->hear(kSliceMs);
    run.look();
    kept->keep(run);
    rest.end(*session);
    watch.look(*session);
  }
  const auto until = std::chrono::steady_clock::now() + kLastWords;
  do session->hear(kSliceMs);
  while (session->connected() && std::chrono::steady_clock::now() < until);
  end_rest(request, run, rest);
  run.command_ended();
  return end.value_or(ChildEnd{0, SIGKILL});
}

// Null where the script is to run where we do. What asks us to end while it is made ends us.
std::unique_ptr<FolderCopy> copy_for(const WrapRequest& request, ForegroundSignals& signals) {
  if (!request.copies) return nullptr;
  auto copy = std::make_unique<FolderCopy>(absolute_path(".").string(),
                                           FolderCopyLimits{.stop = [&] { return signals.any(); }});
  if (signals.any()) throw InterruptedError("interrupted before the script was started");
  return copy;
}

// Where no other settings had a rate, those of the script had one: that is no failure.
int code_of_search(const TuneReport& found, bool strict) {
  const int code = exit_code_of(found, strict);
  return code == kNothingValid ? kDone : code;
}

// `search`: null where there was none.
int report(const Arguments& arguments, const WrapKept& kept, const TuneReport* search,
           const nlohmann::ordered_json& ending) {
  std::vector<int> codes;
  if (kept.folder().empty())
    codes.push_back(kNotWritten);
  else
    tell(fmt::format("benchbench: record: {}\n", kept.folder()));
  Findings findings = analyse(kept.plan(), kept.records(), &built_in_catalog());
  if (search) leave_to_search(findings);
  try {
    const nlohmann::ordered_json tune = search ? tune_json(*search) : nullptr;
    std::vector<AddedMember> added{{"ending", &ending}};
    if (search) added.push_back({"tune", &tune});
    write_outputs(arguments, findings, kept.plan(), kept.records(), kept.folder(), std::move(added),
                  search ? tune_text(*search) : "");
  } catch (const StoreError& e) {
    tell_error(e);
    codes.push_back(kNotWritten);
  }
  const bool strict = arguments.flag("--strict");
  codes.push_back(exit_code_of(findings, kept.plan(), strict));
  if (search) codes.push_back(code_of_search(*search, strict));
  return strongest(codes);
}

void tell_no_tune(const WrapTune& tune) {
  tell(tune.why_not().empty() ? "benchbench: no other settings were tried: "
                                "the script ended before its first rounds had\n"
                              : fmt::format("benchbench: no other settings were tried: {}\n",
                                            fmt::join(tune.why_not(), "; ")));
}

// The end of a command.
struct HeardEnd {
  ChildEnd script;
  const WrapProcess* process = nullptr;  // null: none said one
  std::optional<WrapEnd> end;            // nullopt: none is known
  const WrapEnd* known() const noexcept { return end ? &*end : nullptr; }
  std::optional<std::uint32_t> rank() const { return process ? process->hello.rank : std::nullopt; }
};

HeardEnd find_end(const WrapRun& run, const ChildEnd& script) {
  HeardEnd heard{script, find_ended(run), {}};
  if (heard.process)
    heard.end = heard.process->end;
  else if (run.hung())
    heard.end.emplace().reason = WrapReason::hangs;  // of a process that said no word
  return heard;
}

constexpr int kNoSuchFile = 2;  // of Python, which cannot open its script

void tell_end(const WrapRequest& request, const WrapRun& run, const HeardEnd& heard,
              std::uint32_t rounds, const std::string& program) {
  const auto& [script, process, ignored] = heard;
  const WrapEnd* end = heard.known();
  const std::string unattached =
      run.unattached().empty() ? explain_unattached(request.words) : run.unattached();
  tell(run.apart());
  print_fitted(
      stderr, "benchbench: " + end_words(request, end, script, rounds,
                                         process && process->planned ? &*process->planned : nullptr,
                                         heard.rank(), unattached));
  const bool unseen = !end && unattached.empty() && !script.good() && !script.signal;
  if (unseen && script.status != kNoSuchFile && script.status != 128 + SIGINT)
    print_fitted(stderr, interpreter_words(program));
}

// Returns the exit code of an end that is a failure of ours.
int find_own_code(const WrapEnd* end) {
  if (end && end->reason == WrapReason::internal) return kTrialFailed;
  return end && end->reason == WrapReason::refused ? kUsage : kDone;
}

// Reports what is known of the script, and what the search for other settings found.
int report_all(const Arguments& arguments, const WrapRequest& request, const WrapRun& run,
               const WrapKept& kept, const WrapEnd* end) {
  const std::optional<ScriptSearch> search = kept.search();
  const std::optional<TuneReport> found =
      search ? std::optional(search->report(request.script)) : std::nullopt;
  const int code =
      report(arguments, kept, found ? &*found : nullptr, make_ending(end, run.hang(), run.times()));
  if (run.tune() && !search) tell_no_tune(*run.tune());
  return code;
}

std::string describe_copy(const FolderCopy& copy) {
  return fmt::format("{} ({})", fs::current_path().string(),
                     human_bytes(static_cast<double>(copy.bytes())));
}

int wrap(const Arguments& arguments) {
  check_outputs(arguments, {{}, arguments.list("--out")});
  const WrapRequest request = wrap_request(arguments);
  const std::string program = program_of(request.words.front());
  if (!request.folder.empty()) check_folder(request.folder);
  const auto runtime = make_real_runtime(Nanoseconds{0});
  WrapRun run(request, *runtime);
  std::optional<WrapKept> kept;
  ForegroundSignals signals;
  const auto copy = copy_for(request, signals);
  print_fitted(stderr, start_words(request, copy ? describe_copy(*copy) : ""));
  const HeardEnd heard =
      find_end(run, run_script(request, signals, run, kept, copy.get(), *runtime));
  const WrapEnd* end = heard.known();
  if (end && end->reason == WrapReason::checked) {
    print_fitted(check_words(request, *end));
    return exit_code_of(end, heard.script, true, 0);
  }
  const bool known = kept->finish(run, notice_ending(end, run.hang()),
                                  end ? explain_early_end(*end, heard.rank()) : "");
  tell_end(request, run, heard, known ? kept->rounds() : 0, program);
  if (end && end->reason == WrapReason::refused && !request.order.keep_going)
    return kUsage + kOursAdded;  // whatever a launcher makes of its ranks' end
  const int ours = find_own_code(end);
  if (!known) return exit_code_of(end, heard.script, false, ours);
  return exit_code_of(end, heard.script, true,
                      strongest({ours, report_all(arguments, request, run, *kept, end)}));
}

}  // namespace

extern const Command wrap_command{
    "wrap",
    "measure",
    "measure a training script of yours, unchanged",
    "-- COMMAND...",
    wrap_options(),
    "  benchbench wrap -- python train.py --epochs 3\n"
    "  benchbench wrap --budget 2min --json wrap.json -- torchrun --nproc_per_node 2 train.py\n"
    "  benchbench wrap --check -- python train.py\n",
    wrap,
    kOursAdded};

}  // namespace benchbench
