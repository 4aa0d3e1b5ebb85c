// Compares two sets of named values.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace benchbench {

using NamedValues = std::map<std::string, std::string>;

// Returns what is otherwise in the later one, by name: "kernel: Linux 6.1 -> Linux 6.8". A value
// that is absent or empty is "none".
std::vector<std::string> changed_values(const NamedValues& then, const NamedValues& now);

}  // namespace benchbench
