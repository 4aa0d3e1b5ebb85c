#include "harness/config/users_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <ranges>
#include <set>

#include "harness/config/key_table.h"
#include "harness/core/contains.h"
#include "harness/core/spelling.h"
#include "harness/record/external_keys.h"
#include "harness/record/keys.h"
#include "harness/record/named_parts.h"
#include "harness/record/setting_keys.h"

namespace benchbench::config {
namespace {

// As a DataLoader calls its settings; shuffle is loader.access here.
constexpr std::array<std::string_view, 9> kOwn{
    "num_workers", "batch_size",         "prefetch_factor",
    "shuffle",     "drop_last",          "in_order",
    "pin_memory",  "persistent_workers", "multiprocessing_context"};

std::string key_of(std::string_view own) { return canonical_key("loader." + std::string(own)); }

SettingsMap with(SettingsMap settings, const AxisValue& value) {
  value.erase_from(settings);
  for (const auto& [key, held] : value.set)
    if (held.none())
      settings.erase(key);
    else
      settings.set(key, held);
  return settings;
}

const Parameter* parameter_of(std::string_view own, const PartRow* row) {
  if (!row) return nullptr;
  const Parameter* p = find_parameter(loader_keys(), own);
  return p ? p : find_parameter(row->description->parameters, own);
}

std::optional<Value> standard_of(std::string_view own, const PartRow* row) {
  const Parameter* p = parameter_of(own == "shuffle" ? "access" : own, row);
  const auto standard = p ? Value::parse(p->type, p->standard) : std::nullopt;
  return standard && !standard->none() ? standard : std::nullopt;
}

std::string said(std::string_view own, const Value& value) {
  if (own == "shuffle") return fmt::format("loader.shuffle is {}", value.text() == "random");
  return fmt::format("{} is {}", key_of(own), value.text());
}

// Equal texts: the same code, called with the same arguments.
std::string call_of(const SettingsMap& settings, const std::string& section) {
  std::string text = code_of(settings, section);
  for (const auto& [key, value] : settings.below(section + "args."))
    text += fmt::format("{}={}\n", key, exact_text(key, value));
  return text;
}

void put(AxisValue& value, const std::string& key, const Value& held) {
  std::erase_if(value.set, [&](const auto& pair) { return pair.first == key; });
  std::erase(value.erase, key);
  value.set.emplace_back(key, held);
}

std::string commas(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

std::optional<Value> copied(const Value* value) {
  return value ? std::optional(*value) : std::nullopt;
}

std::string_view it_or_them(const std::vector<std::string>& words) {
  return words.size() == 1 ? "it" : "them";
}

std::string users_own_key() { return "loader." + std::string(kUsersOwn); }

// Returns the settings that cannot be given, as one text.
Value join_fixed(const ExternalCheck& check) {
  return {ParameterType::text, fmt::format("{}", fmt::join(std::views::keys(check.fixed), ","))};
}

// Returns nullopt where the parameter is of another type.
std::optional<Value> as_parameter(const ExternalValue& held, const Parameter& p) {
  if (const bool* yes = std::get_if<bool>(&held); yes && p.type == ParameterType::boolean)
    return Value{p.type, *yes};
  if (const auto* n = std::get_if<std::int64_t>(&held); n && p.type == ParameterType::integer)
    return Value{p.type, *n};
  const auto* word = std::get_if<std::string>(&held);
  if (word && p.type == ParameterType::choice && contains(p.choices, *word))
    return Value{p.type, *word};
  return std::nullopt;
}

// True if the words name an argument of the user's function that this key gives.
bool name_argument(std::string_view words, const std::string& key) {
  constexpr std::string_view kArguments = "loader.args.";
  return key.starts_with(kArguments) && mentions(words, key.substr(kArguments.size()));
}

std::string compose_message(const Error& e, const std::string& where) {
  std::string message = where.empty() ? e.what() : fmt::format("{}: {}", where, e.what());
  if (!e.hint().empty()) message += fmt::format("; {}", e.hint());
  if (!e.details().empty()) message += fmt::format("\n{}", e.details());
  return message;
}

// Keys of a part as a value of an axis gives it.
std::set<std::string> keys_in(const YamlNode* item) {
  std::set<std::string> keys;
  if (item)
    for (const YamlMember& m : item->members) keys.insert(canonical_key("loader." + m.key));
  return keys;
}

std::set<std::string> keys_set_in(const Axis& axis) {
  std::set<std::string> keys;
  for (const AxisValue& value : axis.values)
    for (const auto& [key, held] : value.set) keys.insert(key);
  return keys;
}

class UsersCode {
 public:
  UsersCode(Scenario& scenario, const CodeContext& context, Diagnostics& diagnostics)
      : scenario_(scenario), context_(context), diagnostics_(diagnostics), before_(scenario.base) {}
  void run() {
    if (context_.request.look_at_code) {
      for (const Axis& axis : scenario_.axes) swept_.push_back(keys_set_in(axis));
      look_at_base();
      if (diagnostics_.empty()) look_at_axes();
    }
    if (is_external(PartKind::loader, scenario_.base)) tell_what_needs_workers();
  }

 private:
  using Keys = std::set<std::string>;
  bool is_external(PartKind kind, const SettingsMap& settings) const {
    const Value* use = settings.find(std::string(name_of(kind)) + ".use");
    return use && benchbench::is_external(kind, use->text(), context_.catalog);
  }
  void look_at_base() {
    const SettingsMap& base = scenario_.base;
    const bool loader = is_external(PartKind::loader, base),
               trainer = is_external(PartKind::trainer, base);
    if (!loader && !trainer) return;
    const auto check = ask({base, loader, trainer, loader && trainer && hands_over()});
    if (!check || !loader) return;
    adopt_batch(*check);
    keep_fixed(*check);
    adopt_into_base(*check);
    tell_defaults(*check);
    check_size(*check);
  }
  // True if some point's batches are handed to the user's step by a loader that is not theirs.
  bool hands_over() const {
    const auto is_ours = [&](const AxisValue& value) {
      return value.find(keys::loader.use) &&
             !is_external(PartKind::loader, with(scenario_.base, value));
    };
    return !is_external(PartKind::loader, scenario_.base) ||
           std::ranges::any_of(scenario_.axes, [&](const Axis& axis) {
             return std::ranges::any_of(axis.values, is_ours);
           });
  }
  // Keeps the batch of the first of the user's loaders, which stands for all of them.
  void adopt_batch(const ExternalCheck& check) {
    const std::string key = "trainer." + std::string(kOwnBatch);
    if (!check.batch.empty() && !scenario_.base.has(key))
      scenario_.base.set(key, {ParameterType::text, check.batch});
  }
  void look_at_axes() {
    for (std::size_t axis = 0; axis < scenario_.axes.size(); ++axis) {
      // The first fault of an axis stands for all.
      const std::size_t faults = diagnostics_.count();
      for (std::size_t v = 0;
           v < scenario_.axes[axis].values.size() && diagnostics_.count() == faults; ++v)
        look_at(axis, v);
    }
  }
  // True if the value's loader or step is called otherwise than the base's.
  bool calls_another(PartKind kind, const SettingsMap& alone) const {
    const std::string section = std::string(name_of(kind)) + ".";
    return is_external(kind, alone) && call_of(alone, section) != call_of(before_, section);
  }
  // Its own loader or step, where it is called otherwise than the base's.
  void look_at(std::size_t axis, std::size_t v) {
    AxisValue& value = scenario_.axes[axis].values[v];
    const SettingsMap alone = with(before_, value);
    const bool loader = calls_another(PartKind::loader, alone),
               trainer = calls_another(PartKind::trainer, alone);
    if (!loader && is_external(PartKind::loader, before_) && value.find(keys::loader.use))
      value.erase.push_back(users_own_key());
    if (!loader && !trainer) return;
    const bool batch = loader && is_external(PartKind::trainer, alone) && hands_over();
    const auto check = ask({settings_at(axis, v), loader, trainer, batch},
                           fmt::format("{}: {}", scenario_.axes[axis].key, value.label),
                           item_of(scenario_.axes[axis], v));
    if (!check || !loader) return;
    adopt_batch(*check);
    adopt_into(value, fmt::format("{} {}", scenario_.axes[axis].key, value.label), *check,
               kept_at(axis, v));
  }
  SettingsMap settings_at(std::size_t axis, std::size_t v) const {
    if (scenario_.mode != SweepMode::zip) return with(before_, scenario_.axes[axis].values[v]);
    SettingsMap there = before_;
    for (const Axis& each : scenario_.axes) there = with(std::move(there), each.values[v]);
    return there;
  }
  // Returns the keys that the value's own map gives, and those that other axes give at its points.
  Keys kept_at(std::size_t axis, std::size_t v) const {
    Keys keys = keys_in(item_of(scenario_.axes[axis], v));
    for (std::size_t i = 0; i < swept_.size() && scenario_.mode != SweepMode::one_at_a_time; ++i)
      if (i != axis) keys.insert(swept_[i].begin(), swept_[i].end());
    return keys;
  }

  // The code as a value of an axis has it, which is called `where` and written at `item`; without
  // them: as the base has it.
  std::optional<ExternalCheck> ask(const CodeQuestion& question, const std::string& where = "",
                                   const YamlNode* item = nullptr) {
    try {
      return context_.request.look_at_code(question);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::scenario && e.kind() != ErrorKind::part) throw;
      diagnostics_.add(place_of_fault(e, question, item), compose_message(e, where));
      return std::nullopt;
    }
  }
  // The line that names what is wrong, else the one that asks for it, else the one that names the
  // function.
  Span place_of_fault(const Error& e, const CodeQuestion& question, const YamlNode* item) const {
    const bool arguments = e.kind() == ErrorKind::scenario;  // else the user's own code speaks
    for (const WrittenAxis& w : context_.written)
      if (arguments && name_argument(e.what(), w.entry->key)) return w.entry->at;
    if (item) return item->at;
    for (const auto& [key, entry] : context_.given)
      if (arguments && (mentions(e.what(), key) || name_argument(e.what(), key)))
        return entry->value->at;
    if (const Entry* code = code_named_in(e.what(), question)) return code->value->at;
    return place_of(question.loader ? "loader.call" : "trainer.call");
  }
  const Entry* code_named_in(std::string_view words, const CodeQuestion& question) const {
    for (const std::string word : {"setup", "call", "script", "module", "python"})
      for (const auto& [asked, section] :
           {std::pair(question.loader, "loader."), std::pair(question.trainer, "trainer.")}) {
        const Entry* found = asked ? find_entry(context_.given, section + word) : nullptr;
        if (found && mentions(words, found->value->text)) return found;
      }
    return nullptr;
  }
  void adopt_into_base(const ExternalCheck& check) {
    SettingsMap& base = scenario_.base;
    std::vector<std::string> all;
    for (const std::string_view own : kOwn) {
      const std::string key = key_of(own);
      if (context_.given.contains(key) || check.fixed.contains(std::string(own))) continue;
      const auto value = own_value(check, own, base.get(keys::loader.use));
      if (!value || cannot_pin(own, *value)) continue;
      const Value* before = base.find(key);
      if (before && *before == *value) continue;
      all.push_back(said(own, *value));
      if (before) keep_given_in_items(key, *before);
      base.set(key, *value);
    }
    tell_adopted(all);
  }
  // `where`: "loader python" of an axis' value.
  void tell_adopted(const std::vector<std::string>& all, const std::string& where = "") {
    const bool of_base = where.empty();
    if (!all.empty())
      note(scenario_.decisions, "{}{}: as your DataLoader has {}{}",
           of_base ? "" : fmt::format("at {}, ", where), commas(all), it_or_them(all),
           of_base ? "" : " there");
  }
  // Gives an axis' value the settings of its loader: its own, else those without any. Only those
  // that differ from the base's are put there.
  void adopt_into(AxisValue& value, const std::string& name, const ExternalCheck& check,
                  const Keys& kept) {
    const SettingsMap now = with(scenario_.base, value);
    std::vector<std::string> all;
    for (const std::string_view own : kOwn) {
      const std::string key = key_of(own);
      const bool fixed = check.fixed.contains(std::string(own));
      if (!fixed && (context_.given.contains(key) || kept.contains(key))) continue;
      const auto held = value_there(own, check, now.get(keys::loader.use));
      if (held == copied(now.find(key))) continue;
      if (!held)
        value.erase.push_back(key);
      else
        put(value, key, *held), all.push_back(said(own, *held));
    }
    tell_adopted(all, name);
    if (!check.fixed.empty())
      put(value, users_own_key(), join_fixed(check));
    else if (scenario_.base.has(users_own_key()))
      value.erase.push_back(users_own_key());
  }
  std::optional<Value> value_there(std::string_view own, const ExternalCheck& check,
                                   const std::string& part) {
    if (const auto held = own_value(check, own, part); held && !cannot_pin(own, *held)) return held;
    if (check.fixed.contains(std::string(own)))
      return standard_of(own, context_.catalog.find(PartKind::loader, part));
    return copied(before_.find(key_of(own)));
  }
  // The DataLoader of a Dataset is made here: two of its settings are not PyTorch's defaults.
  void tell_defaults(const ExternalCheck& check) {
    std::vector<std::string> all;
    for (const auto& [own, unlike] :
         {std::pair("shuffle", "random"), std::pair("drop_last", "true")}) {
      const Value* held = scenario_.base.find(key_of(own));
      if (held && held->text() == unlike && !context_.given.contains(key_of(own)) &&
          !check.fixed.contains(own))
        all.push_back(said(own, *held));
    }
    if (check.kind == "Dataset" && !all.empty())
      note(scenario_.decisions, "{}: {}", commas(all),
           all.size() == 1 ? "benchbench's default, where PyTorch's is False"
                           : "benchbench's defaults, where PyTorch's are False");
    tell_batch_size(check);
  }
  // Every rate and every setting that is found holds for the batch size that it was measured with.
  void tell_batch_size(const ExternalCheck& check) {
    const std::string key = key_of("batch_size");
    const Value* held = scenario_.base.find(key);
    if (check.kind != "Dataset" || !held || contains(scenario_.axes, key, &Axis::key) ||
        context_.given.contains(key) || check.fixed.contains("batch_size"))
      return;
    note(scenario_.decisions, "{} is {}, PyTorch's default: set it to that of your training", key,
         held->text());
  }
  // A value that a loader's own map gives, equal to what the base had before, is no longer the
  // base's.
  void keep_given_in_items(const std::string& key, const Value& before) {
    for (Axis& axis : scenario_.axes)
      for (std::size_t v = 0; v < axis.values.size(); ++v)
        if (axis.key == "loader" && keys_in(item_of(axis, v)).contains(key) &&
            !axis.values[v].find(key))
          put(axis.values[v], key, before);
  }
  std::optional<Value> own_value(const ExternalCheck& check, std::string_view own,
                                 const std::string& part) const {
    const ExternalValue* held = find_value(check.own, std::string(own));
    if (!held) return std::nullopt;
    if (own != "shuffle") {
      const Parameter* p = parameter_of(own, context_.catalog.find(PartKind::loader, part));
      return p ? as_parameter(*held, *p) : std::nullopt;
    }
    const bool* yes = std::get_if<bool>(held);
    if (!yes) return std::nullopt;
    return Value{ParameterType::text, std::string(*yes ? "random" : "sequential")};
  }
  // PyTorch pins nothing without a device; the user's loader works all the same.
  bool cannot_pin(std::string_view own, const Value& value) {
    if (own != "pin_memory" || value.text() != "true" || context_.request.cuda().available)
      return false;
    std::string text =
        "loader.pin_memory is false, though your DataLoader sets it: there is no CUDA device here";
    if (!contains(scenario_.decisions, text)) scenario_.decisions.push_back(std::move(text));
    return true;
  }
  // Settings that cannot be given stay as the user's code has them; of what is not known of those
  // the default stands. Only those that were given are worth a word.
  void keep_fixed(const ExternalCheck& check) {
    if (check.fixed.empty()) return;
    std::map<std::string, std::vector<std::string>> by_reason;
    for (const auto& [own, why] : check.fixed) {
      const std::string key = key_of(own);
      if (const Entry* axis = axis_of(key))
        diagnostics_.add(axis->at, "{} cannot be swept: {}", axis->written, why);
      if (const Entry* given = find_entry(context_.given, key))
        by_reason[why].push_back(fmt::format("{}: {}", given->written, given->value->text));
      keep_value(check, own);
    }
    scenario_.base.set(users_own_key(), join_fixed(check));
    for (const auto& [why, keys] : by_reason)
      note(scenario_.decisions, "{} dropped: {}", commas(keys), why);
  }
  void keep_value(const ExternalCheck& check, const std::string& own) {
    SettingsMap& base = scenario_.base;
    const std::string part = base.get(keys::loader.use);
    auto value = own_value(check, own, part);
    if (!value) value = standard_of(own, context_.catalog.find(PartKind::loader, part));
    if (value)
      base.set(key_of(own), *value);
    else
      base.erase(key_of(own));
  }
  void check_size(const ExternalCheck& check) {
    if (!check.epoch_samples || check.fixed.contains("batch_size") ||
        !scenario_.base.get(keys::loader.drop_last))
      return;
    const std::uint64_t samples = *check.epoch_samples;
    if (const std::uint64_t batch = scenario_.base.get(keys::loader.batch_size); batch > samples)
      refuse_batch(place_of(keys::loader.batch_size), batch, samples);
    for (const Axis& axis : scenario_.axes)
      if (axis.key == keys::loader.batch_size) check_sizes(axis, samples);
  }
  void check_sizes(const Axis& axis, std::uint64_t samples) {
    for (std::size_t v = 0; v < axis.values.size(); ++v)
      for (const auto& [key, held] : axis.values[v].set)
        if (const auto* n = std::get_if<std::int64_t>(&held.held);
            n && static_cast<std::uint64_t>(*n) > samples)
          refuse_batch(item_of(axis, v)->at, static_cast<std::uint64_t>(*n), samples);
  }
  void refuse_batch(const Span& at, std::uint64_t batch, std::uint64_t samples) {
    diagnostics_.add(at,
                     "loader.batch_size is {}, but the data set has {} and drop_last drops "
                     "incomplete batches: there would be no batch; use a smaller batch, or "
                     "drop_last: false",
                     batch, counted(samples, "sample"));
  }
  bool has_point_without_workers() const {
    const auto is_zero = [](const Value* workers) { return workers && workers->text() == "0"; };
    return is_zero(&scenario_.base.at(keys::loader.num_workers)) ||
           std::ranges::any_of(scenario_.axes, [&](const Axis& axis) {
             return std::ranges::any_of(axis.values, [&](const AxisValue& value) {
               return is_zero(value.find(keys::loader.num_workers));
             });
           });
  }
  void tell_what_needs_workers() {
    std::vector<std::string> named;
    for (const std::string_view own : kOwn) {
      const std::string key = key_of(own);
      const Entry* given = find_entry(context_.given, key);
      if (needs_workers(key) && (axis_of(key) || (given && given->value->text != "none")))
        named.push_back(key);
    }
    if (!named.empty() && has_point_without_workers())
      note(scenario_.decisions,
           "{} dropped at loader.num_workers 0: PyTorch takes {} with workers only", commas(named),
           it_or_them(named));
  }
  Span place_of(const std::string& key) const {
    for (const std::string& name : {key, std::string("loader.call"), std::string(keys::loader.use),
                                    std::string(keys::trainer.use)})
      if (const Entry* found = find_entry(context_.given, name)) return found->value->at;
    return {};
  }
  const Entry* axis_of(const std::string& key) const {
    const WrittenAxis* const found = find_element(context_.written, key, &WrittenAxis::key);
    return found ? found->entry : nullptr;
  }
  const YamlNode* item_of(const Axis& axis, std::size_t value) const {
    for (const WrittenAxis& w : context_.written)
      if (w.entry->written == axis.key && value < w.entry->value->items.size())
        return &w.entry->value->items[value];
    return nullptr;
  }

  Scenario& scenario_;
  const CodeContext& context_;
  Diagnostics& diagnostics_;
  const SettingsMap before_;  // of the base, before anything was asked
  std::vector<Keys> swept_;   // of each axis, as it was written
};

}  // namespace

void look_at_users_code(Scenario& scenario, const CodeContext& context, Diagnostics& diagnostics) {
  UsersCode(scenario, context, diagnostics).run();
}

}  // namespace benchbench::config
