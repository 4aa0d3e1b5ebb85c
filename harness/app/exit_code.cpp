#include "harness/app/exit_code.h"

#include "harness/core/contains.h"

#include <array>

namespace benchbench {
namespace {

constexpr std::array kMeanings{
    ExitMeaning{kInterrupted, "interrupted by SIGINT; finished trials are kept"},
    ExitMeaning{kTerminated, "ended by SIGTERM; finished trials are kept"},
    ExitMeaning{kNotWritten, "results could not be written or read"},
    ExitMeaning{kUsage, "the command line, the scenario or a stored file is wrong"},
    ExitMeaning{kLacking,
                "this machine lacks something: doctor --strict found a blocker, or, with --strict, "
                "points were SKIPPED for lack of hardware"},
    ExitMeaning{kNothingValid,
                "no trial was VALID or NOISY, or none of the base point, or the base point needs "
                "hardware that this machine lacks; plan: every trial would be SKIPPED"},
    ExitMeaning{
        kBudgetEnded,
        "the budget ended before the minimum of rounds, or before a supply was found to be enough "
        "(require); tune: not finished, or what was found is refused"},
    ExitMeaning{kRegression,
                "compare: a gate of --fail-on is broken, "
                "and a second run (--confirm) has not taken it back"},
    ExitMeaning{kInconclusive,
                "too noisy to judge; compare: not comparable, or nothing can be said; require: no "
                "supply that was tried is enough"},
    ExitMeaning{kTrialFailed, "a trial failed"},
    ExitMeaning{kDoubts,
                "with --strict: a trial is NOISY or INVALID; tune: the target rate or a limit is "
                "not met; require: the loader gives less"},
    ExitMeaning{kDone, "done"},
};

constexpr std::array kWrapMeanings{
    ExitMeaning{69, "wrap: the record or a report could not be written"},
    ExitMeaning{66,
                "wrap: the command line is wrong, the command cannot be started, "
                "or the script cannot be measured"},
    ExitMeaning{72,
                "wrap: the script ended by itself, with 0, before there was an answer, or nothing "
                "that was measured can be used"},
    ExitMeaning{74, "wrap: the script hung and was ended; finished rounds are reported"},
    ExitMeaning{71, "wrap --tune: not finished, or what was found is refused"},
    ExitMeaning{68, "wrap --tune: too noisy to say"},
    ExitMeaning{65, "wrap: the measuring failed"},
    ExitMeaning{73,
                "wrap, with --strict: a stretch is NOISY or INVALID, "
                "or --tune did not reach the target rate"},
};

}  // namespace

std::span<const ExitMeaning> exit_meanings() noexcept { return kMeanings; }
std::span<const ExitMeaning> wrap_exit_meanings() noexcept { return kWrapMeanings; }

int strongest(const std::vector<int>& codes) noexcept {
  for (const ExitMeaning& meaning : kMeanings)
    if (contains(codes, meaning.code)) return meaning.code;
  return kDone;
}

}  // namespace benchbench
