// `benchbench describe [WORD...]`: the meaning of a word of a report or a help, the parts of a kind
// or of a library of the user's own; without a word, all parts and words.
#include <fmt/format.h>

#include <filesystem>
#include <list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/app/command.h"
#include "harness/app/commands/report_schema.h"
#include "harness/app/exit_code.h"
#include "harness/app/output_file.h"
#include "harness/app/preparation/prepared_plan.h"
#include "harness/core/called_as.h"
#include "harness/core/error.h"
#include "harness/part/own_library.h"
#include "harness/report/describe/describe.h"
#include "harness/report/describe/part_list.h"

namespace benchbench {
namespace {

constexpr std::string_view kSchemaFile = "report.schema.json";
// describe.h takes views: made once, kept to the end.
std::span<const Term> exit_codes() {
  static std::list<std::string> numbers;
  static const std::vector<Term> terms = [] {
    std::vector<Term> made;
    for (const auto meanings : {exit_meanings(), wrap_exit_meanings()})
      for (const ExitMeaning& m : meanings)
        made.push_back({numbers.emplace_back(std::to_string(m.code)), "exit code", m.text});
    return made;
  }();
  return terms;
}

// A word may have a slash, as L/T has.
bool names_library(const std::string& word) {
  std::error_code failed;
  return word.ends_with(".so") || (is_library(word) && std::filesystem::exists(word, failed));
}

std::string list_parts(std::optional<PartKind> only = {}) {
  std::set<std::string> modules;
  for (const PartRow& row : built_in_catalog().rows())
    if (!row.module.empty() && (!only || row.description->kind == *only))
      modules.insert(std::string(row.module));
  return part_list(built_in_catalog(), missing_of(modules), only, page_width());
}

void print(const std::string& text) { print_fitted(as_called(text)); }

// A kind of parts, the schema, a library, or a word that describe() explains. Throws UsageError
// where it is none of them.
void explain(const std::string& name) {
  if (const auto kind = find_listed_kind(name)) return print(list_parts(kind));
  if (name == kSchemaFile) return write_text(write_report_schema());
  if (!names_library(name))
    return print(describe(name, built_in_catalog(), page_width(), exit_codes()));
  try_library(name);
  print(describe_parts(library_parts(name), page_width()));
}

int run_describe(const Arguments& arguments) {
  const auto& words = arguments.positional();
  if (words.empty()) {
    print("`benchbench describe WORD` explains any of these.\n\n" + list_parts() + '\n' +
          describe_topics(page_width(), exit_codes()));
    return 0;
  }
  // `describe held back by` is one name; `describe au wait` two.
  try {
    explain(fmt::format("{}", fmt::join(words, " ")));
    return 0;
  } catch (const UsageError&) {
    if (words.size() == 1) throw;
  }
  for (const std::string& word : words) {
    if (&word != &words.front()) print("\n");
    explain(word);
  }
  return 0;
}

}  // namespace

extern const Command describe_command{
    "describe",
    "check",
    "list all parts and words; explain one of them, or the parts of a library",
    "[WORD...]",
    {},
    "  benchbench describe loaders            # also trainers, formats, ...\n"
    "  benchbench describe native loader.prefetch_factor NOISY R06 'held back by'\n"
    "  benchbench describe report.schema.json # the JSON Schema of --json\n",
    run_describe};

}  // namespace benchbench
