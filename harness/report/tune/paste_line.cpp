// The settings as text, and as what the user pastes.
#include <fmt/format.h>

#include "harness/report/external/python_words.h"
#include "harness/report/tune/tune_report.h"

namespace benchbench {
namespace {

constexpr std::string_view kFormat = "format";  // the one knob that is no setting of the loader

// At num_workers 0 PyTorch refuses some of those that have no effect there.
std::string listed(const Space& space, PointId point, std::string_view between,
                   std::string_view after_name, bool python, bool only_loader = true) {
  std::string text;
  for (std::size_t k = 0; k < space.knobs().size(); ++k) {
    if (!space.has_effect(point, k) || (only_loader && space.knobs()[k].name == kFormat)) continue;
    std::string value = space.value(point, k).text;
    if (python) value = python_value(value);
    text += fmt::format("{}{}{}{}", text.empty() ? "" : between, space.knobs()[k].name, after_name,
                        value);
  }
  return text;
}

const std::string* value_of(const Space& space, PointId point, std::string_view knob) noexcept {
  for (std::size_t k = 0; k < space.knobs().size(); ++k)
    if (space.knobs()[k].name == knob && space.has_effect(point, k))
      return &space.value(point, k).text;
  return nullptr;
}

std::string libtorch_line(const Space& space, PointId point) {
  std::string text = "torch::data::DataLoaderOptions()";
  if (const std::string* workers = value_of(space, point, "num_workers"))
    text += fmt::format(".workers({})", *workers);
  if (const std::string* depth = value_of(space, point, "prefetch_factor"))
    text += fmt::format(".max_jobs({})", space.workers(point) * std::stod(*depth));
  const std::string* pinned = value_of(space, point, "pin_memory");
  if (const std::string* order = value_of(space, point, "in_order"))
    text += fmt::format(".enforce_ordering({})", *order);
  if (pinned && *pinned == "true")
    text += "   // and pin each batch: batch.data = batch.data.pin_memory() (pin_memory: true)";
  if (pinned && *pinned == "false") text += "   // without pinned batches (pin_memory: false)";
  return text;
}

}  // namespace

std::string settings_text(const Space& space, PointId point) {
  return listed(space, point, " ", "=", false, false);
}

std::string line_to_paste(const Space& space, PointId point, const std::string& loader,
                          bool keep_workers) {
  const std::string* format = value_of(space, point, kFormat);
  const std::string with = format ? fmt::format("   # with dataset.format: {}", *format) : "";
  if (loader == "python") {
    const std::string keywords = listed(space, point, ", ", "=", true),
                      keep = keep_workers ? "persistent_workers=True" : "";
    return fmt::format("DataLoader(..., {}{}{}){}", keywords,
                       keywords.empty() || keep.empty() ? "" : ", ", keep, with);
  }
  if (loader == "libtorch" && space.has_workers()) return libtorch_line(space, point) + with;
  const std::string settings = fmt::format("loader: {{{}}}   # valid for the loader {}",
                                           listed(space, point, ", ", ": ", false), loader);
  return format ? fmt::format("dataset: {{format: {}}}\n    {}", *format, settings) : settings;
}

std::string line_to_paste(const TuneReport& r) {
  return line_to_paste(r.problem.space, r.result.chosen, r.loader, should_keep_workers(r));
}

}  // namespace benchbench
