#include "harness/app/wrap/wrap_rest.h"

#include <fmt/format.h>

#include "harness/app/tell.h"
#include "harness/core/process_mark.h"

namespace benchbench {

namespace {

constexpr auto kPatience = std::chrono::seconds{5};

}  // namespace

WrapRest::WrapRest(const std::vector<std::string>& environment) {
  for (const std::string& variable : environment)
    if (variable.starts_with("BENCHBENCH_WRAP_TOKEN=")) mark_ = variable;
}

std::vector<int> WrapRest::running() const {
  return mark_.empty() ? std::vector<int>{} : marked_processes(mark_);
}

void WrapRest::end(const WrapSession& session) {
  if (ended_ || mark_.empty() || !session.hangs()) return;
  ended_ = true;
  tell("benchbench: still there half a minute after ranks were stopped, and now killed: {}\n",
       fmt::join(running(), ", "));
  kill();
}

void WrapRest::kill() const noexcept {
  if (!mark_.empty()) kill_marked(mark_, kPatience);
}

}  // namespace benchbench
