#include "harness/config/dlio/dlio_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/characters.h"
#include "harness/core/contains.h"
#include "harness/core/parse_number.h"

namespace benchbench::config {
namespace {

// Why a key changes nothing here. A prefix stands for all keys below it; the longest that fits is
// told.
constexpr std::pair<std::string_view, std::string_view> kReasons[] = {
    {"framework", "no framework is used: the loader is benchbench's own"},
    {"model.name", "only a name"},
    {"model.", "no model is run: the step takes train.computation_time"},
    {"workflow.", "`benchbench data` makes the data, `run` measures"},
    {"workflow.checkpoint", "set trainer.checkpoint.every for checkpoints"},
    {"workflow.evaluation", "nothing is evaluated"},
    {"workflow.profiling", "`--trace` records events"},
    {"dataset.data_folder", "data are made in the cache folder; set dataset.path for your own"},
    {"dataset.num_subfolders", "the format determines the folders"},
    {"dataset.num_files_eval", "nothing is evaluated"},
    {"dataset.file_prefix", "the format determines the file names"},
    {"dataset.keep_files", "synthesised data stay in the cache folder until they are removed"},
    {"dataset.parquet", "a record is one column of bytes here"},
    {"dataset.compression", "only gzip with hdf5 is supported"},
    {"dataset.", "the format determines the layout of records"},
    {"reader.data_loader", "the loader is native"},
    {"reader.computation_threads", "workers both read and transform"},
    {"reader.file_shuffle", "samples are shuffled individually"},
    {"reader.batch_size_eval", "nothing is evaluated"},
    {"reader.preprocess_time",
     "real loaders do not sleep; loader.use: synthetic has transform_time"},
    {"reader.", "there is no such setting"},
    {"train.epochs", "`measure` sets the length of a run"},
    {"train.total_training_steps", "`measure` sets the length of a run"},
    {"train.seed_change_epoch", "each epoch has its own order"},
    {"train.", "there is no such setting"},
    {"evaluation.", "nothing is evaluated"},
    {"checkpoint.checkpoint_folder", "set trainer.checkpoint.path"},
    {"checkpoint.", "checkpoints are counted in steps: trainer.checkpoint.every"},
    {"metric.", "only au is checked"},
    {"output.", "`--out` and `--json` set the output"},
    {"profiling.", "`--trace` records events"},
};

std::string_view reason_for(const std::string& key) {
  std::string_view reason = "benchbench does not know this key";
  std::size_t longest = 0;
  for (const auto& [prefix, why] : kReasons)
    if (key.starts_with(prefix) && prefix.size() > longest) reason = why, longest = prefix.size();
  return reason;
}

std::string shown(const YamlNode& node) {
  if (node.scalar()) {
    std::string text = node.text.substr(0, 80);
    std::ranges::replace(text, '\n', ' ');  // goes into a comment
    return text;
  }
  return node.list() ? fmt::format("[{} items]", node.items.size()) : "{...}";
}

std::optional<double> number_in(const YamlNode& node) {
  const auto value = node.scalar() ? parse_number<double>(node.text) : std::nullopt;
  return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace

DlioKeys::DlioKeys(const YamlNode& tree, Diagnostics& diagnostics)
    : diagnostics_(diagnostics), top_(tree.at) {
  walk(tree, "");
}

void DlioKeys::walk(const YamlNode& node, const std::string& prefix) {
  for (const YamlMember& member : node.members) {
    const std::string name = prefix + member.key;
    if (member.value.map() && !member.value.members.empty())
      walk(member.value, name + ".");
    else
      keys_.push_back({.name = name, .value = &member.value, .taken = false, .remark = {}});
  }
}

const DlioKeys::Key* DlioKeys::find(const std::string& name) const {
  return find_element(keys_, name, &Key::name);
}

bool DlioKeys::has_section(const std::string& section) const {
  return std::ranges::any_of(keys_,
                             [&](const Key& k) { return k.name.starts_with(section + "."); });
}

bool DlioKeys::says(const std::string& key, std::string_view word) const {
  const Key* found = find(key);
  return found && found->value->scalar() && std::ranges::equal(found->value->text, word, {}, lower);
}

DlioKeys::Key* DlioKeys::take(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    Key* const found = find_element(keys_, std::string_view(name), &Key::name);
    if (!found) continue;
    found->taken = true;
    return found;
  }
  return nullptr;
}

void DlioKeys::complain(const std::string& key, const std::string& message) {
  const Key* found = find(key);
  diagnostics_.add(found ? found->value->at : top_, "{}: {}", key, message);
}

std::optional<std::string> DlioKeys::text(std::initializer_list<const char*> names) {
  const Key* key = take(names);
  if (!key) return std::nullopt;
  if (key->value->scalar()) return key->value->text;
  complain(key->name, "must be a word");
  return std::nullopt;
}

std::optional<double> DlioKeys::within(std::initializer_list<const char*> names, double min,
                                       double max, const char* kind) {
  const Key* key = take(names);
  if (!key) return std::nullopt;
  const auto value = number_in(*key->value);
  if (value && *value >= min && *value <= max) return value;
  complain(key->name,
           fmt::format("\"{}\" is not a {} of at least {}", shown(*key->value), kind, min));
  return std::nullopt;
}

std::optional<std::uint64_t> DlioKeys::count(std::initializer_list<const char*> names,
                                             std::uint64_t min) {
  const auto value = within(names, static_cast<double>(min), 9e15, "whole number");
  return value ? std::optional(static_cast<std::uint64_t>(*value + 0.5)) : std::nullopt;
}

std::optional<bool> DlioKeys::flag(std::initializer_list<const char*> names) {
  const Key* key = take(names);
  if (!key) return std::nullopt;
  std::string word = key->value->scalar() ? key->value->text : "";
  std::ranges::transform(word, word.begin(), lower);
  if (word == "true" || word == "false") return word == "true";
  complain(key->name, fmt::format("\"{}\" is neither True nor False", shown(*key->value)));
  return std::nullopt;
}

std::vector<std::uint64_t> DlioKeys::list(const char* name) {
  const Key* key = take({name});
  std::vector<std::uint64_t> values;
  if (!key) return values;
  if (!key->value->list()) complain(name, "must be a list of whole numbers");
  for (const YamlNode& item : key->value->items) {
    const auto value = number_in(item);
    if (value && *value >= 1 && *value <= 1e12)
      values.push_back(static_cast<std::uint64_t>(*value));
    else
      complain(name, "must be a list of whole numbers of at least 1");
  }
  return values;
}

void DlioKeys::remark(std::initializer_list<const char*> names, const std::string& words) {
  for (const char* name : names)
    for (Key& k : keys_)
      if (k.name == name) k.remark = words;
}

void DlioKeys::remark_unused(const std::string& prefix, const std::string& words) {
  for (Key& k : keys_)
    if (!k.taken && k.remark.empty() && k.name.starts_with(prefix)) k.remark = words;
}

std::vector<std::string> DlioKeys::not_taken() const {
  std::vector<std::string> lines;
  for (const Key& key : keys_) {
    if (key.taken && key.remark.empty()) continue;
    lines.push_back(
        fmt::format("{}: {} (line {}): {}", key.name, shown(*key.value), key.value->at.line,
                    key.remark.empty() ? std::string(reason_for(key.name)) : key.remark));
  }
  return lines;
}

}  // namespace benchbench::config
