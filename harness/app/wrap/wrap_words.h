// What `benchbench wrap` says besides the report, and the exit code that it ends with.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/app/wrap/schedule/round_schedule.h"
#include "harness/app/wrap/wrap_options.h"
#include "harness/core/child_process.h"

namespace benchbench {

// Of steps on a GPU.
inline constexpr const char* kUntriedDevice =
    "wrap takes the times of steps from events of the device, which was never tried on one";

// How long a loop in which nothing trains is watched before it is taken for what is to be measured.
inline constexpr Nanoseconds kLookedAt = std::chrono::seconds{20};

inline constexpr int kOursAdded = 64;  // to an exit code of ours: the script's own differ from it
// The script ended by itself, with 0, before there was an answer.
inline constexpr int kNoAnswer = 72;
inline constexpr int kHung = 74;  // with an answer or without

// Returns the name of the checkpoints that this saver writes, with what switches them off where
// that is known.
std::string saving_words(std::string_view saver);

// Before the start: what will be done, and what of it is real.
// `copied`: the folder that the script runs in a copy of, and how large it is; empty: it runs where
// we do.
std::string start_words(const WrapRequest& request, const std::string& copied = {});
// "train_loader (train.py:31)".
std::string loader_words(const WrapLoader& loader);
// Once its loop is steady.
std::string planned_words(const WrapRequest& request, const WrapPlanned& planned);
// Of another process with a loop, which goes on as it is. `after`: the measured one has ended.
std::string left_alone_words(int pid, const WrapLoader& loader, bool after);
// Where not all of a process's torch could be patched; "" where it could.
std::string unpatched_words(const WrapHello& process);
// How the script ended, and what of the measurement is there. `planned`: null where its loop was
// never steady. `rank`: of several, the one that ended first. `unattached`: why none of it was
// seen; empty: it is not known.
std::string end_words(const WrapRequest& request, const WrapEnd* end, const ChildEnd& script,
                      std::uint32_t rounds, const WrapPlanned* planned = nullptr,
                      std::optional<std::uint32_t> rank = {}, const std::string& unattached = {});
// Where no process of the command imported torch and it failed: which interpreter that was, as the
// one of PATH may be another than expected. Empty where the command is none.
std::string interpreter_words(const std::string& program);
// Of --check.
std::string check_words(const WrapRequest& request, const WrapEnd& end);

// The exit code: `answered`, there is something to report; `ours`, the code of what failed on our
// side, 0 for nothing.
int exit_code_of(const WrapEnd* end, const ChildEnd& script, bool answered, int ours);

}  // namespace benchbench
