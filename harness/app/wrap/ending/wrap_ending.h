// The end of a wrapped script, as what is noticed of it and as JSON. Pure.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/app/wrap/ending/wrap_hang_words.h"
#include "harness/report/text/formats.h"

namespace benchbench {

// Returns where it hung, the lock that it hung at, and its steps where they have no loader.
// `end`: null where the process reported none. `hang`: nullopt where it did not hang.
std::vector<ExternalNoticed> notice_ending(const WrapEnd* end, const std::optional<HangSeen>& hang);

// Returns a sentence for an end that came before the last round by an error of the script, or by a
// checkpoint; "": it ended otherwise. `rank`: of the process that ended so.
std::string explain_early_end(const WrapEnd& end, std::optional<std::uint32_t> rank);

// The times of a run, since its command was started.
struct RunTimes {
  std::optional<Nanoseconds> first_stretch;  // absent: nothing was measured
  Nanoseconds end{0};                        // the command had ended, and was heard to the end
};

// Returns the member "ending" of a report's JSON, and its schema. `end`: null where the process
// reported none.
nlohmann::ordered_json make_ending(const WrapEnd* end, const std::optional<HangSeen>& hang,
                                   const RunTimes& times);
nlohmann::ordered_json ending_schema();

}  // namespace benchbench
