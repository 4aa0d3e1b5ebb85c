// The hidden command that runs in child processes: trials, the making of data sets, the HDF5 file.
// Hears frames on standard input, answers on file descriptor 3; nothing it does can hurt the
// supervisor.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "harness/app/command.h"
#include "harness/app/export_columns.h"
#include "harness/app/options.h"
#include "harness/app/preparation/trial_runner.h"
#include "harness/core/error.h"
#include "harness/core/visible_text.h"
#include "harness/process/control_listener.h"
#include "harness/process/data_pass_message.h"
#include "harness/process/supervisor.h"
#include "harness/store/run_folder.h"

namespace benchbench {
namespace {

constexpr int kReply = 3;

void say(std::string_view kind, std::string_view payload) {
  if (!write_frame(kReply, kind, payload)) std::_Exit(1);  // the supervisor is gone
}

void say_record(const TrialRecord& record) {
  for (const auto& [name, values] : record.raw_series) {
    std::string payload = name + "\n";
    payload.append(reinterpret_cast<const char*>(values.data()),
                   values.size() * sizeof(std::int64_t));
    say("series", payload);
  }
  say("record", to_json(record));
}

class Child {
 public:
  Child(ControlListener& control, std::string cache, bool simulated)
      : control_(control), cache_(std::move(cache)), runner_(cache_, simulated, control.stop()) {}

  void serve() {
    while (auto frame = control_.next()) {
      control_.set_busy(true);
      take(*frame);
      control_.set_busy(false);
    }
  }

 private:
  void take(const Frame& frame) {
    if (frame.kind == "environment")
      runner_.take_environment(environment_from_json(frame.payload));
    else if (frame.kind == "trial")
      trial_ = trial_from_json(frame.payload);
    else if (frame.kind == "slot")
      planned_ = planned_from(frame.payload);
    else if (frame.kind == "run")
      run_trial_frame();
    else if (frame.kind == "dataset")
      guarded([&] { make_dataset(frame.payload); });
    else if (frame.kind == "verify")
      guarded([&] { verify_data(frame.payload); });
    else if (frame.kind == "export")
      guarded([&] { RunFolder::export_hdf5(frame.payload, export_columns); });
  }
  void run_trial_frame() {
    const TrialRecord record = runner_.run(
        trial_, planned_, [](const TrialProgress& p) { say("progress", progress_payload(p)); });
    // This comes before the last word: the supervisor may close the pipe as soon as it has it.
    control_.set_busy(false);
    say_record(record);
  }
  void make_dataset(std::string_view trial_json) {
    const auto need = dataset_of(trial_from_json(trial_json).settings, cache_);
    if (!need) return;
    const std::string remark = ensure_dataset(
        *need, built_in_catalog(),
        [](std::uint64_t done, std::uint64_t all, std::uint64_t bytes) {
          say("made", fmt::format("{} {} {}", done, all, bytes));
        },
        control_.stop());
    if (!remark.empty()) say("remark", remark);
  }
  void verify_data(std::string_view trial_json) {
    const DataPass pass =
        runner_.verify(trial_from_json(trial_json),
                       [](std::uint64_t done, std::uint64_t all, std::uint64_t bytes) {
                         say("read", fmt::format("{} {} {}", done, all, bytes));
                       });
    say("verified", data_pass_payload(pass));
  }
  // "done", or "error" with kind, message and hint on a line each.
  template <class Work>
  void guarded(Work&& work) {
    try {
      work();
      control_.set_busy(false);
      say("done", "");
    } catch (const Error& e) {
      say("error", fmt::format("{}\n{}\n{}", static_cast<int>(e.kind()), visible(e.message()),
                               visible(e.hint())));
    } catch (const std::bad_alloc&) {
      say("error", fmt::format("{}\nout of memory\n", static_cast<int>(ErrorKind::part)));
    } catch (const std::exception& e) {
      say("error", fmt::format("{}\n{}\n", static_cast<int>(ErrorKind::part), visible(e.what())));
    }
  }
  ControlListener& control_;
  std::string cache_;
  TrialRunner runner_;
  Trial trial_;
  PlannedRun planned_;
};

int run_child(const Arguments& arguments) {
  if (::fcntl(kReply, F_GETFD) < 0)
    throw UsageError("`benchbench child` is internal: benchbench starts it itself",
                     "use `benchbench run FILE`");
  ::fcntl(kReply, F_SETFD, FD_CLOEXEC);
  // The listener sees the supervisor's end too, and takes what was started here along.
  ::prctl(PR_SET_PDEATHSIG, 0);
  const auto runtime = make_real_runtime();
  // It outlives its thread, which ends with the process.
  static ControlListener* listener = new ControlListener(*runtime);
  static auto* task = new std::unique_ptr<Task>(runtime->spawn("control", *listener));
  (void)task;
  Child(*listener, arguments.text("--cache", default_cache_folder()), arguments.flag("--simulated"))
      .serve();
  end_idle_processes(built_in_catalog(), IdleProcesses::all);
  std::fflush(nullptr);
  std::_Exit(0);  // libtorch's and HDF5's exit handlers have nothing to add, and cost 0.1 s
}

constexpr Option kChildOptions[] = {
    {"--cache", "DIR", "the cache folder"},
    {"--simulated", "", "run trials under the simulated clock"},
};

}  // namespace

extern const Command child_command{"child",
                                   "",
                                   "runs trials for the supervisor",
                                   "",
                                   joined({kChildOptions}),
                                   "  benchbench run configs/quickstart.yaml\n",
                                   run_child};

}  // namespace benchbench
