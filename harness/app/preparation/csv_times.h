// One column of times in a CSV file.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace benchbench {

// ns each; the format is that of read_replay_times(). `path` is for messages. ScenarioError as
// there.
std::vector<std::int64_t> times_of_csv(std::string_view text, const std::string& path,
                                       const std::string& column);

}  // namespace benchbench
