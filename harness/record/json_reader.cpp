// The record's types from JSON, by the names of fields.h: record_from_json and its kin. A member
// that is absent leaves the value as it was made (older files lack what came later); a member of
// another kind is a Misfit.
#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "harness/core/contains.h"
#include "harness/core/error.h"
#include "harness/record/fields.h"
#include "harness/record/setting_type.h"

namespace benchbench {
namespace {

// An object's members in the order of the text, as the store has them and the visitors ask for
// them: no tree to build, and mostly nothing to search. nlohmann's std::map took a third of the
// time in which a stored run is reported.
template <class Key, class T, class Less, class Allocator>
class MembersRead : public std::vector<std::pair<Key, T>> {
 public:
  using key_type = Key;
  using mapped_type = T;
  using key_compare = Less;
  using Members = std::vector<std::pair<Key, T>>;
  using typename Members::const_iterator;
  using typename Members::iterator;

  T& operator[](const Key& key) { return this->emplace_back(key, T()).second; }
  iterator find(std::string_view key) {
    for (std::size_t tried = 0; tried < this->size(); ++tried) {
      const std::size_t at = next_ < this->size() ? next_ : 0;
      next_ = at + 1;
      if ((*this)[at].first == key) return this->begin() + static_cast<std::ptrdiff_t>(at);
    }
    return this->end();
  }

 private:
  using Members::operator[];
  std::size_t next_ = 0;  // behind the member that was found last
};
using ReadJson = nlohmann::basic_json<MembersRead>;

// Where ("facts.window_ns") and what: turned into a StoreError by whoever knows which line it was.
struct Misfit {
  std::string where;
  std::string what;
  void below(std::string_view name) {
    where = where.empty() ? std::string(name)
                          : std::string(name) + (where[0] == '[' ? "" : ".") + where;
  }
};

template <class E, class Find>
E value_named(const ReadJson& json, Find find) {
  if (json.is_string()) {
    if (const auto found = find(json.get_ref<const std::string&>())) return *found;
  }
  throw Misfit{"", fmt::format("{} is not an allowed value", json.dump())};
}

// A text value of a known type: what the writer wrote, or damage.
Value text_value(ParameterType type, const std::string& text) {
  // "none" as text is a word; the absence of a value is null.
  if (type == ParameterType::text || type == ParameterType::choice) return Value{type, text};
  std::string why;
  if (auto value = Value::parse(type, text, &why)) return *std::move(value);
  throw Misfit{"", fmt::format("\"{}\" is not {}", text, why)};
}

class JsonReader {
 public:
  using Json = ReadJson;

  template <class T>
  void object(const Json& json, T& value) {
    require(json.is_object(), json, "an object");
    visit_fields(value, [&](std::string_view name, auto& field) { member(json, name, field); });
  }

 private:
  template <class T>
  void member(const Json& json, std::string_view name, T& field) {
    const auto at = json.find(name);
    if (at == json.end()) return;
    inside(name, [&] { read(*at, field); });
  }
  using Tags = std::map<std::string, ParameterType, std::less<>>;  // by the setting

  template <HasWords E>
  void read(const Json& json, E& value) {
    value = value_named<E>(json, from_name<E>);
  }
  void read(const Json& json, Ablation& value) {
    value = value_named<Ablation>(json, Ablation::parse);
  }
  void read(const Json& json, CacheState& value) {
    value = value_named<CacheState>(json, CacheState::parse);
  }
  template <class T>
  void read(const Json& json, std::optional<T>& value) {
    value.reset();
    if (!json.is_null()) read(json, value.emplace());
  }
  template <class A, class B>
  void read(const Json& json, std::pair<A, B>& pair) {
    require(json.is_array() && json.size() == 2, json, "a list of two");
    read(json[0], pair.first);
    read(json[1], pair.second);
  }
  template <class T>
  void read(const Json& json, std::vector<T>& values) {
    require(json.is_array(), json, "a list");
    values.clear();
    values.resize(json.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      inside("[" + std::to_string(i) + "]", [&] { read(json[i], values[i]); });
    }
  }
  template <HasFields T>
  void read(const Json& json, T& value) {
    object(json, value);
  }

  template <class Body>
  static void inside(std::string_view name, Body body) {
    try {
      body();
    } catch (Misfit& misfit) {
      misfit.below(name);
      throw;
    }
  }

  static void require(bool right, const Json& json, std::string_view wanted) {
    if (!right) throw Misfit{"", fmt::format("{} is not {}", json.dump().substr(0, 80), wanted)};
  }

  void read(const Json& json, bool& value) {
    require(json.is_boolean(), json, "true or false");
    value = json.get<bool>();
  }

  void read(const Json& json, std::int64_t& value) {
    require(json.is_number_integer() &&
                (!json.is_number_unsigned() ||
                 json.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max()),
            json, "a whole number of 64 bits");
    value = json.get<std::int64_t>();
  }

  void read(const Json& json, std::uint64_t& value) {
    require(json.is_number_unsigned(), json, "a count");
    value = json.get<std::uint64_t>();
  }

  void read(const Json& json, std::uint32_t& value) {
    std::uint64_t wide = 0;
    read(json, wide);
    require(wide <= std::numeric_limits<std::uint32_t>::max(), json, "a count of 32 bits");
    value = static_cast<std::uint32_t>(wide);
  }

  void read(const Json& json, double& value) {
    if (json.is_string()) {
      constexpr double infinity = std::numeric_limits<double>::infinity();
      const auto& text = json.get_ref<const std::string&>();
      require(text == "nan" || text == "inf" || text == "-inf", json, "a number");
      value = text == "nan"   ? std::numeric_limits<double>::quiet_NaN()
              : text == "inf" ? infinity
                              : -infinity;
      return;
    }
    require(json.is_number(), json, "a number");
    value = json.get<double>();
  }

  void read(const Json& json, std::string& value) {
    require(json.is_string(), json, "text");
    value = json.get_ref<const std::string&>();
  }

  void read(const Json& json, std::array<StageTotal, kStages>& stages) {
    require(json.is_object(), json, "an object");
    stages = {};
    for (std::size_t i = 0; i < kStages; ++i)
      member(json, name_of(static_cast<Stage>(i)), stages[i]);
  }

  static ParameterType tag_of(const std::string& name) {
    if (const auto type = from_name<ParameterType>(name)) return *type;
    throw Misfit{"", fmt::format("{} is not a setting's type", name)};
  }

  static Value value_of(const Json& json, std::optional<ParameterType> tag) {
    using Type = ParameterType;
    if (json.is_null()) return {tag.value_or(Type::text), std::monostate{}};
    if (json.is_boolean()) return {tag.value_or(Type::boolean), json.get<bool>()};
    if (json.is_number_integer()) return {tag.value_or(Type::integer), json.get<std::int64_t>()};
    if (json.is_number()) return {tag.value_or(Type::real), json.get<double>()};
    require(json.is_string(), json, "a setting's value");
    const auto& text = json.get_ref<const std::string&>();
    return text_value(tag ? *tag : type_of_text(text), text);
  }

  void read(const Json& json, std::pair<std::string, Value>& setting) {
    require(json.is_array() && (json.size() == 2 || json.size() == 3), json, "a setting");
    read(json[0], setting.first);
    std::optional<ParameterType> tag;
    if (json.size() == 3) {
      std::string name;
      read(json[2], name);
      tag = tag_of(name);
    }
    setting.second = value_of(json[1], tag);
  }

  void add_settings(const Json& json, std::string_view name, SettingsMap& settings) {
    const auto values = json.find(name);
    if (values == json.end()) return;
    require(values->is_object(), *values, "an object");
    const Tags tags = read_tags(json, std::string(name) + "_types");
    for (const auto& [key, value] : values->items())
      inside(key, [&, &setting = key, &held = value] {
        const ParameterType* tag = find_value(tags, setting);
        settings.set(setting, value_of(held, tag ? std::optional(*tag) : std::nullopt));
      });
  }

  Tags read_tags(const Json& json, const std::string& name) {
    Tags tags;
    const auto types = json.find(name);
    if (types == json.end()) return tags;
    require(types->is_object(), *types, "an object");
    for (const auto& [type, keys] : types->items()) {
      std::vector<std::string> tagged;
      read(keys, tagged);
      for (auto& key : tagged) tags.emplace(std::move(key), tag_of(type));
    }
    return tags;
  }

  void member(const Json& json, std::string_view name, SettingsMap& settings) {
    if (!base_ || name != "settings") {
      inside(name, [&] { add_settings(json, name, settings); });
      return;
    }
    settings = *base_;
    std::vector<std::string> dropped;
    member(json, "settings_dropped", dropped);
    for (const auto& key : dropped) settings.erase(key);
    inside("settings_changed", [&] { add_settings(json, "settings_changed", settings); });
  }

  void read(const Json& json, Scenario& scenario) {
    object(json, scenario);
    base_ = &scenario.base;
  }

  const SettingsMap* base_ = nullptr;  // of the plan whose settings are stored as changes
};

ReadJson document(std::string_view text, std::string_view what) {
  try {
    return ReadJson::parse(text.begin(), text.end());
  } catch (const ReadJson::exception& e) {
    throw StoreError(fmt::format("not a valid {}: {}", what, e.what()));
  }
}

void require_version(const ReadJson& json, std::string_view what) {
  if (!json.is_object()) throw StoreError(fmt::format("not a valid {}: it is not an object", what));
  const auto at = json.find("version");
  if (at == json.end() || !at->is_number_integer())
    throw StoreError(fmt::format("not a valid {}: it has no version", what));
  if (!at->is_number_unsigned() || at->get<std::uint64_t>() == 0)
    throw StoreError(fmt::format("not a valid {}: its version is {}", what, at->dump()));
  if (at->get<std::uint64_t>() != kRecordVersion)
    throw StoreError(fmt::format("the {} has version {}, this program reads version {}", what,
                                 at->dump(), kRecordVersion),
                     "read it with the benchbench that wrote it, or measure again");
}

template <class T>
T from_text(std::string_view text, std::string_view what,
            std::initializer_list<const char*> needed) {
  const auto json = document(text, what);
  require_version(json, what);
  for (const char* name : needed) {
    if (!json.contains(name)) throw StoreError(fmt::format("the {} lacks {}", what, name));
  }
  T value;
  try {
    JsonReader().object(json, value);
  } catch (const Misfit& misfit) {
    throw StoreError(fmt::format("the {} is damaged: {}: {}", what, misfit.where, misfit.what));
  }
  return value;
}

}  // namespace

TrialRecord record_from_json(std::string_view json) {
  return from_text<TrialRecord>(json, "record",
                                {"sequence", "trial", "planned", "status", "facts"});
}
Trial trial_from_json(std::string_view json) {
  return from_text<Trial>(json, "trial", {"index", "digest", "mode", "settings"});
}
Environment environment_from_json(std::string_view json) {
  return from_text<Environment>(json, "environment", {"machine"});
}
Plan plan_from_json(std::string_view json) {
  return from_text<Plan>(json, "plan", {"scenario", "points", "trials", "order"});
}

}  // namespace benchbench
