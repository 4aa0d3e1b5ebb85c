// The keys of a scenario that are about the whole: name, question, sweep.mode.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/config/automatic.h"
#include "harness/core/characters.h"
#include "harness/core/spelling.h"

namespace benchbench::config {
namespace {

bool fits_a_folder(const std::string& name) {
  const auto allowed = [](char c) {
    return is_letter_or_digit(c) || c == '_' || c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= 64 && name.front() != '.' &&
         std::ranges::all_of(name, allowed);
}

std::string name_from(const std::string& source) {
  std::string name = source == "-" ? "stdin" : std::filesystem::path(source).stem().string();
  for (char& c : name)
    if (!fits_a_folder("x" + std::string(1, c))) c = '_';
  return fits_a_folder(name) ? name : "scenario";
}

}  // namespace

SweepMode sweep_mode(const std::vector<const Layer*>& layers, Diagnostics& diagnostics) {
  SweepMode mode = SweepMode::one_at_a_time;
  const std::vector<std::string> words{"one_at_a_time", "grid", "zip"};
  bool set = false;  // by --set, which is laid on before --only
  for (const Layer* layer : layers) {
    if ((layer->no_sweep || layer->only) && !set) mode = SweepMode::one_at_a_time;
    for (const Entry& e : layer->mode) {
      set = layer->name == "--set";
      const auto found = std::ranges::find(words, e.value->text);
      if (found != words.end())
        mode = static_cast<SweepMode>(found - words.begin());
      else
        diagnostics.add(e.value->at, "sweep.mode: \"{}\" is not allowed{}", e.value->text,
                        suggest_allowed(e.value->text, words));
    }
  }
  return mode;
}

void check_zip(const std::vector<Axis>& axes, const std::vector<WrittenAxis>& written,
               Diagnostics& diagnostics) {
  for (const Axis& axis : axes) {
    if (axis.values.size() == axes.front().values.size()) continue;
    for (const WrittenAxis& w : written)
      if (w.entry->written == axis.key)
        diagnostics.add(w.entry->value->at,
                        "zip needs axes of equal length, but {} has {} values and {} has {}",
                        axis.key, axis.values.size(), axes.front().key, axes.front().values.size());
  }
}

void read_title(const std::vector<const Layer*>& layers, Scenario& scenario,
                Diagnostics& diagnostics) {
  scenario.name = name_from(scenario.source);
  for (const Layer* layer : layers) {
    for (const Entry& e : layer->title) {
      if (!e.value->scalar())
        diagnostics.add(e.value->at, "{} must be text", e.key);
      else if (e.key == "question")
        scenario.question = e.value->text;
      else if (fits_a_folder(e.value->text))
        scenario.name = e.value->text;
      else
        diagnostics.add(
            e.value->at,
            "name: only letters, digits, - _ and ., at most 64, not starting with a dot, since "
            "it names the results folder");
    }
  }
}

std::string no_variant_text(const std::string& name, const std::vector<std::string>& names) {
  if (names.empty()) return fmt::format("unknown variant {}: the file has no variants", name);
  return fmt::format("unknown variant {}{}", name, suggest_allowed(name, names));
}

}  // namespace benchbench::config
