#include "scenarios/python/kept_child.h"

#include <algorithm>
#include <utility>

#include "harness/core/cpu_limit.h"
#include "harness/core/process_tree.h"

namespace benchbench::python_part {
namespace {

// Script and module of each part, each once: what is imported in that order.
Json code_in(const Json& load) {
  Json codes = Json::array();
  for (const char* part : {"loader", "trainer"}) {
    if (load.at(part).is_null()) continue;
    const Json code{{"script", load.at(part).at("script")}, {"module", load.at(part).at("module")}};
    if (std::ranges::find(codes, code) == codes.end()) codes.push_back(code);
  }
  return codes;
}

// The first thing that the last trial left; empty: nothing.
std::string ask_what_is_left(PythonChild& child, const Patience& patience) {
  const Message rested = child.ask({{"type", "rest"}}, "rested", "was ending a trial", patience);
  child.be_idle();
  return read_from(rested, [](const Json& body) {
    const auto left = member_or<std::vector<std::string>>(body, "left", {});
    return left.empty() ? std::string() : left.front();
  });
}

}  // namespace

bool ChildKind::suits(const ChildKind& trial) const noexcept {
  return code == trial.code && (device.empty() || trial.device.empty() || device == trial.device);
}

ChildKind kind_of_child(const std::string& interpreter, const Json& load, int observer) {
  const Json code{{"interpreter", interpreter},
                  {"code", code_in(load)},
                  {"observer", observer > 0},
                  {"cpus", allowed_cpus()}};
  const bool steps = !load.at("trainer").is_null();
  return {code.dump(), steps ? load.at("device").get<std::string>() : ""};
}

KeptChild KeptChildren::take(const ChildKind& trial) {
  KeptChild found;
  const auto at =
      std::ranges::find_if(kept_, [&](const KeptChild& k) { return k.kind.suits(trial); });
  if (at != kept_.end()) {
    found = std::move(*at);
    kept_.erase(at);
  }
  end_on_cards();
  found.kind.code = trial.code;
  if (!trial.device.empty()) found.kind.device = trial.device;
  return found;
}

void KeptChildren::keep(KeptChild child) {
  if (kept_.size() == kMost) kept_.erase(kept_.begin());
  kept_.push_back(std::move(child));
}

void KeptChildren::end_on_cards() {
  std::erase_if(kept_,
                [](const KeptChild& k) { return k.child && k.kind.device.starts_with("cuda:"); });
}

// It is never destroyed: this process may end without saying goodbye to them.
KeptChildren& kept_children() {
  static auto* children = new KeptChildren;
  return *children;
}

void rest_child(KeptChild child, const Patience& patience) noexcept try {
  ++child.trials;
  child.why_fresh = ask_what_is_left(*child.child, patience);
  if (child.why_fresh.empty()) {
    spare_descendant(child.child->pid());
  } else {
    child.child.reset();
    child.trials = 0;
  }
  kept_children().keep(std::move(child));
} catch (const std::exception& error) {  // what was measured is kept; the process is killed
  kept_children().keep({child.kind, nullptr, 0, error.what()});
}

}  // namespace benchbench::python_part
