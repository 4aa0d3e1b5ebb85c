// Every command line that README.md shows is run, so that none goes stale.
#include <catch2/catch.hpp>
#include <regex>
#include <sstream>

#include "tests/golden/program/program.h"

namespace benchbench::test {
namespace {

using Words = std::vector<std::string>;

// `benchbench ...` and `scripts/benchbench ...` in code spans and at the start of a line of a code block.
std::vector<Words> readme_commands() {
  const std::string text = read_file(BENCHBENCH_SOURCE_DIR "/README.md");
  const std::regex command("(^|\n|`)(scripts/)?benchbench ([a-z][^`#\n]*)");
  std::vector<Words> commands;
  for (std::sregex_iterator at(text.begin(), text.end(), command), end; at != end; ++at) {
    std::istringstream words((*at)[3].str());
    Words& split = commands.emplace_back();
    for (std::string word; words >> word;) split.push_back(word);
  }
  return commands;
}

// What stands for a user's own things, and what would take minutes here: those runs are validated.
Words runnable(Words words, const std::string& run_folder) {
  const bool quick = words.size() > 1 && words[1] == "configs/quickstart.yaml";
  for (std::string& word : words) {
    if (word == "FILE") word = "configs/quickstart.yaml";
    if (word == "DIR") word = run_folder;
    if (word.starts_with("configs/")) word = std::string(BENCHBENCH_SOURCE_DIR "/") + word;
  }
  if (words[0] == "run" && !quick) words[0] = "validate";
  if (words[0] == "run") words.insert(words.end(), {"--clock", "simulated", "--quiet"});
  if (words[0] == "plan") words.push_back("--no-probe");
  if (words[0] == "selftest") words.insert(words.end(), {"--clock", "simulated"});  // minutes on the real one
  if (words[0] == "verify") words.push_back("-h");                                  // FILE stands for one with data
  if (words[0] == "validate") std::erase_if(words, [](const std::string& w) { return w == "--trace" || w == "t.json"; });
  // What makes or reads data sets of the user's: the command is there, and its options.
  if (words[0] == "datagen" || words[0] == "micro" || words[0] == "init") words = {words[0], "-h"};
  if (words[0] == "doctor") words.push_back("-h");  // measures the disk for seconds
  return words;
}

}  // namespace

TEST_CASE("README: every command line in it runs", "[golden][program]") {
  const Scratch folder;
  const std::string quickstart = BENCHBENCH_SOURCE_DIR "/configs/quickstart.yaml";
  REQUIRE(run_program(folder, {"run", quickstart, "--clock", "simulated", "--quiet", "--out", "stored"}).code == 0);
  folder.write("steps.csv", "step_ms\n12.5\n13\n");
  const std::vector<Words> commands = readme_commands();
  REQUIRE(commands.size() >= 8);
  for (const Words& shown : commands) {
    const Words words = runnable(shown, "stored");
    std::string line;
    for (const std::string& word : words) line += word + " ";
    const Ran ran = run_program(folder, words);
    CAPTURE(line, ran.err);
    CHECK(ran.code == 0);
  }
}

}  // namespace benchbench::test
