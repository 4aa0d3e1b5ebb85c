#include "harness/config/users_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "harness/config/key_table.h"
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
  for (const auto keys : {loader_keys(), row->description->parameters})
    for (const Parameter& p : keys)
      if (p.key == own) return &p;
  return nullptr;
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
  for (const auto& [key, value] : settings.all())
    if (key.starts_with(section + "args."))
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
      : scenario_(scenario), context_(context), diagnostics_(diagnostics) {}
  void run() {
    const SettingsMap before = scenario_.base;
    if (context_.request.look_at_code) {
      for (const Axis& axis : scenario_.axes) swept_.push_back(keys_set_in(axis));
      look_at_base();
      if (diagnostics_.empty()) look_at_axes(before);
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
  void look_at_axes(const SettingsMap& before) {
    for (std::size_t axis = 0; axis < scenario_.axes.size(); ++axis) {
      // The first fault of an axis stands for all.
      const std::size_t faults = diagnostics_.count();
      for (std::size_t v = 0;
           v < scenario_.axes[axis].values.size() && diagnostics_.count() == faults; ++v)
        look_at(axis, v, before);
    }
  }
  // Its own loader or step, where it is called otherwise than the base's.
  void look_at(std::size_t axis, std::size_t v, const SettingsMap& before) {
    AxisValue& value = scenario_.axes[axis].values[v];
    const SettingsMap alone = with(before, value);
    const auto is_new = [&](PartKind kind) {
      const std::string section = std::string(name_of(kind)) + ".";
      return is_external(kind, alone) && call_of(alone, section) != call_of(before, section);
    };
    const bool loader = is_new(PartKind::loader), trainer = is_new(PartKind::trainer);
    if (!loader && is_external(PartKind::loader, before) && value.find(keys::loader.use))
      value.erase.push_back("loader." + std::string(kUsersOwn));
    if (!loader && !trainer) return;
    const bool batch = loader && is_external(PartKind::trainer, alone) && hands_over();
    const auto check =
        ask({settings_at(axis, v, before), loader, trainer, batch}, &scenario_.axes[axis], v);
    if (!check || !loader) return;
    adopt_batch(*check);
    adopt_into(value, fmt::format("{} {}", scenario_.axes[axis].key, value.label), *check,
               kept_at(axis, v), before);
  }
  SettingsMap settings_at(std::size_t axis, std::size_t v, const SettingsMap& before) const {
    if (scenario_.mode != SweepMode::zip) return with(before, scenario_.axes[axis].values[v]);
    SettingsMap there = before;
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

  // The code as a value of an axis has it; of no axis: as the base has it.
  std::optional<ExternalCheck> ask(const CodeQuestion& question, const Axis* axis = nullptr,
                                   std::size_t v = 0) {
    try {
      return context_.request.look_at_code(question);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::scenario && e.kind() != ErrorKind::part) throw;
      std::string message =
          axis ? fmt::format("{}: {}: {}", axis->key, axis->values[v].label, e.what()) : e.what();
      if (!e.hint().empty()) message += fmt::format("; {}", e.hint());
      if (!e.details().empty()) message += fmt::format("\n{}", e.details());
      diagnostics_.add(place_of_fault(e, question, axis ? item_of(*axis, v) : nullptr), message);
      return std::nullopt;
    }
  }
  // The line that names what is wrong, else the one that asks for it, else the one that names the
  // function.
  Span place_of_fault(const Error& e, const CodeQuestion& question, const YamlNode* item) const {
    const bool arguments = e.kind() == ErrorKind::scenario;  // else the user's own code speaks
    for (const WrittenAxis& w : context_.written)
      if (arguments && w.entry->key.starts_with("loader.args.") &&
          mentions(e.what(), w.entry->key.substr(12)))
        return w.entry->at;
    if (item) return item->at;
    for (const auto& [key, entry] : context_.given)
      if (arguments && (mentions(e.what(), key) ||
                        (key.starts_with("loader.args.") && mentions(e.what(), key.substr(12)))))
        return entry->value->at;
    for (const std::string word : {"setup", "call", "script", "module", "python"})
      for (const std::string section :
           {question.loader ? "loader." : "", question.trainer ? "trainer." : ""})
        if (const Entry* found = find_entry(context_.given, section + word);
            !section.empty() && found && mentions(e.what(), found->value->text))
          return found->value->at;
    return place_of(question.loader ? "loader.call" : "trainer.call");
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
    if (!all.empty())
      scenario_.decisions.push_back(fmt::format("{}: as your DataLoader has {}", commas(all),
                                                all.size() == 1 ? "it" : "them"));
  }
  // Gives an axis' value the settings of its loader: its own, else those without any. Only those
  // that differ from the base's are put there.
  void adopt_into(AxisValue& value, const std::string& name, const ExternalCheck& check,
                  const Keys& kept, const SettingsMap& before) {
    const SettingsMap now = with(scenario_.base, value);
    std::vector<std::string> all, names;
    for (const auto& [own, why] : check.fixed) names.push_back(own);
    for (const std::string_view own : kOwn) {
      const std::string key = key_of(own);
      if (!check.fixed.contains(std::string(own)) &&
          (context_.given.contains(key) || kept.contains(key)))
        continue;
      const auto held = value_there(own, check, now.get(keys::loader.use), before);
      const Value* base = now.find(key);
      if (held ? base && *base == *held : !base) continue;
      if (!held)
        value.erase.push_back(key);
      else
        put(value, key, *held), all.push_back(said(own, *held));
    }
    if (!all.empty())
      scenario_.decisions.push_back(fmt::format("at {}, {}: as your DataLoader has {} there", name,
                                                commas(all), all.size() == 1 ? "it" : "them"));
    const std::string users_own = "loader." + std::string(kUsersOwn);
    if (!names.empty())
      put(value, users_own, {ParameterType::text, fmt::format("{}", fmt::join(names, ","))});
    else if (scenario_.base.has(users_own))
      value.erase.push_back(users_own);
  }
  std::optional<Value> value_there(std::string_view own, const ExternalCheck& check,
                                   const std::string& part, const SettingsMap& before) {
    if (const auto held = own_value(check, own, part); held && !cannot_pin(own, *held)) return held;
    if (check.fixed.contains(std::string(own)))
      return standard_of(own, context_.catalog.find(PartKind::loader, part));
    const Value* held = before.find(key_of(own));
    return held ? std::optional(*held) : std::nullopt;
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
      scenario_.decisions.push_back(
          fmt::format("{}: {}", commas(all),
                      all.size() == 1 ? "benchbench's default, where PyTorch's is False"
                                      : "benchbench's defaults, where PyTorch's are False"));
    tell_batch_size(check);
  }
  // Every rate and every setting that is found holds for the batch size that it was measured with.
  void tell_batch_size(const ExternalCheck& check) {
    const std::string key = key_of("batch_size");
    const Value* held = scenario_.base.find(key);
    const bool swept = std::ranges::find(scenario_.axes, key, &Axis::key) != scenario_.axes.end();
    if (check.kind != "Dataset" || !held || swept || context_.given.contains(key) ||
        check.fixed.contains("batch_size"))
      return;
    scenario_.decisions.push_back(fmt::format(
        "{} is {}, PyTorch's default: set it to that of your training", key, held->text()));
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
    const auto found = check.own.find(std::string(own));
    if (found == check.own.end()) return std::nullopt;
    const ExternalValue& held = found->second;
    if (own == "shuffle") {
      const bool* yes = std::get_if<bool>(&held);
      if (!yes) return std::nullopt;
      return Value{ParameterType::text, std::string(*yes ? "random" : "sequential")};
    }
    const Parameter* p = parameter_of(own, context_.catalog.find(PartKind::loader, part));
    if (!p) return std::nullopt;
    if (const bool* yes = std::get_if<bool>(&held); yes && p->type == ParameterType::boolean)
      return Value{p->type, *yes};
    if (const auto* n = std::get_if<std::int64_t>(&held); n && p->type == ParameterType::integer)
      return Value{p->type, *n};
    const auto* word = std::get_if<std::string>(&held);
    if (word && p->type == ParameterType::choice &&
        std::ranges::find(p->choices, *word) != p->choices.end())
      return Value{p->type, *word};
    return std::nullopt;
  }
  // PyTorch pins nothing without a device; the user's loader works all the same.
  bool cannot_pin(std::string_view own, const Value& value) {
    if (own != "pin_memory" || value.text() != "true" || context_.request.cuda().available)
      return false;
    std::string text =
        "loader.pin_memory is false, though your DataLoader sets it: there is no CUDA device here";
    if (std::ranges::find(scenario_.decisions, text) == scenario_.decisions.end())
      scenario_.decisions.push_back(std::move(text));
    return true;
  }
  // Settings that cannot be given stay as the user's code has them; of what is not known of those
  // the default stands. Only those that were given are worth a word.
  void keep_fixed(const ExternalCheck& check) {
    std::map<std::string, std::vector<std::string>> by_reason;
    std::vector<std::string> names;
    SettingsMap& base = scenario_.base;
    for (const auto& [own, why] : check.fixed) {
      const std::string key = key_of(own);
      if (const Entry* axis = axis_of(key))
        diagnostics_.add(axis->at, fmt::format("{} cannot be swept: {}", axis->written, why));
      if (const Entry* given = find_entry(context_.given, key))
        by_reason[why].push_back(fmt::format("{}: {}", given->written, given->value->text));
      names.push_back(own);
      const auto value = own_value(check, own, base.get(keys::loader.use));
      const auto standard =
          standard_of(own, context_.catalog.find(PartKind::loader, base.get(keys::loader.use)));
      if (value)
        base.set(key, *value);
      else if (standard)
        base.set(key, *standard);
      else
        base.erase(key);
    }
    if (names.empty()) return;
    base.set("loader." + std::string(kUsersOwn),
             {ParameterType::text, fmt::format("{}", fmt::join(names, ","))});
    for (const auto& [why, keys] : by_reason)
      scenario_.decisions.push_back(fmt::format("{} dropped: {}", commas(keys), why));
  }
  void check_size(const ExternalCheck& check) {
    if (!check.epoch_samples) return;
    const std::uint64_t samples = *check.epoch_samples;
    if (check.fixed.contains("batch_size") || !scenario_.base.get(keys::loader.drop_last)) return;
    const auto refuse = [&](const Span& at, std::uint64_t batch) {
      diagnostics_.add(at,
                       fmt::format("loader.batch_size is {}, but the data set has {} and "
                                   "drop_last drops incomplete batches: there would be no batch; "
                                   "use a smaller batch, or drop_last: false",
                                   batch, counted(samples, "sample")));
    };
    if (const auto batch = static_cast<std::uint64_t>(scenario_.base.get(keys::loader.batch_size));
        batch > samples)
      refuse(place_of(keys::loader.batch_size), batch);
    for (const Axis& axis : scenario_.axes)
      for (std::size_t v = 0; axis.key == keys::loader.batch_size && v < axis.values.size(); ++v)
        for (const auto& [key, held] : axis.values[v].set)
          if (const auto* n = std::get_if<std::int64_t>(&held.held);
              n && static_cast<std::uint64_t>(*n) > samples)
            refuse(item_of(axis, v)->at, static_cast<std::uint64_t>(*n));
  }
  void tell_what_needs_workers() {
    const auto zero = [](const Value& v) { return v.text() == "0"; };
    bool without = zero(scenario_.base.at(keys::loader.num_workers));
    for (const Axis& axis : scenario_.axes)
      for (const AxisValue& value : axis.values)
        if (const Value* workers = value.find(keys::loader.num_workers))
          without = without || zero(*workers);
    std::vector<std::string> named;
    for (const std::string_view own : kOwn) {
      const std::string key = key_of(own);
      const Entry* given = find_entry(context_.given, key);
      if (needs_workers(key) && (axis_of(key) || (given && given->value->text != "none")))
        named.push_back(key);
    }
    if (without && !named.empty())
      scenario_.decisions.push_back(
          fmt::format("{} dropped at loader.num_workers 0: PyTorch takes {} with workers only",
                      commas(named), named.size() == 1 ? "it" : "them"));
  }
  Span place_of(const std::string& key) const {
    for (const std::string& name : {key, std::string("loader.call"), std::string(keys::loader.use),
                                    std::string(keys::trainer.use)})
      if (const Entry* found = find_entry(context_.given, name)) return found->value->at;
    return {};
  }
  const Entry* axis_of(const std::string& key) const {
    const auto found =
        std::ranges::find(context_.written, key, [](const WrittenAxis& w) { return w.entry->key; });
    return found == context_.written.end() ? nullptr : found->entry;
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
  std::vector<Keys> swept_;  // of each axis, as it was written
};

}  // namespace

void look_at_users_code(Scenario& scenario, const CodeContext& context, Diagnostics& diagnostics) {
  UsersCode(scenario, context, diagnostics).run();
}

}  // namespace benchbench::config
