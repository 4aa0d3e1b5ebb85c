#include "harness/config/external_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/record/named_parts.h"
#include "harness/record/setting_keys.h"

namespace benchbench::config {
namespace {

// With none, Python's own default holds.
constexpr std::string_view kStartMethod = "loader.multiprocessing_context";

struct Unheard {
  std::string_view prefix;  // of keys
  std::string_view why;     // "loader python ..."
};
constexpr Unheard kOfLoader[] = {
    {keys::loader.dispatch, "hands out batches as PyTorch's DataLoader does"},
    {keys::loader.work_unit, "makes whole batches in each worker, as PyTorch's DataLoader does"},
    {keys::loader.max_jobs,
     "runs ahead by num_workers x prefetch_factor, as PyTorch's DataLoader does"},
    {"dataset.storage.",
     "reads its files itself, and storage is emulated below benchbench's own loaders"},
    {"dataset.columns.", "reads its files itself"},
    {keys::dataset.keep, "chooses its samples itself, as its Dataset and its sampler say"},
    {keys::dataset.keep_by, "chooses its samples itself, as its Dataset and its sampler say"},
};
constexpr Unheard kOfTrainer[] = {
    {"trainer.postprocess.", "does all of a step in its own function"},
    {"trainer.checkpoint.", "does all of a step in its own function"},
    {keys::trainer.log_every, "does all of a step in its own function"},
};
// The keys of a trainer that drops batches in the process that their loader has for itself.
constexpr Unheard kOfDropping[] = {
    {"trainer.postprocess.", "takes no step: batches are dropped where their loader runs"},
    {"trainer.checkpoint.", "takes no step: batches are dropped where their loader runs"},
    {keys::trainer.log_every, "takes no step: batches are dropped where their loader runs"},
};
constexpr std::string_view kDropping = "discard";

bool is_below(std::string_view key, std::string_view prefix) {
  return prefix.ends_with('.') ? key.starts_with(prefix) : key == prefix;
}

class CodeRules {
 public:
  CodeRules(SettingsMap& settings, const Given& given, const Selection& selection,
            const Catalog& catalog, std::vector<std::string>& decisions, Diagnostics& diagnostics)
      : s_(settings),
        given_(given),
        selection_(selection),
        catalog_(catalog),
        decisions_(decisions),
        diagnostics_(diagnostics),
        loader_(external_part(PartKind::loader, selection.loader, catalog)),
        trainer_(external_part(PartKind::trainer, selection.trainer, catalog)) {}

  void run() {
    if (external_part(PartKind::loader, selection_.of, catalog_)) check_code("loader.of");
    if (loader_) check_code("loader"), check_loader();
    if (trainer_) check_code("trainer"), drop_unheard(*trainer_, kOfTrainer);
    if (loader_ && selection_.trainer == kDropping)
      drop_unheard(*catalog_.find(PartKind::trainer, kDropping)->description, kOfDropping);
    if (loader_ || trainer_) drop_interference();
    if (loader_ && trainer_) share_interpreter();
  }

 private:
  const Entry* entry(std::string_view key) const { return find_entry(given_, key); }

  void check_code(const std::string& section) {
    const bool script = s_.given(section + ".script"), module = s_.given(section + ".module");
    const Entry* use = entry(section + ".use");
    if (script && module)
      diagnostics_.add(entry(section + ".module")->at,
                       fmt::format("{0}.script and {0}.module are mutually exclusive", section));
    else if (!script && !module && use && !entry(section + ".script") &&
             !entry(section + ".module"))
      diagnostics_.add(use->value->at,
                       fmt::format("{0} {1} needs {0}.script, a Python file, or {0}.module",
                                   section, use->value->text));
  }

  void check_loader() {
    const Entry* access = entry(keys::loader.access);
    const std::string order = s_.get_if(keys::loader.access).value_or("random");
    if (access && order != "random" && order != "sequential")
      diagnostics_.add(
          access->value->at,
          fmt::format(
              "loader {} has an order of its own: access is random or sequential; any other is "
              "the sampler of your own DataLoader",
              selection_.loader));
    drop_unheard(*loader_, kOfLoader);
    if (s_.text_or(kStartMethod) == "none") s_.erase(kStartMethod);
    const bool cold = s_.get_if(keys::dataset.cache) == "cold";
    if (!cold) return;
    s_.set(keys::dataset.cache, "as_is");
    decisions_.push_back(
        fmt::format("dataset.cache is as_is, not cold: which files loader {} has read, "
                    "and when, cannot be known",
                    selection_.loader));
  }

  void drop_unheard(const PartDescription& part, std::span<const Unheard> all) {
    for (const Unheard& u : all) {
      std::string named;
      for (const auto& [key, e] : given_)
        if (is_below(key, u.prefix) && s_.has(key) && !is_standard(key))
          named += fmt::format("{}{}", named.empty() ? "" : ", ", key);
      if (named.empty()) continue;
      decisions_.push_back(
          fmt::format("{} dropped: {} {} {}", named, name_of(part.kind), part.name, u.why));
      clear(u.prefix);
    }
  }
  bool is_standard(const std::string& key) const {
    const std::string text = s_.text(key);
    return (key == keys::loader.dispatch && text == "shared") ||
           (key == keys::loader.work_unit && text == "batch");
  }
  void clear(std::string_view prefix) {
    if (prefix == keys::loader.dispatch)
      s_.set(prefix, {ParameterType::choice, std::string("shared")});
    else if (prefix == keys::loader.work_unit)
      s_.set(prefix, {ParameterType::choice, std::string("batch")});
    else if (prefix.ends_with('.'))
      s_.erase_prefix(prefix);
    else
      s_.erase(prefix);
  }

  void drop_interference() {
    if (!s_.has(keys::measure.interference) || !s_.get(keys::measure.interference)) return;
    s_.set(keys::measure.interference, false);
    const bool of_loader = loader_ != nullptr;
    decisions_.push_back(fmt::format(
        "measure.interference dropped: {} {} runs in a process of its own, "
        "and no second loader is run next to that",
        of_loader ? "loader" : "trainer", of_loader ? selection_.loader : selection_.trainer));
  }

  // Both in one process where both are the user's code; so each trial takes the one that is named.
  void share_interpreter() {
    const bool of_loader = s_.given("loader.python"), of_trainer = s_.given("trainer.python");
    if (of_loader && of_trainer && s_.text("loader.python") != s_.text("trainer.python"))
      return diagnostics_.add(
          entry("trainer.python")->value->at,
          fmt::format("loader.python is {}, but both run in one process: name one interpreter",
                      s_.text("loader.python")));
    if (of_loader && !of_trainer) s_.set("trainer.python", s_.at("loader.python"));
    if (of_trainer && !of_loader) s_.set("loader.python", s_.at("trainer.python"));
  }

  SettingsMap& s_;
  const Given& given_;
  const Selection& selection_;
  const Catalog& catalog_;
  std::vector<std::string>& decisions_;
  Diagnostics& diagnostics_;
  const PartDescription *loader_, *trainer_;
};

}  // namespace

void check_external(SettingsMap& settings, const Given& given, const Selection& selection,
                    const Catalog& catalog, std::vector<std::string>& decisions,
                    Diagnostics& diagnostics) {
  CodeRules(settings, given, selection, catalog, decisions, diagnostics).run();
}

std::string why_not_swept(const std::string& key, const Selection& selection,
                          const Catalog& catalog) {
  const auto among = [&](std::span<const Unheard> all, PartKind kind,
                         const std::string& part) -> std::string {
    for (const Unheard& u : all)
      if (is_below(key, u.prefix)) return fmt::format("{} {} {}", name_of(kind), part, u.why);
    if (kind == PartKind::loader && key == keys::dataset.cache)
      return fmt::format("which files loader {} has read, and when, cannot be known", part);
    return {};
  };
  const bool own_loader = is_external(PartKind::loader, selection.loader, catalog);
  std::string why;
  if (own_loader) why = among(kOfLoader, PartKind::loader, selection.loader);
  if (why.empty() && own_loader && selection.trainer == kDropping)
    why = among(kOfDropping, PartKind::trainer, selection.trainer);
  if (why.empty() && is_external(PartKind::trainer, selection.trainer, catalog))
    why = among(kOfTrainer, PartKind::trainer, selection.trainer);
  return why;
}

}  // namespace benchbench::config
