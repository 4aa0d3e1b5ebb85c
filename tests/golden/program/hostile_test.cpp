// Names and places that somebody else made: nothing of them reaches the terminal raw, nothing is
// waited for.
#include <sys/stat.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/golden/program/program.h"
#include "tests/places.h"

namespace benchbench::test {
namespace hostile_test {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

// Records keep names on one line.
const std::string kName = "x\x1b[31m\n\xc2\x9b.jpg", kShown = "x\\x1b[31m \\x9b.jpg";

bool is_plain(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) return false;
    if (c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0)
      return false;
  }
  return true;
}

Ran plain(const Scratch& s, const std::vector<std::string>& arguments) {
  Ran ran = run_program(s, arguments);
  INFO(arguments.front() << ": " << ran.out << ran.err);
  CHECK(is_plain(ran.out));
  CHECK(is_plain(ran.err));
  return ran;
}

std::string of_photos(const std::string& path) {
  return "name: own\ndataset: {path: \"" + path +
         "\"}\n"
         "loader: {use: native, num_workers: 1, batch_size: 1, transform: {random_resized_crop: "
         "32}}\ntrainer: {use: discard}\n";
}

TEST_CASE("hostile: names of samples are escaped by verify and in what a conversion says",
          "[golden][app]") {
  const Scratch s;
  fs::create_directories(s.path("photos/a\x1b[1m"));
  std::ofstream(s.path("photos/a\x1b[1m/" + kName)) << "no picture";
  s.write("own.yaml", of_photos("photos"));
  const Ran folder = plain(s, {"data", "own.yaml", "--verify"});
  CHECK(folder.code == 1);
  CHECK_THAT(folder.out, Contains("a\\x1b[1m/" + kShown));
  CHECK(plain(s, {"data", "photos", "--to", "p\x1b.tar"}).out == "tar\tp\\x1b.tar\n");
  s.write("tar.yaml", of_photos("p\\e.tar"));
  const Ran tar = plain(s, {"data", "tar.yaml", "--verify"});
  CHECK(tar.code == 1);
  CHECK_THAT(tar.out, Contains("a\\x1b[1m/" + kShown) && Contains("p\\x1b.tar\n"));
}

TEST_CASE("hostile: titles, keys and values are escaped in every text, and kept in JSON",
          "[golden][app]") {
  const Scratch s;
  std::string scenario = tiny_scenario();
  scenario.replace(scenario.find("Does a tiny run work?"), 21, "\"does\\e[2J it\\a\\u009b1m?\"");
  s.write("tiny.yaml", scenario);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"validate", "tiny.yaml", "--resolved"},
           {"plan", "tiny.yaml", "--no-probe"},
           {"run", "tiny.yaml", "--clock", "simulated", "--out", "r\x1b[1m"},
           {"report", "r\x1b[1m", "--detail"},
           {"report", "r\x1b[1m", "--markdown", "-"},
           {"report", "r\x1b[1m", "--csv", "-"},
           {"report", "r\x1b[1m", "--h5"},
           {"history", "r\x1b[1m"},
           {"history", "r\x1b[1m/..", "--prune", "1d"},
           {"require", "tiny.yaml", "--clock", "simulated", "--out", "q\x1b[1m"}}) {
    const Ran ran = plain(s, words);
    INFO(words.front() << ran.err);
    CHECK(ran.code == 0);
  }
  CHECK_THAT(run_program(s, {"report", "r\x1b[1m"}).out, Contains("does\\x1b[2J it\\x07\\x9b1m?"));
  CHECK(nlohmann::json::parse(
            run_program(s, {"report", "r\x1b[1m", "--json", "-"}).out)["question"] ==
        "does\x1b[2J it\a\xc2\x9b"
        "1m?");
}

TEST_CASE("hostile: what an error names is escaped, also in the excerpt of a scenario",
          "[golden][app]") {
  const Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  s.write("raw.yaml", tiny_scenario("q\x1b[2J: 1\n"));
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"validate", "gone\x1b[2J"},
           {"validate", "raw.yaml"},
           {"validate", "tiny.yaml", "--set", "loader.\x1b[2Jx=1"},
           {"validate", "tiny.yaml", "--set", "loader.use=\x1b[2J"},
           {"report", "gone\x1b[2J"},
           {"data", "gone\x1b[2J", "--verify"},
           {"describe", "\x1b[2J"},
           {"history", "gone\x1b[2J", "--prune", "3d"},
           {"tune", "gone\x1b[2J"},
           {"require", "gone\x1b[2J"},
           {"\x1b[2J"},
           {"micro", "x", "\x1b[2J"},
           {"wrap", "\x1b[2J"}}) {
    const Ran ran = plain(s, words);
    INFO(words.front() << ran.err);
    CHECK(ran.code == (words.front() == "wrap" ? 66 : 2));
    CHECK_THAT(ran.err, Contains("x1b"));
  }
}

TEST_CASE("hostile: a named pipe as a scenario is refused, not waited for", "[golden][app]") {
  const Scratch s;
  REQUIRE(::mkfifo(s.path("pipe.yaml").c_str(), 0600) == 0);
  // It waits if it says nothing in the time that a test may take.
  const Ran ran = run_program(s, {"validate", "pipe.yaml"});
  CHECK(ran.code == 2);
  CHECK_THAT(ran.err, Contains("pipe.yaml: error: is a named pipe"));
}

TEST_CASE(
    "hostile: a named pipe, "
    "a device or a folder in place of a file of ours is refused by name, not waited for",
    "[golden][app]") {
  const Scratch s;
  REQUIRE(copy_tiny_run(s).code == 0);
  for (const char* name : {"plan.json", "journal.jsonl"}) {
    const std::string folder = std::string("without_") + name, path = s.path(folder + "/" + name);
    fs::copy(s.path("r"), s.path(folder), fs::copy_options::recursive);
    fs::remove(path);
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"report", folder},
             {"compare", "r", folder},
             {"report", folder, "--h5"},
             {"run", "tiny.yaml", "--clock", "simulated", "--resume", "--out", folder}}) {
      const Ran ran = run_program(s, words);
      INFO(words.front() << ran.err);
      CHECK(ran.code == (words.front() == "compare" ? 2 : 5));
      CHECK_THAT(on_one_line(ran.err), Contains(folder + "/" + name + " is not a regular file"));
    }
  }
  fs::create_symlink("/dev/zero", s.path("history.yaml"));
  fs::create_directory(s.path("history.index.jsonl"));
  CHECK_THAT(on_one_line(run_program(s, {"history", "r"}).err),
             Contains("history.yaml is not a regular file"));
  fs::remove(s.path("history.yaml"));
  CHECK_THAT(on_one_line(run_program(s, {"history", "."}).err),
             Contains("history.index.jsonl is not a regular file"));
}

TEST_CASE(
    "hostile: links that lead round in circles, and a folder in place of a file, are faults of the "
    "user's that are named",
    "[golden][app]") {
  const Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  fs::create_symlink("loop", s.path("loop"));
  const Ran resumed =
      run_program(s, {"run", "tiny.yaml", "--clock", "simulated", "--resume", "--out", "loop/r"});
  CHECK(resumed.code == 5);
  CHECK_THAT(on_one_line(resumed.err),
             Contains("loop/r: cannot look at it: Too many levels of symbolic links"));
  REQUIRE(copy_tiny_run(s).code == 0);
  fs::create_directory(s.path("r/tune.json"));
  const Ran tuned = run_program(s, {"report", "r"});
  CHECK(tuned.code == 5);
  CHECK_THAT(on_one_line(tuned.err), Contains("r/tune.json is not a regular file"));
  fs::create_directory(s.path("history.yaml"));
  const Ran history = run_program(s, {"history", "r"});
  CHECK(history.code == 5);
  CHECK_THAT(on_one_line(history.err), Contains("history.yaml is not a regular file"));
}

TEST_CASE("hostile: a working directory that was removed is told as such", "[golden][app]") {
  const Scratch s;
  fs::create_directory(s.path("gone"));
  const std::string line = "cd " + s.path("gone") + " && rmdir " + s.path("gone") + " && " +
                           program_path() + " history x >" + s.path("o") + " 2>" + s.path("e");
  const int status = std::system(line.c_str());
  CHECK((WIFEXITED(status) ? WEXITSTATUS(status) : -1) == 5);
  CHECK_THAT(on_one_line(read_file(s.path("e"))),
             Contains("x: the working directory cannot be found"));
}

TEST_CASE("hostile: a machine.yaml that is no file is said in the report and holds no trial up",
          "[golden][app]") {
  const Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  fs::create_directories(s.path("cache"));
  REQUIRE(::mkfifo(s.path("cache/machine.yaml").c_str(), 0600) == 0);
  const Ran ran = run_program(s, {"run", "tiny.yaml", "--clock", "simulated", "--out", "r"});
  CHECK(ran.code == 0);
  CHECK_THAT(on_one_line(ran.out), Contains("machine.yaml is not a regular file"));
}

TEST_CASE("hostile: a report that is put in place is not written through a link beside it",
          "[golden][app]") {
  const Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  s.write("mine", "kept");
  fs::create_symlink(s.path("mine"), s.path("m.prom.part"));
  CHECK(run_program(
            s, {"run", "tiny.yaml", "--clock", "simulated", "--out", "r", "--prometheus", "m.prom"})
            .code == 0);
  CHECK(read_file(s.path("mine")) == "kept");
  CHECK_THAT(read_file(s.path("m.prom")), Contains("benchbench_"));
}

TEST_CASE("hostile: an empty name of a file or folder is a user's error that says so",
          "[golden][app]") {
  const Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"history", ""},
                                             {"report", ""},
                                             {"validate", ""},
                                             {"run", "tiny.yaml", "--out", ""},
                                             {"plan", "tiny.yaml", "--cache", ""},
                                             {"data", "", "--to", "x.tar"},
                                             {"report", "x", "--json", ""}}) {
    const Ran ran = run_program(s, words);
    INFO(words.front() << ran.err);
    CHECK(ran.code == 2);
    CHECK_THAT(ran.err, Contains("is empty\nhint: is a variable of the shell not set?"));
  }
}

TEST_CASE("hostile: a name that no file system holds is a user's error wherever it is given",
          "[golden][app]") {
  const Scratch s;
  const std::string name(300, 'x');
  s.write("tiny.yaml", tiny_scenario());
  fs::create_directories(s.path("photos"));
  std::ofstream(s.path("photos/1.jpg")) << "no picture";
  s.write("own.yaml", of_photos("photos"));
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"plan", "own.yaml", "--set", "dataset.path=" + name},
           {"validate", name},
           {"report", name},
           {"history", name},
           {"compare", name, name},
           {"data", name, "--to", "x.tar"},
           {"data", "photos", "--to", name + ".tar"},
           {"data", "photos", "--to", "mds=" + name + "/a"},
           {"data", "own.yaml", "--set", "dataset.format=tar", "--cache", name}}) {
    const Ran ran = run_program(s, words);
    INFO(words.front() << ran.err);
    CHECK(ran.code == 2);
    CHECK(ran.err.find("bug in benchbench") == std::string::npos);
  }
}

}  // namespace hostile_test
}  // namespace benchbench::test
