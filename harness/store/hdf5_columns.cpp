#include "harness/store/hdf5_columns.h"

#include <concepts>
#include <limits>
#include <map>

#include "harness/record/fields.h"

namespace benchbench {
namespace {

// Units are part of names where types end: window_ns, throttled_s, slope_share.
std::string unit_of(std::string_view name, bool real) {
  if (name.ends_with("_ns")) return "ns";
  if (name.ends_with("_s")) return "s";
  if (name.ends_with("_share")) return "share";
  if (name.starts_with("bytes_") || name.ends_with("_bytes")) return "bytes";
  if (name == "samples" || name.ends_with("_samples")) return "samples";
  if (name == "cores_available") return "cores";
  return real ? "1" : "count";
}

std::string joined(std::string_view name, std::string_view member) {
  return std::string(name).append("_").append(member);
}

// Walks one record after the other. All have the same fields in the same order, so the column is
// known by its turn.
class Collector {
 public:
  void begin_record() { turn_ = 0; }
  std::vector<StoredColumn> take() { return std::move(columns_); }

  // A number that counts nothing.
  void add(std::string_view name, std::int64_t value) { put(name, value, "1"); }

  template <std::integral T>
  void operator()(std::string_view name, const T& v) {
    put(name, static_cast<std::int64_t>(v), std::same_as<T, bool> ? "1" : nullptr);
  }
  void operator()(std::string_view name, const double& v) { put(name, v); }
  void operator()(std::string_view name, const std::string& v) { put(name, v, "1"); }
  template <HasWords E>
  void operator()(std::string_view name, const E& v) {
    put(name, std::string(name_of(v)), "1");
  }
  void operator()(std::string_view name, const CacheState& v) { put(name, v.text(), "1"); }
  // The journal has what is in it.
  void operator()(std::string_view name, const std::optional<ExternalFacts>& v) {
    put(name, std::string(v ? name_of(v->way) : ""), "1");
  }
  template <HasFields T>
  void operator()(std::string_view name, const std::optional<T>& v) {
    visit_fields(v ? *v : T{}, [&](std::string_view member, const auto& value) {
      const std::string whole = joined(name, member);
      if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>)
        put(whole, v ? static_cast<double>(value) : std::numeric_limits<double>::quiet_NaN());
      else
        (*this)(whole, value);
    });
  }
  void operator()(std::string_view name, const std::optional<std::string>& v) {
    put(name, v.value_or(""), "1");
  }
  template <class Number>
  void operator()(std::string_view name, const std::optional<Number>& v) {
    put(name, v ? static_cast<double>(*v) : std::numeric_limits<double>::quiet_NaN());
  }
  void operator()(std::string_view name, const Distribution& d) {
    visit_fields(d, [&](std::string_view part, const auto& v) {
      const std::string whole = joined(name, part);
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(v)>, double>)
        put(whole, v, "ns");
      else
        put(whole, static_cast<std::int64_t>(v), "count");
    });
  }
  void operator()(std::string_view name, const std::array<StageTotal, kStages>& stages) {
    for (std::size_t i = 0; i < kStages; ++i) {
      const std::string whole = joined(name, name_of(static_cast<Stage>(i)));
      put(whole + "_ns", stages[i].ns);
      put(whole + "_count", static_cast<std::int64_t>(stages[i].count));
    }
  }
  // Lists are told by their length: the journal has what is in them.
  template <class T>
  void operator()(std::string_view name, const std::vector<T>& list) {
    put(name, static_cast<std::int64_t>(list.size()));
  }
  template <HasFields T>
  void operator()(std::string_view name, const T& part) {
    visit_fields(part,
                 [&](std::string_view member, const auto& v) { (*this)(joined(name, member), v); });
  }

 private:
  template <class T>
  void put(std::string_view name, T value, const char* unit = nullptr) {
    if (turn_ == columns_.size()) {
      columns_.push_back({std::string(name), unit ? unit : unit_of(name, std::is_same_v<T, double>),
                          std::vector<T>{}});
    }
    std::get<std::vector<T>>(columns_[turn_++].values).push_back(std::move(value));
  }

  std::vector<StoredColumn> columns_;
  std::size_t turn_ = 0;
};

std::string reasons_text(const TrialRecord& record) {
  std::string text;
  for (const Reason& reason : record.reasons) {
    if (!text.empty()) text += "; ";
    if (!reason.rule.empty()) text += reason.rule + ": ";
    text += reason.text;
  }
  return text;
}

void add_identity(Collector& collect, const TrialRecord& record) {
  const Trial& trial = record.trial;
  collect("sequence", record.sequence);
  collect.add("trial", trial.index);
  collect.add("round", record.planned.round);
  collect.add("repeat", record.planned.repeat);
  // The first of the points it serves; /plan has them all.
  collect.add("point", trial.points.empty() ? -1 : std::int64_t{trial.points.front()});
  collect("mode", trial.mode);
  collect("ablation", trial.ablation.text());
  collect("status", record.status);
  collect("reasons", reasons_text(record));
  collect("started_at", record.started_at);
}

}  // namespace

std::vector<StoredColumn> trial_columns(std::span<const TrialRecord> records) {
  Collector collect;
  for (const TrialRecord& record : records) {
    collect.begin_record();
    add_identity(collect, record);
    visit_fields(record.facts, collect);
  }
  return collect.take();
}

std::vector<StoredColumn> setting_columns(std::span<const TrialRecord> records) {
  std::map<std::string, std::vector<std::string>> by_key;
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (const auto& [key, value] : records[i].trial.settings.all()) {
      auto& column = by_key[key];
      column.resize(records.size());
      column[i] = value.text();
    }
  }
  std::vector<StoredColumn> columns;
  for (auto& [key, texts] : by_key) columns.push_back({key, "", std::move(texts)});
  return columns;
}

}  // namespace benchbench
