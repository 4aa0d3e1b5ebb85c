// The look at the user's code: which question is asked when, and when data are made for it.
#include "harness/app/preparation/code_look.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/record/setting_keys.h"
#include "tests/scratch_folder.h"
#include "tests/unit/config/loading.h"

namespace benchbench {
namespace code_look_test {

std::vector<std::string> g_seen;
std::string g_missing;

ExternalCheck see(const ExternalCheckOrder& order) {
  g_seen.emplace_back(order.names_only ? "names" : "call");
  if (!g_missing.empty()) throw DeviceError(g_missing);
  return {};
}

// The catalogue, whose python loader only says what it was asked.
const Catalog& seeing_catalog() {
  static const Catalog catalog = [] {
    const Catalog& all = built_in_catalog();
    std::vector<PartRow> rows(all.rows().begin(), all.rows().end());
    for (PartRow& row : rows)
      if (row.description->kind == PartKind::loader && row.description->name == "python")
        row.maker.external.check = see;
    return Catalog{rows};
  }();
  return catalog;
}

CodeQuestion question_of_loader() {
  const Scenario scenario = test::load_text(
      "loader: {use: python, script: train.py, call: make_data}\n"
      "trainer: {use: discard}\n"
      "dataset: {format: image_folder, synthesize: {samples: 40}}\n",
      test::request_for(""), built_in_catalog());
  return {scenario.base, true, false, false};
}

struct Looked {
  Looked() : cache(test::make_scratch_folder("look")) { g_seen.clear(), g_missing.clear(); }
  ~Looked() { std::filesystem::remove_all(cache); }
  MakeData making() {
    return [](const SettingsMap& settings) {
      CHECK(settings.integer("dataset.synthesize.samples") == 40);
      g_seen.emplace_back("made");
    };
  }
  std::string cache;
  CodeLooker looker{seeing_catalog(), cache};
};

TEST_CASE("code look: data are made between a look at the names and the call", "[unit][app]") {
  Looked looked;
  CHECK(looked.looker.look(question_of_loader(), looked.making()));
  CHECK(g_seen == std::vector<std::string>{"names", "made", "call"});
  CHECK_FALSE(looked.looker.waits_for_data());
}

TEST_CASE("code look: without a maker of data the code is only imported", "[unit][app]") {
  Looked looked;
  CHECK_FALSE(looked.looker.look(question_of_loader(), nullptr));
  CHECK(g_seen == std::vector<std::string>{"names"});
  CHECK(looked.looker.waits_for_data());
  CHECK_FALSE(looked.looker.look(question_of_loader(), nullptr));
  CHECK(g_seen.size() == 1);  // the answer is kept
}

TEST_CASE("code look: for code that cannot run no data are made", "[unit][app]") {
  Looked looked;
  g_missing = "needs torch";
  CHECK_FALSE(looked.looker.look(question_of_loader(), looked.making()));
  CHECK(std::ranges::count(g_seen, "made") == 0);
  CHECK(looked.looker.missing_packages().size() == 1);
}

}  // namespace code_look_test
}  // namespace benchbench
