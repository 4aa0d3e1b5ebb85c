#include "harness/report/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "harness/analysis/rules.h"
#include "harness/core/error.h"
#include "harness/core/spelling.h"
#include "harness/core/units.h"
#include "harness/record/keys.h"
#include "harness/record/metric.h"
#include "harness/record/store_presets.h"
#include "harness/report/substitution_table.h"
#include "harness/report/text_table.h"

namespace benchbench {
namespace {

// What the report's columns call a metric.
constexpr std::pair<std::string_view, std::string_view> kColumnsOfReport[] = {
    {"shuffle_displacement", "shuffle"}, {"shuffle_together", "together"}, {"padding_share", "padding"},
    {"exposed_wait", "wait"},            {"side_cost", "held back by"},    {"cache_share", "from cache"}};

struct KeyTable {
  std::string_view prefix;
  std::span<const Parameter> keys;
};
std::array<KeyTable, 4> key_tables() {
  return {KeyTable{"dataset", dataset_keys()}, KeyTable{"loader", loader_keys()},
          KeyTable{"trainer", trainer_keys()}, KeyTable{"measure", measure_keys()}};
}

std::string_view words_of(ParameterType type) {
  constexpr std::string_view names[] = {"true or false",
                                        "a whole number",
                                        "a number",
                                        "a duration such as 12ms",
                                        "a size such as 64KiB",
                                        "a rate such as 500/s",
                                        "a bandwidth such as 1.2GB/s",
                                        "text",
                                        "one of"};
  return names[static_cast<int>(type)];
}

std::string limit_text(ParameterType type, double value) {
  switch (type) {
    case ParameterType::duration:
      return duration_text(Nanoseconds{static_cast<std::int64_t>(value)});
    case ParameterType::bytes:
      return bytes_text(Bytes{static_cast<std::uint64_t>(value)});
    case ParameterType::rate:
      return rate_text(value);
    case ParameterType::bandwidth:
      return bandwidth_text(value);
    default:
      return fmt::format("{:g}", value);
  }
}

std::string range_text(const Parameter& p) {
  if (p.type == ParameterType::boolean || p.type == ParameterType::text || p.type == ParameterType::choice)
    return "";
  const bool low = std::isfinite(p.min), high = std::isfinite(p.max) && p.max < 9e15;
  if (low && high) return fmt::format(", {} to {}", limit_text(p.type, p.min), limit_text(p.type, p.max));
  if (low) return fmt::format(", at least {}", limit_text(p.type, p.min));
  return high ? fmt::format(", at most {}", limit_text(p.type, p.max)) : "";
}

std::string kind_text(const Parameter& p) {
  std::string text{words_of(p.type)};
  if (p.type == ParameterType::choice) text += fmt::format(" {}", fmt::join(p.choices, ", "));
  return text + range_text(p);
}

std::string default_text(const Parameter& p) {
  if (p.standard.empty()) return "required";
  if (p.standard == "none") return "absent unless given";
  return fmt::format("default {}", p.standard);
}

std::string lines(std::string_view text, std::size_t width, std::size_t indent) {
  return std::string(indent, ' ') + wrapped(text, width, indent, indent) + '\n';
}

std::string key_text(const std::string& key, const Parameter& p, std::size_t width) {
  return key + '\n' + lines(p.help, width, 2) +
         lines(fmt::format("{}; {}", kind_text(p), default_text(p)), width, 2);
}

std::string data_text(const PartDescription& part) {
  constexpr std::string_view names[] = {"any data", "images", "tokens", "volumes"};
  const std::string_view data = names[static_cast<int>(part.data)];
  if (part.kind == PartKind::loader) return fmt::format("makes {}", data);
  if (part.kind == PartKind::trainer) return fmt::format("takes {}", data);
  return fmt::format("holds {}", data);
}

std::string part_traits(const PartDescription& part, std::string_view module) {
  std::vector<std::string> traits{part.mock ? "a mock" : "real"};
  if (part.kind <= PartKind::sample_format) traits.push_back(data_text(part));
  if (part.needs_dataset) traits.push_back("reads `dataset`");
  if (part.simulated) traits.push_back("can run in virtual time");
  if (!module.empty()) traits.push_back(fmt::format("lives in module {}", module));
  return fmt::format("{}", fmt::join(traits, ", "));
}

std::string_view place_of(PartKind kind) {
  constexpr std::string_view names[] = {"loader", "trainer", "dataset", "loader", "dataset.synthesize", "dataset"};
  return names[static_cast<int>(kind)];
}

std::string kind_words(PartKind kind) {
  std::string text{name_of(kind)};
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

// "storage (residency: host), decode (...)"
std::string substitutions_text(const PartDescription& part) {
  std::vector<std::string> all;
  for (const Substitution& s : part.substitutions) {
    std::vector<std::string> changes;
    for (const Change& c : s.changes) changes.push_back(fmt::format("{}: {}", c.key, c.value));
    all.push_back(fmt::format("{} ({})", name_of(s.component), fmt::join(changes, ", ")));
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string part_text(const PartRow& row, std::size_t width) {
  const PartDescription& part = *row.description;
  std::string text =
      fmt::format("{} ({})\n", part.name, kind_words(part.kind)) + lines(part.summary, width, 2);
  text += lines(part_traits(part, row.module), width, 2);
  if (!part.stages.empty()) {
    std::vector<std::string_view> stages;
    for (const Stage s : part.stages) stages.push_back(name_of(s));
    text += lines(fmt::format("meters {}", fmt::join(stages, ", ")), width, 2);
  }
  if (!part.substitutions.empty())
    text += lines(fmt::format("can be measured without (run --substitute): {}", substitutions_text(part)), width, 2);
  for (const Parameter& p : part.parameters)
    text += fmt::format("\n  {}.{}\n", place_of(part.kind), p.key) + lines(p.help, width, 4) +
            lines(fmt::format("{}; {}", kind_text(p), default_text(p)), width, 4);
  return text;
}

std::string metric_text(const Metric& m, std::size_t width) {
  constexpr std::string_view better[] = {"more is better", "less is better",
                                         "neither more nor less is better"};
  std::string text{m.name};
  if (!m.symbol.empty()) text += fmt::format(" ({})", m.symbol);
  text += '\n' + lines(m.definition, width, 2);
  return text + lines(fmt::format("in {}; {}", m.unit, better[static_cast<int>(m.better)]), width, 2);
}

std::string rule_text(const Rule& r, std::size_t width) {
  return fmt::format("{} ({})\n", r.id, r.name) +
         lines(fmt::format("Validity rule ({}). {}", r.level, r.watches), width, 2);
}

std::string component_text(Component c, std::size_t width) {
  return fmt::format("{} (component of a step)\n", name_of(c)) + lines(std::string(meaning_of(c)), width, 2) +
         lines(fmt::format("First change against it: {}", next_change(c)), width, 2);
}

struct Entry {
  std::vector<std::string> words;  // by which it is known
  std::string text;
};

std::string store_text(const StorePreset& p, std::size_t width) {
  return fmt::format("{} (played store)\n", p.name) + lines(fmt::format("As {}.", p.what), width, 2) +
         lines(text_of(p.figures), width, 2) + lines(fmt::format("Figures: {}", p.source), width, 2);
}

// Known by one word beside its own: `describe storage` shows them all.
void add_stores(std::vector<Entry>& all, std::size_t width) {
  for (const StorePreset& p : store_presets())
    all.push_back({{std::string(p.name), "storage", "dataset.storage"}, store_text(p, width)});
}

// A key by its full name or, where `word` has no table's prefix, by its last part.
bool names_key(std::string_view word, const std::string& full) {
  return word == full ||
         (full.size() > word.size() && full.ends_with(word) && full[full.size() - word.size() - 1] == '.');
}

std::vector<Entry> entries(const Catalog& catalog, std::size_t width) {
  std::vector<Entry> all;
  for (const PartRow& row : catalog.rows()) {
    const PartDescription& part = *row.description;
    all.push_back({{std::string(part.name)}, part_text(row, width)});
    for (const Parameter& p : part.parameters) {
      const std::string full = fmt::format("{}.{}", place_of(part.kind), p.key);
      all.push_back(
          {{full, fmt::format("{}.{}", part.name, p.key)},
           key_text(fmt::format("{} (of {} {})", full, kind_words(part.kind), part.name), p, width)});
    }
  }
  for (const KeyTable& table : key_tables())
    for (const Parameter& p : table.keys) {
      const std::string full = fmt::format("{}.{}", table.prefix, p.key);
      all.push_back({{full}, key_text(full, p, width)});
      if (full == "loader.access") all.back().words.emplace_back("loader.shuffle");
      if (full == "loader.access") all.back().words.emplace_back("loader.shuffle");
    }
  for (const Metric& m : metrics()) {
    all.push_back({{std::string(m.name)}, metric_text(m, width)});
    if (!m.symbol.empty()) all.back().words.emplace_back(m.symbol);
    for (const auto& [name, column] : kColumnsOfReport)
      if (name == m.name) all.back().words.emplace_back(column);
  }
  add_stores(all, width);
  for (const Rule& r : validity_rules())
    all.push_back({{std::string(r.id), std::string(r.name), "rules"}, rule_text(r, width)});
  for (std::size_t c = 0; c < kComponents; ++c) {
    const std::string name(name_of(static_cast<Component>(c)));
    all.push_back({{name, "components"}, component_text(static_cast<Component>(c), width)});
  }
  return all;
}

[[noreturn]] void refuse(std::string_view word, const std::vector<Entry>& all) {
  std::vector<std::string> known;
  for (const Entry& e : all)
    for (const std::string& w : e.words) {
      known.push_back(w);
      if (const auto dot = w.rfind('.'); dot != std::string::npos) known.push_back(w.substr(dot + 1));
    }
  const std::string nearest = nearest_spelling(word, known);
  throw UsageError(
      fmt::format("nothing is known by the name \"{}\"", word),
      nearest.empty()
          ? "`benchbench list` shows the parts; README.md lists the metrics and the scenario's keys"
          : fmt::format("did you mean {}?", nearest));
}

}  // namespace

std::string describe(std::string_view word, const Catalog& catalog, std::size_t width) {
  const auto all = entries(catalog, width);
  std::string text;
  const auto add = [&](const auto& matches) {
    for (const Entry& e : all)
      if (std::any_of(e.words.begin(), e.words.end(), matches)) text += (text.empty() ? "" : "\n") + e.text;
  };
  add([&](const std::string& w) { return w == word; });
  if (text.empty()) add([&](const std::string& w) { return names_key(word, w); });
  if (text.empty()) refuse(word, all);
  return text;
}

}  // namespace benchbench
