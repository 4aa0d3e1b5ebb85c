// What a look at the user's own code adds: settings that their DataLoader brings, what cannot be
// given, what is wrong with it.
#include "harness/record/external_keys.h"
#include "tests/unit/config/external_catalog.h"

namespace benchbench::test {
namespace users_code {

using std::int64_t;

CodeLook answering(ExternalCheck check) {
  return [check](const CodeQuestion&) { return check; };
}
ExternalCheck data_loader() {
  ExternalCheck check;
  check.kind = "DataLoader";
  check.own = {{"num_workers", int64_t{8}},
               {"batch_size", int64_t{64}},
               {"prefetch_factor", int64_t{4}},
               {"shuffle", false},
               {"pin_memory", true},
               {"persistent_workers", true},
               {"drop_last", false},
               {"in_order", std::monostate{}},
               {"multiprocessing_context", std::monostate{}}};
  return check;
}

std::string value_in(const Scenario& s, std::size_t axis, std::size_t v, const std::string& key) {
  for (const auto& [name, held] : s.axes.at(axis).values.at(v).set)
    if (name == key) return held.text();
  return "the base's";
}

TEST_CASE("user's code: what was given nowhere is as the DataLoader has it", "[unit][config]") {
  const Scenario s = load_python(kPython, with_look(answering(data_loader())));
  CHECK(s.base.integer("loader.num_workers") == 8);
  CHECK(s.base.integer("loader.batch_size") == 64);
  CHECK(s.base.integer("loader.max_jobs") == 32);
  CHECK(s.base.text("loader.access") == "sequential");
  CHECK(s.base.boolean("loader.persistent_workers"));
  CHECK(s.base.boolean("loader.in_order"));
  CHECK_FALSE(s.base.boolean("loader.pin_memory"));
  CHECK(decided(
      s,
      "loader.num_workers is 8, loader.batch_size is 64, loader.prefetch_factor is 4, "
      "loader.shuffle is false, "
      "loader.drop_last is false, loader.persistent_workers is true: as your DataLoader has them"));
  CHECK(decided(
      s,
      "loader.pin_memory is false, though your DataLoader sets it: there is no CUDA device here"));
  const Scenario handed_over =
      load_python(kPythonLoader + "trainer: {use: timed}\n", with_look(answering(data_loader())));
  CHECK(decided(handed_over, "minus the sweep's largest num_workers, 8"));
}

TEST_CASE("user's code: of a Dataset, defaults that are not PyTorch's are said", "[unit][config]") {
  ExternalCheck check;
  check.kind = "Dataset";
  const auto said = [&](const std::string& keys) {
    const Scenario s = load_python(
        "loader: {use: python, script: a.py, call: f" + keys + "}\ntrainer: {use: discard}\n",
        with_look(answering(check)));
    const auto found = std::ranges::find_if(
        s.decisions, [](const std::string& d) { return d.find("where PyTorch's") != d.npos; });
    return found == s.decisions.end() ? std::string() : *found;
  };
  CHECK(said("") ==
        "loader.shuffle is true, loader.drop_last is true: "
        "benchbench's defaults, where PyTorch's are False");
  CHECK(said(", shuffle: true") ==
        "loader.drop_last is true: benchbench's default, where PyTorch's is False");
  CHECK(said(", shuffle: true, drop_last: false") == "");
  check.fixed["shuffle"] = "f returns an IterableDataset, which decides the order itself";
  CHECK(said("") == "loader.drop_last is true: benchbench's default, where PyTorch's is False");
  check.kind = "DataLoader";
  CHECK(said("") == "");
}

TEST_CASE("user's code: of a Dataset, a batch size that nothing gives is said", "[unit][config]") {
  ExternalCheck check;
  check.kind = "Dataset";
  const auto is_said = [&](const std::string& keys, const std::string& more = "") {
    return decided(load_python("loader: {use: python, script: a.py, call: f" + keys +
                                   "}\ntrainer: {use: discard}\n" + more,
                               with_look(answering(check))),
                   "loader.batch_size is 1, PyTorch's default: set it to that of your training");
  };
  CHECK(is_said(""));
  CHECK(is_said(", num_workers: 2"));
  CHECK_FALSE(is_said(", batch_size: 1"));
  CHECK_FALSE(is_said(", batch_size: 64"));
  CHECK_FALSE(is_said("", "sweep: {loader.batch_size: [8, 16]}\n"));
  check.kind = "DataLoader";
  CHECK_FALSE(is_said(""));
}

TEST_CASE("user's code: what a file, a variant or --set gives is not taken from it",
          "[unit][config]") {
  ScenarioRequest request = with_look(answering(data_loader()));
  request.sets = {{"loader.prefetch_factor", "2"}};
  const Scenario s = load_python(
      "loader: {use: python, script: a.py, call: f, num_workers: 0, shuffle: true}\n"
      "trainer: {use: discard}\nvariants: {cpu: {loader.batch_size: 4}}\n",
      request);
  CHECK(s.base.integer("loader.num_workers") == 0);
  CHECK(s.base.text("loader.access") == "random");
  CHECK(s.base.integer("loader.batch_size") == 4);
  CHECK(s.base.integer("loader.prefetch_factor") == 2);
}

TEST_CASE("user's code: without a look nothing is known of it", "[unit][config]") {
  const Scenario s = load_python(kPython);
  CHECK(s.base.integer("loader.num_workers") == 0);
  CHECK_FALSE(decided(s, "DataLoader has"));
}

TEST_CASE(
    "user's code: a batch of the own loader is asked for where another's are handed to the step",
    "[unit][config]") {
  ExternalCheck check = data_loader();
  check.batch = R"({"form":"list"})";
  bool asked = false;
  const auto look = with_look([&](const CodeQuestion& q) {
    asked = asked || q.batch;
    return check;
  });
  const std::string own = "loader: {use: python, script: a.py, call: f}\n",
                    step = "trainer: {use: python, script: a.py, call: s}\n",
                    other = "sweep:\n  loader: [{use: synthetic}]\n";
  const Scenario s = load_python(own + step + other, look);
  CHECK(asked);
  CHECK(s.base.text("trainer.own_batch") == check.batch);
  asked = false;
  load_python(own + step, look);
  load_python(own + "trainer: {use: timed}\n" + other, look);
  CHECK_FALSE(asked);
  const Scenario turned =
      load_python("loader: {use: synthetic}\n" + step +
                      "sweep:\n  loader: [{use: python, script: a.py, call: f}]\n",
                  look);
  CHECK(asked);
  CHECK(turned.base.text("trainer.own_batch") == check.batch);
}

TEST_CASE("user's code: mocks and benchbench's own parts are not looked at", "[unit][config]") {
  const auto never = with_look(
      [](const CodeQuestion&) -> std::optional<ExternalCheck> { throw PartError("looked"); });
  CHECK_NOTHROW(load_python(
      "loader: {use: synthetic}\ntrainer: {use: timed}\nsweep: {loader.num_workers: [0, 1]}\n",
      never));
}

TEST_CASE("user's code: settings that cannot be given stay, in words, and are no axes",
          "[unit][config]") {
  ExternalCheck check = data_loader();
  const std::string why = "make_data returns a DataLoader with its own batch_sampler";
  check.own.erase("batch_size");
  for (const char* key : {"batch_size", "shuffle", "drop_last"}) check.fixed[key] = why;
  const std::string given =
      "loader: {use: python, script: a.py, call: f, batch_size: 32}\ntrainer: {use: discard}\n";
  const Scenario s = load_python(given, with_look(answering(check)));
  CHECK(s.base.text("loader.users_own") == "batch_size,drop_last,shuffle");
  CHECK(s.base.integer("loader.batch_size") == 1);
  CHECK(decided(s, "loader.batch_size: 32 dropped: " + why));
  CHECK_FALSE(decided(s, "drop_last"));
  const ExternalLoaderKeys keys = external_keys_of(s.base);
  CHECK_FALSE(keys.batch_size);
  CHECK_FALSE(keys.shuffle);
  CHECK_FALSE(keys.drop_last);
  CHECK(keys.num_workers == 8u);
  CHECK(keys.prefetch_factor == 4u);
  require_python_refused(given + "sweep:\n  loader.batch_size: [1, 2]\n", 4, "loader.batch_size",
                         "cannot be swept: " + why, with_look(answering(check)));
  require_python_refused(given + "sweep:\n  loader.shuffle: [true]\n", 4, "loader.shuffle",
                         "cannot be swept: " + why, with_look(answering(check)));
}

TEST_CASE("user's code: each other value of an argument is called in a process of its own",
          "[unit][config]") {
  std::vector<std::string> asked;
  const auto note = [&](const CodeQuestion& q) -> std::optional<ExternalCheck> {
    asked.push_back(q.settings.text("loader.args.size") + (q.loader ? "L" : "") +
                    (q.trainer ? "T" : ""));
    return ExternalCheck{};
  };
  load_python(
      "loader: {use: python, script: a.py, call: f, args: {size: 1}}\ntrainer: {use: python, "
      "script: a.py, call: g}\n"
      "sweep: {loader.args.size: [1, 2, 3], loader.num_workers: [0, 1]}\n",
      with_look(note));
  CHECK(asked == std::vector<std::string>{"1LT", "2L", "3L"});
}

// A loader whose settings follow from its arguments.
std::optional<ExternalCheck> by_arguments(const CodeQuestion& q) {
  ExternalCheck check;
  check.kind = "DataLoader";
  const bool stays = q.settings.text("loader.args.stays") == "true";
  check.own = {{"num_workers", int64_t{stays ? 2 : 1}}, {"batch_size", int64_t{stays ? 4 : 8}}};
  if (stays) check.own["persistent_workers"] = true, check.own["prefetch_factor"] = int64_t{3};
  const Value* plain = q.settings.find("loader.args.plain");
  if (plain && plain->text() == "true") check.own.clear(), check.kind = "Dataset";
  return check;
}
const std::string kStays =
    "loader: {use: python, script: a.py, call: f, args: {stays: true}}\ntrainer: {use: discard}\n";

TEST_CASE("user's code: each point has what the DataLoader of its own arguments has",
          "[unit][config]") {
  const Scenario s =
      load_python(kStays + "sweep: {loader.args.stays: [true, false]}\n", with_look(by_arguments));
  CHECK(s.base.integer("loader.num_workers") == 2);
  CHECK(s.base.integer("loader.prefetch_factor") == 3);
  CHECK(value_in(s, 0, 0, "loader.num_workers") == "the base's");
  CHECK(value_in(s, 0, 1, "loader.num_workers") == "1");
  CHECK(value_in(s, 0, 1, "loader.batch_size") == "8");
  CHECK(value_in(s, 0, 1, "loader.prefetch_factor") == "2");  // the default
  CHECK(s.axes.at(0).values.at(1).erase == std::vector<std::string>{"loader.persistent_workers"});
  CHECK(decided(s,
                "at loader.args.stays false, loader.num_workers is 1, loader.batch_size is 8, "
                "loader.prefetch_factor is 2: as your DataLoader"));
  const Scenario plain =
      load_python(kStays + "sweep: {loader.args.plain: [true]}\n", with_look(by_arguments));
  CHECK(value_in(plain, 0, 0, "loader.batch_size") == "1");
  CHECK(value_in(plain, 0, 0, "loader.num_workers") == "0");
}

TEST_CASE(
    "user's code: what the scenario or another axis sets is not taken from other arguments either",
    "[unit][config]") {
  ScenarioRequest request = with_look(by_arguments);
  request.sets = {{"loader.batch_size", "16"}};
  const std::string axes = "loader.num_workers: [2, 4], loader.args.stays: [true, false]}\n";
  const Scenario grid = load_python(kStays + "sweep: {mode: grid, " + axes, request);
  CHECK(value_in(grid, 1, 1, "loader.batch_size") == "the base's");
  CHECK(value_in(grid, 1, 1, "loader.num_workers") == "the base's");
  CHECK(value_in(grid, 1, 1, "loader.prefetch_factor") == "2");
  const Scenario star = load_python(kStays + "sweep: {" + axes, request);
  CHECK(value_in(star, 1, 1, "loader.num_workers") == "1");
}

TEST_CASE("user's code: arguments that a zip changes together are called together",
          "[unit][config]") {
  std::vector<std::string> asked;
  const auto note = [&](const CodeQuestion& q) -> std::optional<ExternalCheck> {
    asked.push_back(q.settings.text("loader.args.a") + q.settings.text("loader.args.b"));
    return ExternalCheck{};
  };
  load_python(
      "loader: {use: python, script: a.py, call: f, args: {a: 0, b: 0}}\ntrainer: {use: discard}\n"
      "sweep: {mode: zip, loader.args.a: [0, 1], loader.args.b: [2, 3]}\n",
      with_look(note));
  CHECK(asked == std::vector<std::string>{"00", "13", "02", "13"});  // the looker keeps its answers
}

TEST_CASE("user's code: the first value of an argument that fails is said, with its place",
          "[unit][config]") {
  const auto failing = with_look([](const CodeQuestion& q) -> std::optional<ExternalCheck> {
    if (q.settings.text("loader.args.size") != "1")
      throw ScenarioError("ValueError: no such folder");
    return ExternalCheck{};
  });
  require_python_refused(
      "loader: {use: python, script: a.py, call: f, args: {size: 1}}\ntrainer: {use: discard}\n"
      "sweep:\n  loader.args.size: [1, 22, 33]\n",
      4, "22", "loader.args.size: 22: ValueError: no such folder", failing);
}

TEST_CASE(
    "user's code: another script on an axis brings its own, "
    "and the base's are not laid over what it says",
    "[unit][config]") {
  const auto look = [](const CodeQuestion& q) -> std::optional<ExternalCheck> {
    ExternalCheck check;
    check.own["num_workers"] = int64_t{q.settings.text("loader.script") == "a.py" ? 8 : 3};
    return check;
  };
  const Scenario s = load_python(
      "loader: {use: python, script: a.py, call: f}\ntrainer: {use: discard}\n"
      "sweep:\n  loader:\n  - {use: python, script: b.py, call: f}\n"
      "  - {use: python, script: b.py, call: f, num_workers: 1}\n"
      "  - {use: synthetic, num_workers: 0}\n",
      with_look(look));
  CHECK(s.base.integer("loader.num_workers") == 8);
  const auto workers = [&](std::size_t v) -> std::string {
    for (const auto& [key, held] : s.axes.at(0).values[v].set)
      if (key == "loader.num_workers") return held.text();
    return "";
  };
  CHECK(workers(0) == "3");
  CHECK(workers(1) == "1");
  CHECK(workers(2) == "0");
}

TEST_CASE("user's code: what is wrong is said at the line that names it", "[unit][config]") {
  const auto failing = [](auto error) {
    return with_look([error](const CodeQuestion&) -> std::optional<ExternalCheck> { throw error; });
  };
  const std::string text =
      "loader:\n  use: python\n  script: a.py\n  call: make_dat\n"
      "  args: {size: 1}\ntrainer: {use: discard}\n";
  require_python_refused(text, 4, "make_dat", "a.py has no make_dat; did you mean make_data?",
                         failing(ScenarioError("a.py has no make_dat", "did you mean make_data?")));
  require_python_refused(text, 3, "a.py", "No such file: a.py",
                         failing(ScenarioError("No such file: a.py")));
  require_python_refused(text, 5, "1", "takes no size",
                         failing(ScenarioError("make_dat takes no size")));
  require_python_refused(text, 4, "make_dat", "KeyError: size",
                         failing(PartError("make_dat raised KeyError: size")));
  require_python_refused(text, 4, "make_dat", "something else",
                         failing(ScenarioError("something else")));
  const std::string missing = "dataset.path: 'my/photoss' does not exist";
  require_python_refused("dataset: {path: my/photoss}\n" + text, 1, "my/photoss", missing,
                         failing(ScenarioError(missing)));
  require_python_refused(text + "sweep:\n  loader.args.bs: [1]\n", 8, "loader.args.bs",
                         "batch_size, not bs", failing(ScenarioError("batch_size, not bs")));
  CHECK_THROWS_AS(load_python(text, failing(InterruptedError("Ctrl-C"))), InterruptedError);
}

TEST_CASE("user's code: a data set without one batch", "[unit][config]") {
  ExternalCheck check;
  check.epoch_samples = 10;
  const std::string loader =
      "loader: {use: python, script: a.py, call: f, batch_size: 16}\ntrainer: {use: discard}\n";
  require_python_refused(loader, 1, "16",
                         "loader.batch_size is 16, but the data set has 10 samples and drop_last",
                         with_look(answering(check)));
  require_python_refused(kPython + "sweep:\n  loader.batch_size: [2, 12]\n", 4, "12",
                         "loader.batch_size is 12", with_look(answering(check)));
  ScenarioRequest request = with_look(answering(check));
  request.sets = {{"loader.drop_last", "false"}};
  CHECK_NOTHROW(load_python(loader, request));
}

TEST_CASE("user's code: what PyTorch takes with workers only is said to be dropped without",
          "[unit][config]") {
  const std::string loader =
      "loader: {use: python, script: a.py, call: f, "
      "prefetch_factor: 4, persistent_workers: true, num_workers: ";
  const std::string rest = "}\ntrainer: {use: discard}\n";
  const std::string says =
      "loader.prefetch_factor, loader.persistent_workers dropped at loader.num_workers 0: PyTorch "
      "takes them with workers only";
  CHECK(decided(load_python(loader + "0" + rest), says));
  CHECK(decided(load_python(loader + "2" + rest + "sweep: {loader.num_workers: [0, 2]}\n"), says));
  CHECK_FALSE(decided(load_python(loader + "2" + rest), "dropped"));
}

}  // namespace users_code
}  // namespace benchbench::test
