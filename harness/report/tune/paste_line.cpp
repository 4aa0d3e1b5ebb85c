// The settings as text, and as what the user pastes.
#include <fmt/format.h>

#include "harness/report/tune/tune_report.h"

namespace benchbench {
namespace {

// At num_workers 0 a knob that needs workers has no effect, and PyTorch refuses some of them there.
bool has_effect(const Space& space, PointId point, const Knob& knob) noexcept {
  return !knob.needs_workers || !space.has_workers() || space.value(point, space.workers_knob()).number > 0;
}

std::string listed(const Space& space, PointId point, std::string_view between, std::string_view after_name, bool python) {
  std::string text;
  for (std::size_t k = 0; k < space.knobs().size(); ++k) {
    if (!has_effect(space, point, space.knobs()[k])) continue;
    std::string value = space.value(point, k).text;
    if (python && value == "true") value = "True";
    if (python && value == "false") value = "False";
    text += fmt::format("{}{}{}{}", text.empty() ? "" : between, space.knobs()[k].name, after_name, value);
  }
  return text;
}

const std::string* value_of(const Space& space, PointId point, std::string_view knob) noexcept {
  for (std::size_t k = 0; k < space.knobs().size(); ++k)
    if (space.knobs()[k].name == knob && has_effect(space, point, space.knobs()[k])) return &space.value(point, k).text;
  return nullptr;
}

std::string libtorch_line(const Space& space, PointId point) {
  std::string text = "torch::data::DataLoaderOptions()";
  if (const std::string* workers = value_of(space, point, "num_workers")) text += fmt::format(".workers({})", *workers);
  if (const std::string* depth = value_of(space, point, "prefetch_factor"))
    text += fmt::format(".max_jobs({})", space.workers(point) * std::stod(*depth));
  const std::string* pinned = value_of(space, point, "pin_memory");
  if (const std::string* order = value_of(space, point, "in_order")) text += fmt::format(".enforce_ordering({})", *order);
  if (pinned && *pinned == "true") text += "   // and pin each batch: batch.data = batch.data.pin_memory() (pin_memory: true)";
  if (pinned && *pinned == "false") text += "   // without pinned batches (pin_memory: false)";
  return text;
}

}  // namespace

std::string settings_text(const Space& space, PointId point) { return listed(space, point, " ", "=", false); }

std::string line_to_paste(const Space& space, PointId point, const std::string& loader) {
  if (loader == "python") return fmt::format("DataLoader(..., {})", listed(space, point, ", ", "=", true));
  if (loader == "libtorch" && space.has_workers()) return libtorch_line(space, point);
  return fmt::format("loader: {{{}}}   # valid for the loader {}", listed(space, point, ", ", ": ", false), loader);
}

}  // namespace benchbench
