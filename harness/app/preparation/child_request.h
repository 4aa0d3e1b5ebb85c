// One request to a child of this program, and its answers.
#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "harness/process/frame.h"

namespace benchbench {

// Sends one frame to a fresh child and hands over what comes until "done". Passes an interrupt on.
// Throws what the child's "error" says; InterruptedError; PartError where the child died, which
// costs nobody else anything. `doing` completes "the process ...": "making the dataset", "reading
// the dataset". At the deadline it is stopped as by an interrupt.
void ask_child(const std::string& cache_folder, std::string_view kind, const std::string& payload,
               std::string_view doing, const std::function<void(const Frame&)>& on_frame,
               std::optional<std::chrono::steady_clock::time_point> deadline = {});

}  // namespace benchbench
