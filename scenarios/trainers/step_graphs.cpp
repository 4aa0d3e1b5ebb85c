#include "scenarios/trainers/step_graphs.h"

#include <c10/util/Exception.h>

#include <string>

#include "harness/core/error.h"

namespace benchbench {
namespace {

constexpr std::array kNames = {"forward", "backward", "optimizer"};

// A stream that is left capturing takes no other work.
void give_up(TorchGraph& graph) noexcept try { graph.end(); } catch (...) {
}

}  // namespace

void StepGraphs::capture(Captured& to, Part part, const std::function<void()>& work) {
  auto graph = on_.make_graph();
  graph->begin();
  try {
    work();
  } catch (const c10::Error& e) {
    give_up(*graph);
    throw PartError("trainer.graph: the " + std::string(kNames[part]) +
                        " part cannot be captured: " + e.what_without_backtrace(),
                    "leave trainer.graph out");
  }
  graph->end();
  to.parts[part] = std::move(graph);
}

}  // namespace benchbench
