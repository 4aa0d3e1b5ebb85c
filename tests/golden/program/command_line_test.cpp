#include <catch2/catch.hpp>

#include <cstdlib>

#include "tests/golden/program/program.h"
#include "tests/places.h"

namespace benchbench::test {
namespace command_line {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

// Gives the variable back as it was.
class CalledAs {
 public:
  explicit CalledAs(const char* name) { ::setenv("BENCHBENCH_CALLED_AS", name, 1); }
  ~CalledAs() { ::unsetenv("BENCHBENCH_CALLED_AS"); }
};

TEST_CASE("command line: help goes to standard output, exit 0; no command shows it as an error",
          "[golden][app]") {
  Scratch s;
  for (const char* word : {"--help", "-h", "help"}) {
    const Ran r = run_program(s, {word});
    CHECK(r.code == 0);
    CHECK_THAT(r.out, Contains("Usage: benchbench COMMAND"));
    CHECK(r.err.empty());
  }
  const Ran none = run_program(s, {});
  CHECK(none.code == 2);
  CHECK(none.out.empty());
}

TEST_CASE("command line: each command's help fits a screen and has three examples",
          "[golden][app]") {
  Scratch s;
  for (const char* c :
       {"run", "wrap", "plan", "validate", "tune", "require", "selftest", "data", "report",
        "compare", "history", "describe", "doctor", "init", "contract", "micro"}) {
    INFO(c);
    const Ran r = run_program(s, {c, "-h"});
    CHECK(r.code == 0);
    CHECK(std::count(r.out.begin(), r.out.end(), '\n') <= 45);
    const std::string examples = r.out.substr(r.out.find("\nExamples\n") + 10);
    std::size_t commands = 0;  // a long one goes on, further in, in the next line
    for (std::size_t at = examples.find("  benchbench"); at != std::string::npos;
         at = examples.find("\n  benchbench", at + 1))
      ++commands;
    CHECK(commands == 3);
  }
}

TEST_CASE("command line: a misspelt command or option names the nearest, exit 2", "[golden][app]") {
  Scratch s;
  const Ran command = run_program(s, {"rnu", "x.yaml"});
  CHECK(command.code == 2);
  CHECK_THAT(command.err, Contains("unknown command 'rnu'; did you mean 'run'?"));
  const Ran option = run_program(s, {"run", "x.yaml", "--stric"});
  CHECK(option.code == 2);
  CHECK_THAT(option.err, Contains("unexpected '--stric'; did you mean '--strict'?"));
  const Ran with_value = run_program(s, {"run", "x.yaml", "--swep", "loader.num_workers=0,1"});
  CHECK(with_value.code == 2);
  CHECK_THAT(with_value.err, Contains("unexpected '--swep'; did you mean '--sweep'?"));
  const Ran missing = run_program(s, {"run"});
  CHECK(missing.code == 2);
  CHECK_THAT(missing.err, Contains("FILE is missing"));
}

TEST_CASE("command line: words that are missing, too many, or of no use are named, exit 2",
          "[golden][app]") {
  Scratch s;
  const auto refused = [&](const std::vector<std::string>& words, const std::string& error) {
    const Ran ran = run_program(s, words);
    INFO(ran.err);
    CHECK(ran.code == 2);
    CHECK_THAT(ran.err, StartsWith("error: ") && Contains(error));
  };
  refused({"run", "x.yaml", "--out"}, "--out needs a value: --out DIR\nhint: `");
  refused({"run", "x.yaml", "--quiet=no"}, "--quiet takes no value\n");
  refused({"run", "x.yaml", "y.yaml"}, "'y.yaml' is one too many, it takes FILE\n");
  refused({"doctor", "x"}, "'x' is one too many\n");
  refused({"compare", "a", "b", "c"}, "'c' is one too many, it takes A [B]\n");
  refused({"history"}, "DIR... is missing\n");
  refused({"run", "-x", "x.yaml"}, "unexpected '-x'");
  refused({"run", "--", "--out", "x"}, "'x' is one too many");
}

TEST_CASE(
    "command line: what is wrong with wrap's own words "
    "differs from the codes of the command that it runs",
    "[golden][app]") {
  Scratch s;
  const Ran option = run_program(s, {"wrap", "--round", "2", "--", "sh", "-c", "exit 2"});
  CHECK(option.code == 66);
  CHECK_THAT(option.err, Contains("unexpected '--round'; did you mean '--rounds'?"));
  const Ran value = run_program(s, {"wrap", "--rounds", "many", "--", "true"});
  CHECK(value.code == 66);
  CHECK_THAT(value.err, Contains("--rounds many: expected a number"));
  CHECK(run_program(s, {"wrap", "--rounds"}).code == 66);
  CHECK(run_program(s, {"wrap", "-x", "--", "true"}).code == 66);
  for (const auto& words :
       {std::vector<std::string>{"wrap"}, {"wrap", "--"}, {"wrap", "--rounds", "2"}}) {
    const Ran none = run_program(s, words);
    CHECK(none.code == 66);
    CHECK_THAT(none.err, Contains("no command"));
  }
  const Ran unmarked =
      run_program(s, {"wrap", "--rounds", "2", "python", "train.py", "--epochs", "3"});
  CHECK(unmarked.code == 66);
  CHECK_THAT(unmarked.err, Contains("'python' is not after --"));
  CHECK(run_program(s, {"wrap", "--", "sh", "-c", "exit 2"}).code == 2);
}

TEST_CASE("command line: what is wrong with --rounds and --budget is said of what was written",
          "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Ran rounds = run_program(s, {"plan", "tiny.yaml", "--rounds", "0"});
  CHECK(rounds.code == 2);
  CHECK_THAT(rounds.err, StartsWith("--rounds:1:10: error: measure.rounds: 0 is out of range") &&
                             Contains("\n    --rounds 0\n             ^"));
  const Ran budget = run_program(s, {"plan", "tiny.yaml", "--budget", "3m"});
  CHECK(budget.code == 2);
  CHECK_THAT(budget.err, StartsWith("--budget:1:10: error: measure.budget: ") &&
                             Contains("\n    --budget 3m\n"));
}

TEST_CASE("command line: a job that is too long is refused with the limit", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  for (const char* command : {"run", "tune"})
    for (const char* hours : {"1e308", "1e400"}) {
      const Ran r = run_program(s, {command, "tiny.yaml", "--job-hours", hours});
      CHECK(r.code == 2);
      CHECK_THAT(r.err, Contains("--job-hours " + std::string(hours) +
                                 ": expected a number of at most 10^15"));
    }
}

TEST_CASE("command line: --version says what was built and with what", "[golden][app]") {
  Scratch s;
  const Ran version = run_program(s, {"--version"});
  CHECK(version.code == 0);
  CHECK_THAT(version.out, StartsWith("benchbench ") && Contains("\ncompiler  ") &&
                              Contains("\nseam      ") && Contains("\ntorch     "));
  CHECK(std::ranges::count(version.out, '\n') == 4);
  CHECK(run_program(s, {"-V"}).out == version.out);
}

TEST_CASE("command line: the help has every command that is shown, and fits a screen",
          "[golden][app]") {
  Scratch s;
  const std::string help = run_program(s, {"help"}).out;
  CHECK(std::ranges::count(help, '\n') <= 45);
  for (const char* c :
       {"run", "wrap", "plan", "validate", "selftest", "micro", "tune", "require", "compare",
        "report", "history", "doctor", "data", "init", "contract", "describe"})
    CHECK_THAT(help, Contains("\n  " + std::string(c) + ' '));
  CHECK_THAT(help, !Contains("\n  child") && !Contains("\n  probe-module"));
}

TEST_CASE("command line: a word that is another command's option gets the way to say it",
          "[golden][app]") {
  Scratch s;
  for (const auto& [word, way] :
       std::vector<std::pair<std::string, std::string>>{{"list", "describe"},
                                                        {"prune", "history DIR --prune 90d"},
                                                        {"export", "report DIR --h5"},
                                                        {"version", "--version"},
                                                        {"datagen", "data FILE"},
                                                        {"verify", "data FILE --verify"},
                                                        {"convert", "data PATH --to PATH"}}) {
    const CalledAs script("scripts/benchbench");
    const Ran ran = run_program(s, {word, "x"});
    CHECK(ran.code == 2);
    CHECK(ran.err ==
          "error: unknown command '" + word + "'\nhint: scripts/benchbench " + way + "\n");
  }
}

TEST_CASE("command line: a missing scenario file is one clear error, exit 2", "[golden][app]") {
  Scratch s;
  const Ran r = run_program(s, {"run", "nowhere.yaml"});
  CHECK(r.code == 2);
  CHECK_THAT(r.err, Contains("nowhere.yaml"));
}

TEST_CASE("command line: hints and helps name the program as it was called", "[golden][app]") {
  Scratch s;
  {
    const CalledAs script("scripts/benchbench");
    CHECK_THAT(run_program(s, {"run", "x.yaml", "--stric"}).err,
               Contains("hint: `scripts/benchbench run -h` lists what it takes"));
    const Ran help = run_program(s, {"plan", "-h"});
    CHECK_THAT(help.out, Contains("Usage: scripts/benchbench plan FILE") &&
                             Contains("\n  scripts/benchbench plan configs/resnet.yaml\n"));
    CHECK_THAT(help.out, !Contains(" benchbench plan"));
    CHECK_THAT(run_program(s, {"describe", "loader.use"}).out,
               Contains("(see `scripts/benchbench describe loaders`)"));
    CHECK_THAT(run_program(s, {"--help"}).out, Contains("Usage: scripts/benchbench COMMAND"));
    s.write("w.yaml", "train: {}\n");
    CHECK_THAT(run_program(s, {"init", "--from-dlio", "w.yaml", "--out", "made.yaml"}).err,
               Contains("next: scripts/benchbench plan made.yaml"));
  }
  {
    const CalledAs spaces("my tools/bench'bench");
    CHECK_THAT(run_program(s, {"run"}).err, Contains("`'my tools/bench'\\''bench' run -h`"));
  }
  const CalledAs unset("");  // then argv[0] says it
  CHECK_THAT(run_program(s, {"run"}).err, Contains("`" + program_path() + " run -h`"));
}

TEST_CASE("command line: describe lists the parts of all kinds, or of one", "[golden][app]") {
  Scratch s;
  const std::string all = run_program(s, {"describe"}).out;
  CHECK_THAT(all, StartsWith("`benchbench describe WORD` explains any of these.\n\nloaders ("));
  const auto part_of_all = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "describe");
    const Ran one = run_program(s, words);
    INFO(one.out);
    CHECK(one.code == 0);
    CHECK_THAT(all, Contains('\n' + one.out + '\n'));
    return one.out;
  };
  CHECK_THAT(part_of_all({"loaders"}),
             StartsWith("loaders (loader.use)\n") && Contains("\n  native ") && !Contains("\n\n"));
  CHECK_THAT(part_of_all({"formats"}), Contains("\n  tar "));
  CHECK_THAT(part_of_all({"sampling", "orders"}), Contains("\n  sequential "));
  const Ran near = run_program(s, {"describe", "loadrs"});
  CHECK(near.code == 2);
  CHECK(near.err == "error: unknown name \"loadrs\"\nhint: did you mean loaders?\n");
}

TEST_CASE("command line: describe alone lists all words, and takes several as one name or as many",
          "[golden][app]") {
  Scratch s;
  const Ran alone = run_program(s, {"describe"});
  CHECK(alone.code == 0);
  CHECK_THAT(alone.out, Contains("column of the report\n") && Contains("status of a trial\n") &&
                            Contains("exit code\n"));
  for (const char* code : {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "65", "66", "69", "72",
                           "73", "130", "143"}) {
    INFO(code);
    CHECK(run_program(s, {"describe", code}).code == 0);
  }
  const Ran one = run_program(s, {"describe", "held", "back", "by"});
  CHECK_THAT(one.out, StartsWith("held back by (column of the report)"));
  const Ran two = run_program(s, {"describe", "R06", "NOISY"});
  CHECK_THAT(two.out, StartsWith("R06 (steady)") && Contains("\nNOISY (status of a trial)"));
  const Ran kinds = run_program(s, {"describe", "loaders", "R06"});
  CHECK_THAT(kinds.out, StartsWith("loaders") && Contains("\n\nR06 (steady)"));
  CHECK(run_program(s, {"describe", "R06", "nothingatall"}).code == 2);
}

TEST_CASE("command line: run, plan and validate take --only, --sweep and --set sweep=none alike",
          "[golden][app]") {
  Scratch s;
  s.write("two.yaml",
          tiny_scenario("sweep: {loader.num_workers: [1, 2], loader.batch_size: [4, 8]}\n"));
  const auto with = [&](const char* command, std::vector<std::string> words) {
    words.insert(words.begin(), {command, "two.yaml"});
    if (std::string(command) != "validate") words.insert(words.end(), {"--clock", "simulated"});
    if (std::string(command) == "plan") words.emplace_back("--no-probe");
    if (std::string(command) == "run") words.insert(words.end(), {"--csv", "-", "--quiet"});
    return run_program(s, words);
  };
  for (const char* command : {"run", "plan", "validate"}) {
    INFO(command);
    const Ran only = with(command, {"--only", "loader.prefetch_factor=1,3"});
    CHECK(only.code == 0);
    CHECK_THAT(only.out, Contains("prefetch_factor") && !Contains("batch_size=8") &&
                             !Contains("loader.batch_size:"));
    const Ran none = with(command, {"--set", "sweep=none"});
    CHECK(none.code == 0);
    CHECK_THAT(none.out, !Contains("num_workers=2") && !Contains("loader.batch_size:"));
    const Ran both = with(command, {"--set", "sweep=none", "--only", "loader.seed=1,2"});
    CHECK(both.code == 2);
    CHECK_THAT(both.err,
               Contains("--only loader.seed adds an axis, but --set sweep=none empties the sweep"));
    CHECK_THAT(run_program(s, {command, "-h"}).out,
               Contains("sweep this setting instead of the file's sweep\n") &&
                   Contains("sweep=none: no sweep\n"));
  }
}

TEST_CASE("validate: says what is left out, and where nothing is at dataset.path",
          "[golden][app]") {
  Scratch s;
  s.write("gone.yaml",
          "dataset: {path: gone, format: tar}\nloader: {use: native}\ntrainer: {use: timed}\n"
          "sweep: {loader.num_workers: [1, 2]}\n");
  const Ran gone = run_program(s, {"validate", "gone.yaml", "--set", "loader.num_workers=2"});
  INFO(gone.err);
  CHECK(gone.code == 0);
  CHECK_THAT(
      gone.out,
      Contains("  not here: dataset.path 'gone', which plan and run need\n") &&
          Contains("  dropped: sweep of loader.num_workers (--set gives it a single value)"));
  s.write("gone", "");
  const Ran there = run_program(s, {"validate", "gone.yaml", "--set", "loader.num_workers=2"});
  CHECK_THAT(there.out, !Contains("not here"));
}

TEST_CASE("validate: several files each get their line, and the worst of their exit codes",
          "[golden][app]") {
  Scratch s;
  s.write("a.yaml", tiny_scenario());
  s.write("b.yaml", tiny_scenario("alarms: {}\n"));
  s.write("c.yaml", tiny_scenario());
  const Ran some = run_program(s, {"validate", "a.yaml", "b.yaml", "gone.yaml", "c.yaml"});
  CHECK(some.code == 2);
  CHECK_THAT(some.out, Contains("a.yaml: valid: ") && Contains("\nb.yaml: not valid\n") &&
                           Contains("\ngone.yaml: not valid\n") && Contains("\nc.yaml: valid: "));
  CHECK_THAT(some.err, Contains("b.yaml:") && Contains("gone.yaml"));
  CHECK(run_program(s, {"validate", "a.yaml", "c.yaml"}).code == 0);
}

TEST_CASE("command line: repeated values are run, resumed and reported apart", "[golden][app]") {
  Scratch s;
  s.write("aa.yaml", tiny_scenario());
  const std::vector<std::string> words{
      "run",     "aa.yaml",   "--only",  "loader.num_workers=1,1,1",
      "--clock", "simulated", "--quiet", "--out",
      "r",       "--csv",     "-"};
  const Ran run = run_program(s, words);
  CHECK(run.code == 0);
  for (const char* name : {"num_workers=1 #1", "num_workers=1 #2", "num_workers=1 #3"})
    CHECK_THAT(run.out, Contains(name));
  const std::size_t records = count_lines(s.path("r/journal.jsonl"));
  // Two rounds: base and three repeats in three modes, the anchor twice more.
  CHECK(records == 2 * (4 * 3 + 2));
  std::vector<std::string> again = words;
  again.emplace_back("--resume");
  CHECK(run_program(s, again).code == 0);
  CHECK(count_lines(s.path("r/journal.jsonl")) == records);
  CHECK_THAT(run_program(s, {"report", "r", "--csv", "-"}).out, Contains("num_workers=1 #3"));
}

}  // namespace command_line
}  // namespace benchbench::test
