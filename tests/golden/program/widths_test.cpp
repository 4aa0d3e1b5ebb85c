// How wide and how long what people read is, and that a report says the same again.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <optional>
#include <regex>
#include <sstream>

#include "harness/report/text/display_text.h"
#include "tests/golden/program/program.h"
#include "tests/places.h"
#include "tests/sweep.h"

namespace benchbench::test {
namespace widths {

using Words = std::vector<std::string>;

// COLUMNS while a test runs: standard output is a file there.
class Columns {
 public:
  explicit Columns(unsigned columns) { ::setenv("COLUMNS", std::to_string(columns).c_str(), 1); }
  ~Columns() { ::unsetenv("COLUMNS"); }
};

std::size_t widest(const std::string& text) {
  std::size_t width = 0;
  for (const std::string& line : split_lines(text)) width = std::max(width, display_width(line));
  return width;
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string with_long_names() {
  return "name: " + std::string(60, 'n') + "\nquestion: Does a " + std::string(90, 'q') +
         " run fit?\n"
         "loader: {use: synthetic, num_workers: 1, batch_size: 4, batch_time: 2ms}\n"
         "trainer: {use: timed, step_time: 1ms}\n"
         "measure: {class: selftest, window: 200ms, window_batches: 100, rounds: 2}\n"
         "sweep: {mode: grid, loader.num_workers: [1, 2], loader.prefetch_factor: [1, 2], "
         "loader.in_order: [true, false], trainer.step_time: [1ms, 1500us]}\n";
}

TEST_CASE(
    "widths: help, plan, validate, "
    "describe and doctor have at most 80 columns, or the terminal's",
    "[golden][app]") {
  const Scratch s;
  s.write("long.yaml", with_long_names());
  const std::vector<Words> texts{
      {"help"},
      {"describe", "headroom", "native", "replay", "R06", "loader.num_workers"},
      {"plan", "long.yaml", "--no-probe"},
      {"validate", "long.yaml", "--resolved"},
      {"run", "-h"}};
  std::vector<Words> all = texts;
  all.push_back({"describe"});
  all.push_back({"describe", "loaders"});
  all.push_back({"--version"});
  for (const char* c : {"plan", "validate", "data", "report", "compare", "describe", "doctor",
                        "micro", "selftest", "init"})
    all.push_back({c, "-h"});
  const auto check = [&](unsigned columns, const Words& words) {
    std::optional<Columns> set;
    if (columns != 0) set.emplace(columns);
    const Ran ran = run_program(s, words);
    INFO(columns << " columns: " << words[0] << ' ' << words.back() << '\n' << ran.out);
    CHECK(ran.code == 0);
    CHECK(widest(ran.out) <= (columns == 0 ? 80 : std::min(columns, 80u)));
  };
  check(0, {"doctor"});  // it measures: once is enough
  // A terminal that is narrower than 80, none, and one that is wider.
  for (const Words& words : all) check(60, words);
  for (const unsigned columns : {0u, 132u})
    for (std::size_t i = 0; i < sweep_size(texts.size(), all.size()); ++i) check(columns, all[i]);
  const std::vector<unsigned> more{72, 80};
  for (std::size_t i = 0; i < sweep_size(0, more.size()); ++i)
    for (const Words& words : all) check(more[i], words);
}

TEST_CASE("widths: help of a command by either name", "[golden][app]") {
  const Scratch s;
  CHECK(run_program(s, {"help", "run"}).out == run_program(s, {"run", "-h"}).out);
  CHECK(run_program(s, {"help", "rnu"}).code == 2);
}

TEST_CASE("widths: run and report stay within the terminal, 100 columns in a pipe",
          "[golden][app]") {
  const Scratch s;
  s.write("long.yaml", with_long_names());
  const Ran ran = run_program(s, {"run", "long.yaml", "--clock", "simulated", "--out", "stored"});
  REQUIRE(ran.code == 0);
  CHECK(widest(ran.out) <= 100);
  CHECK(widest(ran.err) <= 100);
  const std::vector<unsigned> widths{20, 60, 132, 80, 100};
  for (std::size_t i = 0; i < sweep_size(3, widths.size()); ++i) {
    const unsigned columns = widths[i];
    const Columns set(columns);
    for (const Words& words : {Words{"report", "stored"}, Words{"report", "stored", "--detail"}}) {
      const Ran report = run_program(s, words);
      INFO(columns << " columns\n" << report.out);
      CHECK(report.code == 0);
      CHECK(widest(report.out) <= std::max(columns, 60u));
    }
  }
}

TEST_CASE("report: says what run said, also with --detail", "[golden][app]") {
  const Scratch s;
  const Ran brief = copy_tiny_run(s);
  REQUIRE(brief.code == 0);
  s.write("sweep.yaml", tiny_scenario("sweep: {loader.num_workers: [0, 1, 2]}\n"));
  const Ran detail = run_program(
      s, {"run", "sweep.yaml", "--clock", "simulated", "--quiet", "--out", "other", "--detail"});
  REQUIRE(detail.code == 0);
  CHECK(run_program(s, {"report", "r"}).out == brief.out);
  CHECK(run_program(s, {"report", "other", "--detail"}).out == detail.out);
  CHECK(lines_in(run_program(s, {"report", "other"}).out) < lines_in(detail.out));
  CHECK(detail.out.find("One step of") != std::string::npos);
}

TEST_CASE("report: quickstart takes at most 25 lines", "[golden][app]") {
  const Scratch s;
  const Ran ran = run_program(s, {"run", source_path("configs/quickstart.yaml"), "--clock",
                                  "simulated", "--quiet", "--out", "stored"});
  REQUIRE(ran.code == 0);
  INFO(ran.out);
  CHECK(lines_in(ran.out) <= 25);
}

// "L 12,800" of every line that names one: only the rates of the point that the line is of.
TEST_CASE("progress: the rates of a line are those of its point", "[golden][app]") {
  const Scratch s;
  s.write("sweep.yaml", tiny_scenario("sweep: {loader.batch_time: [2ms, 4ms, 8ms]}\n"));
  const Ran ran = run_program(s, {"run", "sweep.yaml", "--clock", "simulated", "--out", "stored"});
  REQUIRE(ran.code == 0);
  const std::regex line(
      R"(\] (.*) (loader|trainer|pipeline), VALID  ([0-9.,]+)/s  \|  (.*?)(  \|  .* left)?$)");
  const std::regex rate(R"(([LTF]) ([0-9.,]+))");
  std::map<std::string, std::string> said;  // point and letter -> rate
  std::size_t lines = 0;
  for (const std::string& text : split_lines(ran.err)) {
    std::smatch m;
    if (!std::regex_search(text, m, line)) continue;
    ++lines;
    const std::string point = m[1], rates = m[4];
    for (std::sregex_iterator at(rates.begin(), rates.end(), rate), end; at != end; ++at) {
      const auto [known, fresh] = said.try_emplace(point + ' ' + (*at)[1].str(), (*at)[2].str());
      INFO(text);
      CHECK(known->second == (*at)[2].str());
    }
  }
  CHECK(lines >= 14);
  // 4 samples in 2, 4 and 8 ms: each point has an L of its own.
  std::vector<std::string> loaders;
  for (const auto& [key, value] : said)
    if (key.ends_with(" L")) loaders.push_back(value);
  std::ranges::sort(loaders);
  CHECK(loaders == Words{"1,000", "2,000", "500"});
}

}  // namespace widths
}  // namespace benchbench::test
