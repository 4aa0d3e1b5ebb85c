// Settings of a loader in the user's Python as they write them in their code:
// DataLoader(num_workers=4).
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/record/trial.h"

namespace benchbench {

// "true" -> True, "none" -> None, "0.5" -> 0.5, "spawn" -> 'spawn'.
std::string python_value(std::string_view text);
// "num_workers=4" of loader.num_workers, "shuffle=True" of loader.access: random; "" of what a
// DataLoader has no keyword for.
std::string python_keyword(std::string_view key, std::string_view text);
// "DataLoader(num_workers=4, persistent_workers=True), make_data(size=288), trainer.seed: 3": keys
// with their values, of a point whose loader is the user's.
std::string python_settings(const Point& point,
                            const std::vector<std::pair<std::string, std::string>>& labels);

}  // namespace benchbench
