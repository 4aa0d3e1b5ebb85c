#include "harness/config/users_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/config/key_table.h"
#include "harness/core/spelling.h"
#include "harness/record/external_keys.h"
#include "harness/record/external_pairs.h"
#include "harness/record/keys.h"

namespace benchbench::config {
namespace {

// As a DataLoader calls its settings; shuffle is loader.access here.
constexpr std::array<std::string_view, 9> kOwn{"num_workers", "batch_size", "prefetch_factor",    "shuffle",                "drop_last",
                                               "in_order",    "pin_memory", "persistent_workers", "multiprocessing_context"};

std::string key_of(std::string_view own) { return canonical_key("loader." + std::string(own)); }

SettingsMap with(SettingsMap settings, const AxisValue& value) {
  for (const std::string& prefix : value.erase) {
    settings.erase(prefix);
    settings.erase_prefix(prefix + ".");
  }
  for (const auto& [key, held] : value.set)
    if (held.none()) settings.erase(key);
    else settings.set(key, held);
  return settings;
}

const Parameter* parameter_of(std::string_view own, const PartRow* row) {
  if (!row) return nullptr;
  for (const auto keys : {loader_keys(), row->description->parameters})
    for (const Parameter& p : keys)
      if (p.key == own) return &p;
  return nullptr;
}

bool sets(const AxisValue& value, std::string_view key) {
  return std::ranges::any_of(value.set, [&](const auto& pair) { return pair.first == key; });
}

void put(AxisValue& value, const std::string& key, const Value& held) {
  std::erase_if(value.set, [&](const auto& pair) { return pair.first == key; });
  std::erase(value.erase, key);
  value.set.emplace_back(key, held);
}

bool in_word(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// As a word by itself: `size` is not in `batch_size`.
bool mentions(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); !word.empty() && at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]))) return true;
  }
  return false;
}

std::string commas(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

// Keys of a part as a value of an axis gives it.
std::set<std::string> keys_in(const YamlNode* item) {
  std::set<std::string> keys;
  if (item)
    for (const YamlMember& m : item->members) keys.insert(canonical_key("loader." + m.key));
  return keys;
}

}  // namespace

void UsersCode::run() {
  const SettingsMap before = scenario_.base;
  if (context_.request.look_at_code) {
    look_at_base();
    for (Axis& axis : scenario_.axes)
      for (std::size_t v = 0; v < axis.values.size(); ++v) look_at(axis.values[v], item_of(axis, v), before);
  }
  if (is_external(PartKind::loader, scenario_.base)) tell_what_needs_workers();
}

bool UsersCode::is_external(PartKind kind, const SettingsMap& settings) const {
  const Value* use = settings.find(std::string(name_of(kind)) + ".use");
  return use && benchbench::is_external(kind, use->text(), context_.catalog);
}

void UsersCode::look_at_base() {
  const SettingsMap& base = scenario_.base;
  const bool loader = is_external(PartKind::loader, base), trainer = is_external(PartKind::trainer, base);
  if (!loader && !trainer) return;
  const auto check = ask({base, loader, trainer, loader ? with_other_arguments() : std::vector<SettingsMap>{}});
  if (!check || !loader) return;
  keep_fixed(*check);
  adopt_into_base(*check);
  check_size(*check);
}

// Its own loader or step, where it is another than the base's.
void UsersCode::look_at(AxisValue& value, const YamlNode* item, const SettingsMap& before) {
  const SettingsMap there = with(before, value);
  const auto is_new = [&](PartKind kind) {
    const std::string section = std::string(name_of(kind)) + ".";
    return is_external(kind, there) && code_of(there, section) != code_of(before, section);
  };
  const bool loader = is_new(PartKind::loader), trainer = is_new(PartKind::trainer);
  if (!loader && is_external(PartKind::loader, before) && sets(value, "loader.use")) value.erase.push_back("loader." + std::string(kUsersOwn));
  if (!loader && !trainer) return;
  const auto check = ask({there, loader, trainer, {}});
  if (check && loader) adopt_into(value, *check, keys_in(item));
}

std::optional<ExternalCheck> UsersCode::ask(CodeQuestion question) {
  try {
    auto check = context_.request.look_at_code(question);
    if (check) scenario_.decisions.insert(scenario_.decisions.end(), check->notices.begin(), check->notices.end());
    return check;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::scenario && e.kind() != ErrorKind::part) throw;
    std::string message = e.hint().empty() ? e.what() : fmt::format("{}; {}", e.what(), e.hint());
    if (!e.details().empty()) message += fmt::format("\n{}", e.details());
    diagnostics_.add(place_of_fault(e, question), message);
    return std::nullopt;
  }
}

// The line that names what is wrong, else the one that names the function.
Span UsersCode::place_of_fault(const Error& e, const CodeQuestion& question) const {
  const bool arguments = e.kind() == ErrorKind::scenario;  // else the user's own code speaks
  for (const WrittenAxis& w : context_.written)
    if (arguments && w.entry->key.starts_with("loader.args.") && mentions(e.what(), w.entry->key.substr(12))) return w.entry->at;
  for (const auto& [key, entry] : context_.given)
    if (arguments && key.starts_with("loader.args.") && mentions(e.what(), key.substr(12))) return entry->value->at;
  for (const std::string word : {"setup", "call", "script", "module", "python"})
    for (const std::string section : {question.loader ? "loader." : "", question.trainer ? "trainer." : ""})
      if (const auto found = context_.given.find(section + word); !section.empty() && found != context_.given.end())
        if (mentions(e.what(), found->second->value->text)) return found->second->value->at;
  return place_of(question.loader ? "loader.call" : "trainer.call");
}

std::vector<SettingsMap> UsersCode::with_other_arguments() const {
  std::vector<SettingsMap> all;
  const auto argument = [](const std::string& key) { return key.starts_with("loader.args."); };
  for (const Axis& axis : scenario_.axes)
    for (const AxisValue& value : axis.values) {
      const bool changes = std::ranges::any_of(value.erase, argument) ||
                           std::ranges::any_of(value.set, [&](const auto& pair) { return argument(pair.first); });
      SettingsMap there = with(scenario_.base, value);
      if (changes && code_of(there, "loader.") == code_of(scenario_.base, "loader.")) all.push_back(std::move(there));
    }
  return all;
}

std::optional<Value> UsersCode::own_value(const ExternalCheck& check, std::string_view own, const std::string& part) const {
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
  if (const bool* yes = std::get_if<bool>(&held); yes && p->type == ParameterType::boolean) return Value{p->type, *yes};
  if (const auto* n = std::get_if<std::int64_t>(&held); n && p->type == ParameterType::integer) return Value{p->type, *n};
  const auto* word = std::get_if<std::string>(&held);
  if (word && p->type == ParameterType::choice && std::ranges::find(p->choices, *word) != p->choices.end()) return Value{p->type, *word};
  return std::nullopt;
}

// Settings that cannot be given stay as the user's code has them; of what is not known of those the default stands. Only those
// that were given are worth a word.
void UsersCode::keep_fixed(const ExternalCheck& check) {
  std::map<std::string, std::vector<std::string>> by_reason;
  std::vector<std::string> names;
  SettingsMap& base = scenario_.base;
  for (const auto& [own, why] : check.fixed) {
    const std::string key = key_of(own);
    if (const Entry* axis = axis_of(key)) diagnostics_.add(axis->at, fmt::format("{} cannot be swept: {}", axis->written, why));
    if (const auto given = context_.given.find(key); given != context_.given.end())
      by_reason[why].push_back(fmt::format("{}: {}", given->second->written, given->second->value->text));
    names.push_back(own);
    const Parameter* p = parameter_of(own == "shuffle" ? "access" : own, context_.catalog.find(PartKind::loader, base.text("loader.use")));
    const auto value = own_value(check, own, base.text("loader.use"));
    const auto standard = p ? Value::parse(p->type, p->standard) : std::nullopt;
    if (value) base.set(key, *value);
    else if (standard && !standard->none()) base.set(key, *standard);
    else base.erase(key);
  }
  if (names.empty()) return;
  base.set("loader." + std::string(kUsersOwn), {ParameterType::text, fmt::format("{}", fmt::join(names, ","))});
  for (const auto& [why, keys] : by_reason)
    scenario_.decisions.push_back(fmt::format("{} dropped: {}", commas(keys), why));
}

void UsersCode::adopt_into_base(const ExternalCheck& check) {
  SettingsMap& base = scenario_.base;
  std::vector<std::string> told;
  for (const std::string_view own : kOwn) {
    const std::string key = key_of(own);
    if (context_.given.contains(key) || check.fixed.contains(std::string(own))) continue;
    const auto value = own_value(check, own, base.text("loader.use"));
    if (!value || cannot_pin(own, *value)) continue;
    const Value* before = base.find(key);
    if (before && *before == *value) continue;
    told.push_back(own == "shuffle" ? fmt::format("loader.shuffle is {}", value->text() == "random")
                                    : fmt::format("{} is {}", key, value->text()));
    if (before) keep_given_in_items(key, *before);
    base.set(key, *value);
  }
  if (!told.empty()) scenario_.decisions.push_back(fmt::format("{}: as your DataLoader has {}", commas(told), told.size() == 1 ? "it" : "them"));
}

// PyTorch pins nothing without a device; the user's loader works all the same.
bool UsersCode::cannot_pin(std::string_view own, const Value& value) {
  if (own != "pin_memory" || value.text() != "true" || context_.request.cuda_available) return false;
  std::string told = "loader.pin_memory is false, though your DataLoader sets it: there is no CUDA device here";
  if (std::ranges::find(scenario_.decisions, told) == scenario_.decisions.end()) scenario_.decisions.push_back(std::move(told));
  return true;
}

// A value that a loader's own map gives, equal to what the base had before, is no longer the base's.
void UsersCode::keep_given_in_items(const std::string& key, const Value& before) {
  for (Axis& axis : scenario_.axes)
    for (std::size_t v = 0; v < axis.values.size(); ++v)
      if (axis.key == "loader" && keys_in(item_of(axis, v)).contains(key) && !sets(axis.values[v], key)) put(axis.values[v], key, before);
}

void UsersCode::adopt_into(AxisValue& value, const ExternalCheck& check, const Keys& given_there) {
  const std::string part = with(scenario_.base, value).text("loader.use");
  std::vector<std::string> names;
  for (const auto& [own, why] : check.fixed) names.push_back(own);
  for (const std::string_view own : kOwn) {
    const std::string key = key_of(own);
    const bool fixed = check.fixed.contains(std::string(own));
    if (!fixed && (context_.given.contains(key) || given_there.contains(key))) continue;
    const auto held = own_value(check, own, part);
    if (held && !cannot_pin(own, *held)) put(value, key, *held);
  }
  const std::string kept = "loader." + std::string(kUsersOwn);
  if (!names.empty()) put(value, kept, {ParameterType::text, fmt::format("{}", fmt::join(names, ","))});
  else if (scenario_.base.has(kept)) value.erase.push_back(kept);
}

void UsersCode::check_size(const ExternalCheck& check) {
  if (!check.epoch_samples) return;
  const std::uint64_t samples = *check.epoch_samples;
  if (samples == 0) return diagnostics_.add(place_of("loader.call"), fmt::format("the data set that {} returns has no samples", scenario_.base.text("loader.call")));
  if (check.fixed.contains("batch_size") || !scenario_.base.boolean("loader.drop_last")) return;
  const auto refuse = [&](const Span& at, std::uint64_t batch) {
    diagnostics_.add(at, fmt::format("loader.batch_size is {}, but the data set has {} and drop_last drops incomplete batches: there would "
                                     "be no batch; use a smaller batch, or drop_last: false", batch, counted(samples, "sample")));
  };
  if (const auto batch = static_cast<std::uint64_t>(scenario_.base.integer("loader.batch_size")); batch > samples)
    refuse(place_of("loader.batch_size"), batch);
  for (const Axis& axis : scenario_.axes)
    for (std::size_t v = 0; axis.key == "loader.batch_size" && v < axis.values.size(); ++v)
      for (const auto& [key, held] : axis.values[v].set)
        if (const auto* n = std::get_if<std::int64_t>(&held.held); n && static_cast<std::uint64_t>(*n) > samples)
          refuse(item_of(axis, v)->at, static_cast<std::uint64_t>(*n));
}

void UsersCode::tell_what_needs_workers() {
  const auto zero = [](const Value& v) { return v.text() == "0"; };
  bool without = zero(scenario_.base.at("loader.num_workers"));
  for (const Axis& axis : scenario_.axes)
    for (const AxisValue& value : axis.values)
      for (const auto& [key, held] : value.set) without = without || (key == "loader.num_workers" && zero(held));
  std::vector<std::string> named;
  for (const std::string_view own : kOwn) {
    const std::string key = key_of(own);
    const auto given = context_.given.find(key);
    if (needs_workers(key) && (axis_of(key) || (given != context_.given.end() && given->second->value->text != "none"))) named.push_back(key);
  }
  if (without && !named.empty())
    scenario_.decisions.push_back(fmt::format("{} dropped at loader.num_workers 0: PyTorch takes {} with workers only", commas(named),
                                              named.size() == 1 ? "it" : "them"));
}

Span UsersCode::place_of(const std::string& key) const {
  for (const std::string& name : {key, std::string("loader.call"), std::string("loader.use"), std::string("trainer.use")})
    if (const auto found = context_.given.find(name); found != context_.given.end()) return found->second->value->at;
  return {};
}

const Entry* UsersCode::axis_of(const std::string& key) const {
  const auto found = std::ranges::find(context_.written, key, [](const WrittenAxis& w) { return w.entry->key; });
  return found == context_.written.end() ? nullptr : found->entry;
}

const YamlNode* UsersCode::item_of(const Axis& axis, std::size_t value) const {
  for (const WrittenAxis& w : context_.written)
    if (w.entry->written == axis.key && value < w.entry->value->items.size()) return &w.entry->value->items[value];
  return nullptr;
}

}  // namespace benchbench::config
