// The folder of a run's results, its labels, and the command that continues it.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/app/command.h"
#include "harness/store/run_folder.h"

namespace benchbench {

inline constexpr std::string_view kRuns = "results/runs";  // of the working directory

// Returns a path below `folder` that is not there yet: <name>-<local time>, of those of one second
// .2, .3, ...
std::string fresh_path(const std::string& folder, const std::string& name);

// --out DIR, else results/runs/<scenario>-<local time> (for --resume without --out: the newest of
// the scenario's, if any; of those of one second, .2, .3, ..., the last).
std::string run_path(const Arguments& arguments, const std::string& scenario);

// Returns true if something is there that --resume goes on with.
bool is_begun(const std::string& path);
// --resume, and there is a run at run_path(). Where there is none, or one that ended before its
// plan was written, says so: it starts afresh.
bool resumes(const Arguments& arguments, const std::string& scenario);

// Returns the values of --label in the order given; of a key that is given twice the last counts.
// Throws UsageError.
std::vector<std::pair<std::string, std::string>> read_labels(const Arguments& arguments);

// What runs it again when it is pasted into a shell: the scenario, and those of `options` that were
// given, but --out and --resume.
std::string run_command_text(const Arguments& arguments, std::span<const Option> options);

// What continues this run when it is pasted into a shell: all that it was given, and where it is.
// `options`: what it may be given.
std::string resume_command(const Arguments& arguments, std::span<const Option> options,
                           const std::string& folder);

}  // namespace benchbench
