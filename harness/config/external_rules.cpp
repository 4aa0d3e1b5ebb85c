#include <span>

#include "harness/config/rules.h"
#include "harness/record/named_parts.h"
#include "harness/record/setting_keys.h"

namespace benchbench::config {
namespace {

// With none, Python's own default holds.
constexpr std::string_view kStartMethod = "loader.multiprocessing_context";

struct Unheard {
  std::string_view prefix;  // of keys
  std::string_view why;     // "loader python ..."
  // The value that the key gets, which is worth no word where it has it already; "": it is erased.
  std::string_view standard = {};
};
constexpr Unheard kOfLoader[] = {
    {keys::loader.dispatch, "hands out batches as PyTorch's DataLoader does", "shared"},
    {keys::loader.work_unit, "makes whole batches in each worker, as PyTorch's DataLoader does",
     "batch"},
    {keys::loader.max_jobs,
     "runs ahead by num_workers x prefetch_factor, as PyTorch's DataLoader does"},
    {"dataset.storage.",
     "reads its files itself, and storage is emulated below benchbench's own loaders"},
    {"dataset.columns.", "reads its files itself"},
    {keys::dataset.keep, "chooses its samples itself, as its Dataset and its sampler say"},
    {keys::dataset.keep_by, "chooses its samples itself, as its Dataset and its sampler say"},
};
constexpr std::string_view kInOwnFunction = "does all of a step in its own function",
                           kNoStep = "takes no step: batches are dropped where their loader runs";
constexpr Unheard kOfTrainer[] = {{"trainer.postprocess.", kInOwnFunction},
                                  {"trainer.checkpoint.", kInOwnFunction},
                                  {keys::trainer.log_every, kInOwnFunction}};
// The keys of a trainer that drops batches in the process that their loader has for itself.
constexpr Unheard kOfDropping[] = {{"trainer.postprocess.", kNoStep},
                                   {"trainer.checkpoint.", kNoStep},
                                   {keys::trainer.log_every, kNoStep}};
constexpr std::string_view kDropping = "discard";

bool is_below(std::string_view key, std::string_view prefix) {
  return prefix.ends_with('.') ? key.starts_with(prefix) : key == prefix;
}

class CodeRules : RuleContext {
 public:
  explicit CodeRules(const RuleContext& context)
      : RuleContext(context),
        loader_(external_part(PartKind::loader, selection.loader, catalog)),
        trainer_(external_part(PartKind::trainer, selection.trainer, catalog)) {}

  void run() {
    if (external_part(PartKind::loader, selection.of, catalog)) check_code("loader.of");
    if (loader_) check_code("loader"), check_loader();
    if (trainer_) check_code("trainer"), drop_unheard(*trainer_, kOfTrainer);
    if (loader_ && selection.trainer == kDropping)
      drop_unheard(*catalog.find(PartKind::trainer, kDropping)->description, kOfDropping);
    if (loader_ || trainer_) drop_interference();
    if (loader_ && trainer_) share_interpreter();
  }

 private:
  void check_code(const std::string& section) {
    const bool script = settings.given(section + ".script"),
               module = settings.given(section + ".module");
    const Entry* use = entry(section + ".use");
    if (script && module)
      diagnostics.add(entry(section + ".module")->at,
                      "{0}.script and {0}.module are mutually exclusive", section);
    else if (!script && !module && use && !entry(section + ".script") &&
             !entry(section + ".module"))
      diagnostics.add(use->value->at, "{0} {1} needs {0}.script, a Python file, or {0}.module",
                      section, use->value->text);
  }

  void check_loader() {
    const Entry* access = entry(keys::loader.access);
    const std::string order = settings.get_if(keys::loader.access).value_or("random");
    if (access && order != "random" && order != "sequential")
      diagnostics.add(
          access->value->at,
          "loader {} has an order of its own: access is random or sequential; any other is "
          "the sampler of your own DataLoader",
          selection.loader);
    drop_unheard(*loader_, kOfLoader);
    if (settings.text_or(kStartMethod) == "none") settings.erase(kStartMethod);
    drop_cold();
  }

  void drop_cold() {
    if (settings.get_if(keys::dataset.cache) != "cold") return;
    settings.set(keys::dataset.cache, "as_is");
    note(decisions,
         "dataset.cache is as_is, not cold: which files loader {} has read, "
         "and when, cannot be known",
         selection.loader);
  }

  void drop_unheard(const PartDescription& part, std::span<const Unheard> all) {
    for (const Unheard& u : all) {
      std::string named;
      for (const auto& [key, e] : given)
        if (is_below(key, u.prefix) && settings.has(key) && settings.text(key) != u.standard)
          named += fmt::format("{}{}", named.empty() ? "" : ", ", key);
      if (named.empty()) continue;
      note(decisions, "{} dropped: {} {} {}", named, name_of(part.kind), part.name, u.why);
      clear(u);
    }
  }
  void clear(const Unheard& u) {
    if (!u.standard.empty())
      settings.set(u.prefix, {ParameterType::choice, std::string(u.standard)});
    else if (u.prefix.ends_with('.'))
      settings.erase_prefix(u.prefix);
    else
      settings.erase(u.prefix);
  }

  void drop_interference() {
    if (settings.get_if(keys::measure.interference) != true) return;
    settings.set(keys::measure.interference, false);
    const bool of_loader = loader_ != nullptr;
    note(decisions,
         "measure.interference dropped: {} {} runs in a process of its own, "
         "and no second loader is run next to that",
         of_loader ? "loader" : "trainer", of_loader ? selection.loader : selection.trainer);
  }

  // Both in one process where both are the user's code; so each trial takes the one that is named.
  void share_interpreter() {
    const bool of_loader = settings.given("loader.python"),
               of_trainer = settings.given("trainer.python");
    if (of_loader && of_trainer &&
        settings.text("loader.python") != settings.text("trainer.python"))
      return diagnostics.add(
          entry("trainer.python")->value->at,
          "loader.python is {}, but both run in one process: name one interpreter",
          settings.text("loader.python"));
    if (of_loader && !of_trainer) settings.set("trainer.python", settings.at("loader.python"));
    if (of_trainer && !of_loader) settings.set("loader.python", settings.at("trainer.python"));
  }

  const PartDescription *loader_, *trainer_;
};

}  // namespace

void check_external(const RuleContext& context) { CodeRules(context).run(); }

std::string why_not_swept(const std::string& key, const Selection& selection,
                          const Catalog& catalog) {
  const bool own_loader = is_external(PartKind::loader, selection.loader, catalog);
  const struct {
    bool holds;
    std::span<const Unheard> all;
    std::string part;
  } rules[] = {{own_loader, kOfLoader, "loader " + selection.loader},
               {own_loader && selection.trainer == kDropping, kOfDropping, "trainer discard"},
               {is_external(PartKind::trainer, selection.trainer, catalog), kOfTrainer,
                "trainer " + selection.trainer}};
  for (const auto& rule : rules)
    for (const Unheard& u : rule.all)
      if (rule.holds && is_below(key, u.prefix)) return fmt::format("{} {}", rule.part, u.why);
  if (!own_loader || key != keys::dataset.cache) return {};
  return fmt::format("which files loader {} has read, and when, cannot be known", selection.loader);
}

}  // namespace benchbench::config
