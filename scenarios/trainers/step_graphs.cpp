#include "scenarios/trainers/step_graphs.h"

#include <c10/util/Exception.h>

#include <string>

#include "harness/core/error.h"

namespace benchbench {
namespace {

constexpr std::array kNames = {"forward", "backward", "optimizer"};

// Inside a catch: throws again what is ours and what a smaller batch helps, and torch's words of
// another error as PartError.
[[noreturn]] void explain(StepGraphs::Part part) {
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const c10::OutOfMemoryError&) {
    throw;
  } catch (const c10::Error& e) {
    throw PartError("trainer.graph: the " + std::string(kNames[part]) +
                        " part cannot be captured: " + e.what_without_backtrace(),
                    "leave trainer.graph out");
  }
}

}  // namespace

void StepGraphs::capture(Captured& to, Part part, const std::function<void()>& work) {
  auto graph = on_.make_graph();
  graph->begin();
  try {
    work();
    graph->end();
  } catch (...) {
    graph->give_up();
    explain(part);
  }
  to.parts[part] = std::move(graph);
}

}  // namespace benchbench
