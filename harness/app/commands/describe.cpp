// `benchbench describe [WORD...]`: what a word of a report or a help means, or what parts a library
// of the user's own has; alone, all words.
#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "harness/app/command.h"
#include "harness/app/exit_code.h"
#include "harness/app/output_file.h"
#include "harness/app/report_schema.h"
#include "harness/core/called_as.h"
#include "harness/core/error.h"
#include "harness/part/own_library.h"
#include "harness/report/describe.h"

namespace benchbench {
namespace {

constexpr std::string_view kExit = "exit code", kSchemaFile = "report.schema.json";
// describe.h takes views: made once, kept to the end.
std::span<const Term> exit_codes() {
  static const std::vector<ExitMeaning> meanings = [] {
    std::vector<ExitMeaning> all(exit_meanings().begin(), exit_meanings().end());
    all.insert(all.end(), wrap_exit_meanings().begin(), wrap_exit_meanings().end());
    return all;
  }();
  static const std::vector<std::string> numbers = [] {
    std::vector<std::string> made;
    for (const ExitMeaning& m : meanings) made.push_back(std::to_string(m.code));
    return made;
  }();
  static const std::vector<Term> terms = [] {
    std::vector<Term> made;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      made.push_back({numbers[i], kExit, meanings[i].text});
    return made;
  }();
  return terms;
}

// A word may have a slash, as L/T has.
bool names_library(const std::string& word) {
  std::error_code failed;
  return word.ends_with(".so") || (is_library(word) && std::filesystem::exists(word, failed));
}

int run_describe(const Arguments& arguments) {
  const auto& words = arguments.positional();
  const auto print = [](const std::string& text) { print_fitted(as_called(text)); };
  if (words.empty()) {
    print("`benchbench describe WORD` explains any of these.\n\n" +
          describe_topics(built_in_catalog(), page_width(), exit_codes()));
    return 0;
  }
  if (words.size() == 1 && words.front() == kSchemaFile) {
    write_text(write_report_schema());
    return 0;
  }
  if (words.size() == 1 && names_library(words.front())) {
    try_library(words.front());
    print(describe_parts(library_parts(words.front()), page_width()));
    return 0;
  }
  // `describe held back by` is one name; `describe au wait` two.
  try {
    print(describe(fmt::format("{}", fmt::join(words, " ")), built_in_catalog(), page_width(),
                   exit_codes()));
    return 0;
  } catch (const UsageError&) {
    if (words.size() == 1) throw;
  }
  // describe() throws UsageError.
  for (std::size_t i = 0; i < words.size(); ++i)
    print((i > 0 ? "\n" : "") + describe(words[i], built_in_catalog(), page_width(), exit_codes()));
  return 0;
}

}  // namespace

constinit const Command describe_command{
    "describe",
    "check",
    "explain a word of a report or a scenario, or a library of parts; without WORD: list all words",
    "[WORD...]",
    0,
    64,
    {},
    "  benchbench describe loader.prefetch_factor\n"
    "  benchbench describe NOISY R06 'held back by'\n"
    "  benchbench describe report.schema.json     the JSON Schema of --json\n",
    run_describe};

}  // namespace benchbench
