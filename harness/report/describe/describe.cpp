#include "harness/report/describe/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>

#include "harness/analysis/metrics/metric_fields.h"
#include "harness/analysis/rules/rules.h"
#include "harness/core/contains.h"
#include "harness/core/error.h"
#include "harness/core/spelling.h"
#include "harness/core/units.h"
#include "harness/record/device_presets.h"
#include "harness/record/keys.h"
#include "harness/record/setting_keys.h"
#include "harness/record/store_presets.h"
#include "harness/report/describe/part_list.h"
#include "harness/report/external/external_fields.h"
#include "harness/report/tables/point_columns.h"
#include "harness/report/text/text_table.h"
#include "harness/report/words/advice_words.h"
#include "harness/report/words/alarm_words.h"

namespace benchbench {
namespace {

struct KeyTable {
  std::string_view prefix;
  std::span<const Parameter> keys;
};
std::array<KeyTable, 5> key_tables() {
  return {KeyTable{"dataset", dataset_keys()}, KeyTable{"loader", loader_keys()},
          KeyTable{"trainer", trainer_keys()}, KeyTable{"measure", measure_keys()},
          KeyTable{"run", run_keys()}};
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
      return std::abs(value) < 9e15 && value == std::trunc(value) ? fmt::format("{:.0f}", value)
                                                                  : fmt::format("{}", value);
  }
}

constexpr double kNoLimit = -2147483648.0;  // what a key can hold, not what it may be

std::string range_text(const Parameter& p) {
  if (p.type == ParameterType::boolean || p.type == ParameterType::text ||
      p.type == ParameterType::choice)
    return "";
  const bool low = std::isfinite(p.min) && p.min > kNoLimit,
             high = std::isfinite(p.max) && p.max < 9e15;
  if (low && high)
    return fmt::format(", {} to {}", limit_text(p.type, p.min), limit_text(p.type, p.max));
  if (low) return fmt::format(", at least {}", limit_text(p.type, p.min));
  return high ? fmt::format(", at most {}", limit_text(p.type, p.max)) : "";
}

std::string kind_text(const Parameter& p) {
  std::string text{words_of(p.type)};
  if (p.type == ParameterType::choice) text += fmt::format(" {}", fmt::join(p.choices, ", "));
  return text + range_text(p);
}

std::string default_text(const Parameter& p) {
  if (p.standard.empty()) return "; required";
  // Its help says what not set means.
  if (p.standard == "none")
    return p.help.find("Default: ") == p.help.npos ? "; not set by default" : "";
  return fmt::format("; default {}", p.standard);
}

std::string lines(std::string_view text, std::size_t width, std::size_t indent) {
  return std::string(indent, ' ') + wrapped(text, width, indent, indent) + '\n';
}

std::string key_text(const std::string& key, const Parameter& p, std::size_t width) {
  return key + '\n' + lines(p.help, width, 2) + lines(kind_text(p) + default_text(p), width, 2);
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
  if (part.takes_dataset) traits.push_back("takes the folder of `dataset`, if there is one");
  if (part.external) traits.push_back("runs in a process of its own");
  if (part.simulated) traits.push_back("can run in virtual time");
  if (!module.empty()) traits.push_back(fmt::format("in module {}", module));
  return fmt::format("{}", fmt::join(traits, ", "));
}

std::string_view place_of(PartKind kind) {
  constexpr std::string_view names[] = {
      "loader", "trainer", "dataset", "loader", "dataset.synthesize", "dataset"};
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

std::string free_key_lines(std::string_view name, std::size_t width, std::size_t indent) {
  return lines(
             fmt::format("Passed to `call` as the keyword {}, and swept like any other key.", name),
             width, indent) +
         lines("true or false, a number or text; not set by default", width, indent);
}

// Of the harness's keys, those that reach the user's own code.
std::string shared_keys_text(PartKind kind) {
  constexpr std::string_view of_loader[] = {"num_workers", "batch_size", "shuffle",
                                            "drop_last",   "pin_memory", "prefetch_factor",
                                            "in_order"},
                             of_trainer[] = {"device", "intra_op_threads"};
  const std::span<const std::string_view> keys =
      kind == PartKind::loader ? std::span<const std::string_view>(of_loader) : of_trainer;
  std::vector<std::string> names;
  for (const std::string_view key : keys) names.push_back(fmt::format("{}.{}", name_of(kind), key));
  return fmt::format("Also, as for every {}: {}.", name_of(kind), fmt::join(names, ", "));
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
    text += lines(
        fmt::format("can be measured without (run --substitute): {}", substitutions_text(part)),
        width, 2);
  for (const Parameter& p : part.parameters)
    text += fmt::format("\n  {}.{}\n", place_of(part.kind), p.key) + lines(p.help, width, 4) +
            lines(kind_text(p) + default_text(p), width, 4);
  if (!part.free_keys.empty())
    text += fmt::format("\n  {}.{}NAME\n", place_of(part.kind), part.free_keys) +
            free_key_lines("NAME", width, 4);
  if (part.external) text += "\n" + lines(shared_keys_text(part.kind), width, 2);
  return text;
}

// "loader.args.size", "args.size", and "loader.args" alone: of the part that passes such keys on.
std::string free_key_text(std::string_view word, const Catalog& catalog, std::size_t width) {
  for (const PartRow& row : catalog.rows()) {
    const PartDescription& part = *row.description;
    if (part.free_keys.empty()) continue;
    for (const std::string& section :
         {std::string(place_of(part.kind)) + ".", std::string(part.name) + ".", std::string()}) {
      const std::string prefix = section + std::string(part.free_keys);  // "loader.args."
      if (!word.starts_with(prefix) &&
          word != std::string_view(prefix).substr(0, prefix.size() - 1))
        continue;
      const std::string name =
          word.size() > prefix.size() ? std::string(word.substr(prefix.size())) : "NAME";
      return fmt::format("{}.{}{} (of {} {})\n", place_of(part.kind), part.free_keys, name,
                         kind_words(part.kind), part.name) +
             free_key_lines(name, width, 2);
    }
  }
  return "";
}

std::string metric_text(const Metric& m, std::size_t width) {
  constexpr std::string_view better[] = {"more is better", "less is better",
                                         "neither more nor less is better"};
  std::string text{m.name};
  if (!m.symbol.empty()) text += fmt::format(" ({})", m.symbol);
  text += '\n' + lines(m.definition, width, 2);
  return text +
         lines(fmt::format("in {}; {}", m.unit.word, better[static_cast<int>(m.better)]), width, 2);
}

std::string rule_text(const Rule& r, std::size_t width) {
  return fmt::format("{} ({})\n", r.id, r.name) +
         lines(fmt::format("Validity rule ({}). {}", r.level, r.watches), width, 2);
}

std::string component_text(Component c, std::size_t width) {
  return fmt::format("{} (component of a step)\n", name_of(c)) +
         lines(std::string(meaning_of(c)), width, 2) +
         lines(fmt::format("What helps: {}.", next_change(c)), width, 2);
}

constexpr std::string_view kLineTopic = "line of the report";

struct Entry {
  std::vector<std::string> words;  // by which it is known
  std::string text;
  std::string topic = {};
};

void add_entry(std::vector<Entry>& all, std::string_view word, std::string_view topic,
               const std::string& text) {
  all.push_back(
      {{std::string(word)}, fmt::format("{} ({})\n", word, topic) + text, std::string(topic)});
}

// Known by other words, too: `describe storage` and `describe emulated` show them all.
template <class Preset>
void add_presets(std::vector<Entry>& all, std::span<const Preset> presets, std::string_view topic,
                 std::initializer_list<const char*> words, std::size_t width) {
  for (const Preset& p : presets) {
    add_entry(all, p.name, topic,
              lines(fmt::format("As {}.", p.what), width, 2) + lines(text_of(p.figures), width, 2) +
                  lines(fmt::format("Figures: {}", p.source), width, 2));
    all.back().words.insert(all.back().words.end(), words.begin(), words.end());
  }
}

// A key by its full name or, where `word` has no table's prefix, by its last part.
bool names_key(std::string_view word, const std::string& full) {
  return word == full || (full.size() > word.size() && full.ends_with(word) &&
                          full[full.size() - word.size() - 1] == '.');
}

// A field of the JSON report or a column of the CSV file.
void add_field(std::vector<Entry>& all, const std::string& name, const Metric& metric,
               std::size_t width) {
  add_entry(all, name, "field of the JSON report",
            lines(fmt::format("{}: {}", metric.name, metric.definition), width, 2));
}

void add_fields(std::vector<Entry>& all, std::size_t width) {
  for (const EstimateField& f : estimate_fields()) add_field(all, f.name, *f.metric, width);
  for (const NumberField& f : number_fields()) add_field(all, f.name, *f.metric, width);
  for (const ExternalField& f : external_fields())
    add_entry(all, f.name, "number of your loader", lines(f.text, width, 2));
}

void add_terms(std::span<const Term> terms, std::vector<Entry>& all, std::size_t width) {
  for (const Term& t : terms) add_entry(all, t.word, t.kind, lines(t.text, width, 2));
}

// What stands under a column's title is a word of it too: "per step", "L/T".
void add_subtitles(std::vector<Entry>& all) {
  for (const PointColumn& column : point_columns())
    for (Entry& e : all)
      if (e.words.front() == column.title && e.topic == kColumnTopic && !column.subtitle.empty())
        e.words.emplace_back(column.subtitle);
}

std::vector<Entry> entries(const Catalog& catalog, std::size_t width, std::span<const Term> more) {
  std::vector<Entry> all;
  for (const PartRow& row : catalog.rows()) {
    const PartDescription& part = *row.description;
    all.push_back({{std::string(part.name)}, part_text(row, width), kind_words(part.kind)});
    for (const Parameter& p : part.parameters) {
      const std::string full = fmt::format("{}.{}", place_of(part.kind), p.key);
      all.push_back({{full, fmt::format("{}.{}", part.name, p.key)},
                     key_text(fmt::format("{} (of {} {})", full, kind_words(part.kind), part.name),
                              p, width)});
    }
  }
  for (const KeyTable& table : key_tables())
    for (const Parameter& p : table.keys) {
      const std::string full = fmt::format("{}.{}", table.prefix, p.key);
      all.push_back({{full}, key_text(full, p, width)});
      if (full == keys::loader.access) all.back().words.emplace_back("loader.shuffle");
      all.back().topic = fmt::format("key under {}", table.prefix);
    }
  for (const Metric& m : metrics()) {
    all.push_back({{std::string(m.name)}, metric_text(m, width)});
    if (!m.symbol.empty()) all.back().words.emplace_back(m.symbol);
    all.back().topic = "metric";
  }
  add_presets(all, store_presets(), "emulated storage", {"storage", "dataset.storage"}, width);
  add_presets(all, device_presets(), "emulated accelerator", {"emulated", "trainer.emulated"},
              width);
  for (const Rule& r : validity_rules())
    all.push_back(
        {{std::string(r.id), std::string(r.name), "rules"}, rule_text(r, width), "validity rule"});
  for (std::size_t c = 0; c < kComponents; ++c) {
    const std::string name(name_of(static_cast<Component>(c)));
    all.push_back({{name, "components"},
                   component_text(static_cast<Component>(c), width),
                   "component of a step"});
  }
  all.push_back({{"alarms", "alarm", "measure.alarms"}, alarms_table(width), "alarms"});
  add_terms(terms(), all, width);
  add_terms(more, all, width);
  add_subtitles(all);
  add_fields(all, width);
  return all;
}

[[noreturn]] void refuse(std::string_view word, const std::vector<Entry>& all) {
  std::vector<std::string> known;
  for (const Entry& e : all) {
    for (const std::string& w : e.words) {
      known.push_back(w);
      if (const auto dot = w.rfind('.'); dot != std::string::npos)
        known.push_back(w.substr(dot + 1));
    }
    if (!e.topic.empty()) known.push_back(e.topic);
  }
  for (const std::string_view kind : listed_kinds()) known.emplace_back(kind);
  // A key is meant by a key: its section alone is another word (`loader`).
  std::vector<std::string> dotted;
  std::ranges::copy_if(known, std::back_inserter(dotted), [&](const std::string& w) {
    return contains(word, '.') && contains(w, '.');
  });
  std::string nearest = nearest_spelling(word, dotted);
  if (nearest.empty()) nearest = nearest_spelling(word, known);
  throw UsageError(fmt::format("unknown name \"{}\"", word),
                   ask_whether(nearest, "`benchbench describe` lists all parts and words"));
}

}  // namespace

std::string describe(std::string_view word, const Catalog& catalog, std::size_t width,
                     std::span<const Term> more) {
  const auto all = entries(catalog, width, more);
  const auto ablation = Ablation::parse(word);  // "free:decode" is told as "free"
  if (ablation && ablation->kind == AblationKind::free) word = word.substr(0, word.find(':'));
  std::string text;
  const auto add_entries = [&](const auto& matches) {
    for (const Entry& e : all)
      if (matches(e)) text += (text.empty() ? "" : "\n") + e.text;
  };
  const auto add = [&](const auto& matches) {
    add_entries([&](const Entry& e) { return std::ranges::any_of(e.words, matches); });
  };
  add([&](const std::string& w) { return w == word; });
  const bool line_only = std::ranges::none_of(all, [&](const Entry& e) {
    return e.topic != kLineTopic && std::ranges::find(e.words, word) != e.words.end();
  });
  if (text.empty() || line_only)
    add([&](const std::string& w) { return w != word && names_key(word, w); });
  if (text.empty()) text = free_key_text(word, catalog, width);
  if (text.empty())
    add_entries([&](const Entry& e) { return !e.topic.empty() && e.topic == word; });
  if (text.empty()) refuse(word, all);
  return text;
}

std::string describe_parts(std::span<const PartRow> parts, std::size_t width) {
  std::string text;
  for (const PartRow& part : parts) text += (text.empty() ? "" : "\n") + part_text(part, width);
  return text;
}

std::string describe_topics(std::size_t width, std::span<const Term> more) {
  std::vector<std::pair<std::string, std::vector<std::string>>> topics;
  for (const Entry& e : entries(Catalog{std::span<const PartRow>{}}, width, more)) {
    if (e.topic.empty()) continue;
    auto at = std::ranges::find(topics, e.topic, [](const auto& t) { return t.first; });
    if (at == topics.end()) at = topics.insert(at, {e.topic, {}});
    at->second.push_back(e.words.front());
  }
  std::string text;
  for (const auto& [topic, words] : topics)
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", topic) +
            lines(fmt::format("{}", fmt::join(words, ", ")), width, 2);
  return text;
}

}  // namespace benchbench
