// Every command line that README.md shows is run, with its own flags and files, so that none goes
// stale.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "tests/golden/program/program.h"
#include "tests/places.h"

namespace benchbench::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

const std::string kQuickstart = source_path("configs/quickstart.yaml");

Words words_of(const std::string& line) {
  std::istringstream stream(line);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string text_of(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// The group `which` of every match in README.md, split into words.
std::vector<Words> shown_in_readme(const std::string& pattern, std::size_t which) {
  const std::string text = read_file(source_path("README.md"));
  const std::regex regex(pattern);
  std::vector<Words> all;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at)
    all.push_back(words_of((*at)[which].str()));
  return all;
}

// `benchbench ...` and `scripts/benchbench ...` in code spans, at the start of a line of a code
// block, and after a colon of its comment.
std::vector<Words> readme_commands() {
  return shown_in_readme("(^|\n|`|# figures: )(scripts/)?benchbench ([a-z][^`#\n]*)", 3);
}
// Options alone in a code span.
std::vector<Words> readme_options() { return shown_in_readme("`(--[a-z][^`\n]*)`", 1); }

// A user's own things: a folder of photos, a workload of DLIO, times of a trainer, a training
// script, a run that was stored.
void lay_out(const Scratch& folder) {
  // Scripts that the commands name.
  std::filesystem::create_directory_symlink(source_path("configs"), folder.path("configs"));
  folder.write("data.yaml",
               "name: data\n"
               "dataset: {format: image_folder, synthesize: {samples: 96, image: {mean_width: 48, "
               "mean_height: 32}, classes: 4}}\n"
               "loader: {use: native, num_workers: 1, batch_size: 16, transform: "
               "{random_resized_crop: 32}}\n"
               "trainer: {use: discard}\n"
               "measure: {class: selftest, rounds: 1}\n");
  folder.write("steps.csv", "step_ms\n12.5\n13\n");
  folder.write("workload.yaml",
               "model: {name: unet3d, type: cnn}\nframework: pytorch\nworkflow: {generate_data: "
               "False, train: True}\n"
               "dataset: {data_folder: data/unet3d/, format: npz, num_files_train: 168, "
               "num_samples_per_file: 1, record_length_bytes: 1466006}\n"
               "reader: {data_loader: pytorch, batch_size: 7, read_threads: 4}\n"
               "train: {epochs: 5, computation_time: 0.323}\n");
  folder.write("train.py",
               "import torch\n"
               "data = torch.utils.data.TensorDataset(torch.ones(8, 2))\n"
               "for batch in torch.utils.data.DataLoader(data):\n"
               "    pass\n");
  folder.write("tiny.yaml", tiny_scenario());
  REQUIRE(run_program(folder,
                      {"run", "tiny.yaml", "--clock", "simulated", "--quiet", "--out", "stored"})
              .code == 0);
  const Ran verified = run_program(folder, {"data", "data.yaml", "--verify"});
  REQUIRE(verified.code == 0);
  const std::size_t at = verified.out.find("  ") + 2;
  fs::create_directories(folder.path("my"));
  fs::copy(verified.out.substr(at, verified.out.find('\n') - at), folder.path("my/photos"),
           fs::copy_options::recursive);
}

// One that has torch.
std::string python() {
  const char* named = std::getenv("BENCHBENCH_PYTHON");
  return named ? named : "/usr/bin/python3";
}

// What stands for the user's own, and where the checkout's files are.
Words with_names(Words words) {
  const std::string file = words[0] == "data" ? "data.yaml" : "tiny.yaml";
  for (std::string& word : words) {
    if (word == "FILE" || word == "FILE...") word = file;
    if (word == "/mnt/data") word = ".";
    if (word == "DIR") word = "stored";
    if (word == "WORKLOAD.yaml") word = "workload.yaml";
    if (word == "python") word = python();
    if (word.starts_with("configs/")) word = source_path(word);
  }
  return words;
}

// `words` without the options in `names` and as many words behind each.
Words without(const Words& words, const std::vector<std::pair<std::string, std::size_t>>& names) {
  Words kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto name =
        std::ranges::find(names, words[i], &std::pair<std::string, std::size_t>::first);
    if (name == names.end())
      kept.push_back(words[i]);
    else
      i += name->second;
  }
  return kept;
}

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words in_virtual_time(const Words& words) {
  const bool says_so = std::ranges::find(words, "--clock") != words.end();
  return says_so ? words : with(words, {"--clock", "simulated"});
}

// What measures real data, for minutes, is planned as it stands; its options that are not settings
// of that file are run with mocks.
std::set<Words> as_plan_and_run(const Words& words) {
  Words plan = without(
      words, {{"--trace", 1}, {"--out", 1}, {"--quiet", 0}, {"--resume", 0}, {"--strict", 0}});
  plan[0] = "plan";
  plan.push_back("--no-probe");
  Words run = without(words, {{"--set", 1}, {"--sweep", 1}, {"--variant", 1}});
  if (run.size() == 2) return {plan};
  run[1] = "tiny.yaml";
  return {plan, in_virtual_time(run)};
}

std::set<Words> runnable(const Words& shown) {
  const Words words = with_names(shown);
  if (words[0] == "run" && words.at(1) != kQuickstart && words[1] != "tiny.yaml")
    return as_plan_and_run(words);
  if (words[0] == "run" || words[0] == "selftest") return {in_virtual_time(words)};
  if (words[0] == "plan") return {with(words, {"--no-probe"})};
  if (words[0] == "wrap") {  // up to the loop of the script, and not for a minute
    Words check = words;
    check.insert(check.begin() + 1, "--check");
    return {check};
  }
  if (words[0] == "micro") return {with(words, {"--benchmark_list_tests=true"})};
  return {words};
}

// Options alone: settings with a file that has them, forms of a report, else options of a run.
Words command_of(const Words& options) {
  const std::string& first = options[0];
  Words words;
  if (first == "--set" || first == "--sweep")
    words = {"validate", source_path("configs/resnet.yaml")};
  else if (first == "--variant")
    words = {"validate", source_path("configs/python.yaml")};
  else if (first == "--json" || first == "--csv" || first == "--markdown")
    words = {"report", "stored"};
  else if (first == "--resume")
    words = {"run", "tiny.yaml", "--clock", "simulated", "--out", "stored"};
  else
    words = {"run", "tiny.yaml"};
  for (const std::string& word : options) words.push_back(word == "DIR" ? "another" + first : word);
  return words[0] == "run" ? in_virtual_time(words) : words;
}

// A block of code that begins with `$ scripts/benchbench ...`, and what stands below:
// scripts/readme_samples makes these.
struct Sample {
  Words command;
  std::string text;
};
std::vector<Sample> readme_samples() {
  const std::string page = read_file(source_path("README.md"));
  const std::string start = "```\n$ scripts/benchbench ";
  std::vector<Sample> samples;
  for (std::size_t at = page.find(start); at != std::string::npos; at = page.find(start, at)) {
    at += start.size();
    const std::size_t end = page.find('\n', at), last = page.find("\n```", end);
    samples.push_back({words_of(page.substr(at, end - at)), page.substr(end + 1, last - end)});
  }
  return samples;
}

// Lines with every number as one #, and runs of spaces and of a bar's blocks as one: what a run
// prints besides its measurements.
std::vector<std::string> shape_of(const std::string& text) {
  const std::string numbers = std::regex_replace(text, std::regex("[0-9][0-9,.]*"), "#");
  const std::string bars = std::regex_replace(numbers, std::regex("(█|▏|▎|▍|▌|▋|▊|▉)+"), "|");
  std::istringstream lines(std::regex_replace(bars, std::regex(" +"), " "));
  std::vector<std::string> shape;
  for (std::string line; std::getline(lines, line);) shape.push_back(line);
  return shape;
}

void check_runs(const Scratch& folder, const Words& shown, const Words& words) {
  const Ran ran = run_program(folder, words);
  INFO("README: " << text_of(shown) << "\nrun as: " << text_of(words) << "\n" << ran.err);
#if !BENCHBENCH_HAS_MICRO
  if (words[0] == "micro") {
    CHECK(ran.code == 2);
    return;
  }
#endif
  // A plan may find that this machine lacks all that the scenario asks for.
  const bool lacks =
      ran.code == 8 && words[0] == "plan" && ran.out.find("nothing would run") != std::string::npos;
  CHECK((ran.code == 0 || lacks));
  CHECK_FALSE((ran.out + ran.err).empty());
}

}  // namespace

TEST_CASE("README: every command line in it runs, and every option that stands alone",
          "[golden][program][.all]") {
  const Scratch folder;
  lay_out(folder);
  const std::vector<Words> commands = readme_commands();
  REQUIRE(commands.size() >= 25);
  std::set<Words> ran;  // some are shown twice
  for (const Words& shown : commands)
    for (const Words& words : runnable(shown))
      if (ran.insert(words).second) check_runs(folder, shown, words);
  CHECK(fs::exists(folder.path("t.json")));           // --trace
  CHECK(fs::exists(folder.path("photos.tfrecord")));  // data --to
  const std::vector<Words> options = readme_options();
  REQUIRE(options.size() >= 15);
  for (const Words& shown : options) check_runs(folder, shown, command_of(shown));
}

// Everything but digits: titles, columns, notes and words are those that are printed now, in as
// many lines.
TEST_CASE(
    "README: its samples have the shape of what is printed now; if not: scripts/readme_samples",
    "[golden][program]") {
  const Scratch folder;
  fs::create_directory_symlink(source_path("configs"), folder.path("configs"));
  const std::vector<Sample> samples = readme_samples();
  REQUIRE_FALSE(samples.empty());
  for (const Sample& sample : samples) {
    const Ran ran = run_program(folder, sample.command);
    INFO("README: scripts/benchbench " << text_of(sample.command) << "\n" << ran.err);
    CHECK(ran.code == 0);
    CHECK(shape_of(sample.text) == shape_of(ran.out));
  }
}

TEST_CASE("README: a sample with another column, label or line has another shape",
          "[golden][program]") {
  const std::string text = "point  loader L\nbase  12,640 ±0.6%\n█▍ 3\n";
  CHECK(shape_of(text) == std::vector<std::string>{"point loader L", "base # ±#%", "| #"});
  CHECK(shape_of("point  loader L\nbase      9.5 ±12%\n███ 15\n") == shape_of(text));
  CHECK(shape_of("point  loader F\nbase  12,640 ±0.6%\n█▍ 3\n") != shape_of(text));
  CHECK(shape_of("point  loader L\nbase  12,640 exact\n█▍ 3\n") != shape_of(text));
  CHECK(shape_of(text + "\n") != shape_of(text));
}

}  // namespace benchbench::test
