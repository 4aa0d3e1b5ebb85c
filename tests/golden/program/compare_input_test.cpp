// `compare` on stores that are not as they should be, and in any locale and time zone.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/store/sealed_line.h"
#include "tests/golden/program/compare_runs.h"
#include "tests/places.h"
#include "tests/sweep.h"

namespace benchbench::test {
namespace compare_input_test {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using nlohmann::json;

// Replaces `from` in lines `first` to `last` of a sealed file, and seals them again.
void edit(const std::string& path, const std::string& from, const std::string& to,
          std::size_t first = 0, std::size_t last = 10000) {
  std::istringstream in(read_file(path));
  std::string out, line;
  std::size_t changed = 0;
  for (std::size_t n = 0; std::getline(in, line); ++n) {
    line = line.substr(0, line.rfind(",\"crc\"")) + "}";
    for (std::size_t at = line.find(from); n >= first && n <= last && at != std::string::npos;
         at = line.find(from, at + to.size()), ++changed)
      line.replace(at, from.size(), to);
    out += sealed(line);
  }
  REQUIRE(changed > 0);
  std::ofstream(path, std::ios::binary) << out;
}

std::string member_of(const std::string& path, const std::string& name) {
  const std::string text = read_file(path), key = "\"" + name + "\":\"";
  const std::size_t at = text.find(key);
  REQUIRE(at != std::string::npos);
  return text.substr(at + key.size(), text.find('"', at + key.size()) - at - key.size());
}

std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// For the program that is started: it inherits them.
class EnvironmentOf {
 public:
  EnvironmentOf(const char* locale, const char* zone) { set("LC_ALL", locale), set("TZ", zone); }
  ~EnvironmentOf() { ::unsetenv("LC_ALL"), ::unsetenv("TZ"); }

 private:
  static void set(const char* name, const char* value) { ::setenv(name, value, 1); }
};

TEST_CASE("compare: the same stores give the same bytes in any locale and time zone",
          "[golden][app]") {
  const Scratch s;
  store(s, "a");
  store(s, "b", {"--set", "loader.batch_time=2.2ms"});
  const std::vector<std::pair<const char*, const char*>> places{{"C", "UTC"},
                                                                {"C.UTF-8", "Asia/Kolkata"},
                                                                {"de_DE.UTF-8", "UTC"},
                                                                {"no_SUCH", "Asia/Kolkata"},
                                                                {"C", "Asia/Kolkata"},
                                                                {"C.UTF-8", "UTC"},
                                                                {"de_DE.UTF-8", "Asia/Kolkata"},
                                                                {"no_SUCH", "UTC"}};
  std::vector<std::string> texts, documents;
  for (std::size_t i = 0; i < sweep_size(4, places.size()); ++i) {
    const EnvironmentOf environment(places[i].first, places[i].second);
    const std::string file = "out" + std::to_string(i) + ".json";
    texts.push_back(
        compare(s, {"a", "b", "--across", "loader.batch_time", "--detail", "--json", file}).out);
    documents.push_back(read_file(s.path(file)));
  }
  CHECK_THAT(texts.front(), Contains("SLOWER at base"));
  CHECK(times_in(texts.front(), ", from ") == 2);
  CHECK(std::ranges::count(texts, texts.front()) == std::ssize(texts));
  CHECK(json::parse(documents.front())["outcome"] == "regression");
  CHECK(std::ranges::count(documents, documents.front()) == std::ssize(documents));
}

TEST_CASE(
    "compare: a store with records of two machines is not comparable, "
    "nor are two of one machine each",
    "[golden][app]") {
  const Scratch s;
  store(s, "a");
  store(s, "b", {"--rounds", "2"});
  // Virtual time is the same on every machine.
  for (const std::string folder : {"a", "b"})
    edit(s.path(folder + "/journal.jsonl"), "\"simulated\":true", "\"simulated\":false");
  const std::string journal = s.path("b/journal.jsonl"), machine = member_of(journal, "machine");
  edit(journal, machine, "another", 5, 9);
  const Ran mixed = compare(s, {"a", "b"});
  CHECK(mixed.code == 4);
  CHECK_THAT(
      mixed.out,
      StartsWith("tiny: B against A: not comparable: B has records of more than one machine\n"));
  edit(journal, machine, "another");
  const Ran other = compare(s, {"a", "b", "--json", "-"});
  CHECK(other.code == 4);
  const json report = json::parse(other.out);
  CHECK(report["not_comparable"] == "A and B ran on different hardware");
  CHECK(report["differences"][0]["kind"] == "hardware");
  CHECK(report["differences"][0]["b"] == "another");
}

TEST_CASE("compare: names with markup and control characters are printed escaped, and kept in JSON",
          "[golden][app]") {
  const Scratch s;
  store(s, "a");
  std::filesystem::copy(s.path("a"), s.path("<i>\x1b[1m"),
                        std::filesystem::copy_options::recursive);
  edit(s.path("<i>\x1b[1m/plan.json"), "\"name\":\"tiny\"",
       "\"name\":\"<script>\\u001b[31m\\u009b\"");
  const Ran ran = compare(s, {"a", "<i>\x1b[1m", "--json", "out.json"});
  CHECK(ran.code == 0);
  CHECK(ran.out.find('\x1b') == std::string::npos);
  CHECK(ran.out.find("\xc2\x9b") == std::string::npos);
  CHECK_THAT(ran.out, Contains("tiny and <script>\\x1b[31m\\x9b") && Contains("<i>\\x1b[1m"));
  CHECK(json::parse(read_file(s.path("out.json")))["scenario_b"] == "<script>\x1b[31m\xc2\x9b");
}

TEST_CASE("compare: a number that is none makes a record unreadable, not a result",
          "[golden][app]") {
  const Scratch s;
  store(s, "a");
  std::filesystem::copy(s.path("a"), s.path("b"), std::filesystem::copy_options::recursive);
  edit(s.path("b/journal.jsonl"), "\"started_at\":", "\"made\":NaN,\"started_at\":", 3, 3);
  const Ran ran = compare(s, {"a", "b"});
  CHECK(ran.code == 2);
  CHECK_THAT(ran.err, Contains("b cannot be read: "));
}

TEST_CASE("compare: runs of other scenarios have no point in common, and both are named",
          "[golden][app]") {
  const Scratch s;
  store(s, "a");
  std::string other = tiny_scenario();
  other.replace(other.find("tiny"), 4, "huge");
  other.replace(other.find("batch_size: 4"), 13, "batch_size: 8");
  store(s, "b", {"--rounds", "1"}, other);
  const Ran ran = compare(s, {"a", "b"});
  CHECK(ran.code == 4);
  CHECK_THAT(ran.out, StartsWith("tiny and huge: B against A: not comparable: no point of A has "
                                 "the settings of one of B"));
  CHECK_THAT(ran.out, Contains("setting scenario: tiny -> huge") &&
                          Contains("setting loader.batch_size: 4 -> 8"));
}

TEST_CASE("compare: a folder that is gone, is a file, or holds no run is 2 and named",
          "[golden][app]") {
  const Scratch s;
  store(s, "a");
  s.write("file", "x");
  std::filesystem::create_directory(s.path("nothing"));
  for (const std::string& folder :
       {std::string("gone"), std::string("file"), std::string("nothing")}) {
    const Ran ran = compare(s, {"a", folder});
    CHECK(ran.code == 2);
    CHECK_THAT(ran.err, StartsWith("error: ") && Contains(folder));
  }
}

TEST_CASE("compare: a run with itself is called that, also where its rounds are too few to judge",
          "[golden][app]") {
  const Scratch s;
  store(s, "a", {"--rounds", "3"});
  const Ran ran = compare(s, {"a", "a"});
  CHECK(ran.code == 4);
  CHECK_THAT(ran.out, StartsWith("tiny: B against A: A and B are the same run\n"));
  CHECK_THAT(ran.out, Contains("3 paired rounds cannot show a difference: 10 or more can"));
}

TEST_CASE("compare: the alarms of each side are told with it, in text and JSON", "[golden][app]") {
  const Scratch s;
  store(s, "a", {"--rounds", "1", "--set", "measure.alarms.exposed_wait=0.6"});
  store(s, "b", {"--rounds", "1"});
  const Ran ran = compare(s, {"a", "b", "--json", "out.json"});
  CHECK(ran.code == 4);  // one round shows nothing
  CHECK_THAT(ran.out, Contains("\nAlarms\n  B: exposed_wait: the trainer waited for batches 50 % "
                               "of the time (limit 10 %)\n"));
  CHECK(ran.out.find("  A: exposed_wait") == std::string::npos);
  const json report = json::parse(read_file(s.path("out.json")));
  const auto state_of = [&](const char* side) {
    for (const json& alarm : report[side]["alarms"])
      if (alarm["alarm"] == "exposed_wait") return alarm["state"].get<std::string>();
    return std::string("none");
  };
  CHECK(state_of("a") == "not raised");
  CHECK(state_of("b") == "raised");
}

// Bytes after the end of a program change its digest, not what it does.
std::string other_program(const Scratch& s) {
  const std::string path = s.path("other_program");
  std::filesystem::copy_file(program_path(), path);
  std::ofstream(path, std::ios::binary | std::ios::app) << "another build";
  return path;
}

TEST_CASE(
    "compare: --confirm runs B alone where another program made A, and nothing where it made B",
    "[golden][app]") {
  const Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const std::string program = other_program(s);
  const Ran faster = compare(
      s, {"tiny.yaml", "--interleave", "--clock", "simulated", "--set", "measure.modes=pipeline",
          "--out", "out", "--quiet", "--b-program", program, "--b-set", "loader.batch_time=1.8ms"});
  CHECK(faster.code == 0);
  CHECK_THAT(faster.out, Contains("another build of the same version"));
  const Ran alone = compare(s, {"out/b", "out/a", "--across", "loader.batch_time", "--confirm",
                                "--out", "again", "--json", "out.json"});
  CHECK(alone.code == 3);
  CHECK_THAT(alone.out, Contains("Run again: B alone, against the stored A (A was made by another "
                                 "program or on another machine)\n") &&
                            Contains("\n  base pipeline_rate: confirmed, SLOWER"));
  CHECK_FALSE(std::filesystem::exists(s.path("again/a")));
  const json confirmation = json::parse(read_file(s.path("out.json")))["confirmation"];
  CHECK(confirmation["interleaved"] == false);
  CHECK(confirmation["why_alone"] == "A was made by another program or on another machine");
  store(s, "slow", {"--set", "loader.batch_time=1.5ms", "--set", "measure.modes=pipeline"});
  const Ran none =
      compare(s, {"slow", "out/b", "--across", "loader.batch_time", "--confirm", "--out", "never"});
  CHECK(none.code == 3);
  CHECK_THAT(none.out, Contains("Second run\n  the second run failed, so the alerts stay: B was "
                                "made by another program"));
}

}  // namespace compare_input_test
}  // namespace benchbench::test
