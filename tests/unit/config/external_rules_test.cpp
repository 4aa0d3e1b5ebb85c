// A loader or a step that is the user's code: what must be named, what means nothing there, which
// pairs can run.
#include "tests/unit/config/external_catalog.h"

namespace benchbench::test {
namespace external_rules {

const std::string kDiscard = "trainer: {use: discard}\n";

TEST_CASE("external: script or module, and call", "[unit][config]") {
  require_python_refused("loader: {use: python, call: f}\n" + kDiscard, 1, "python",
                         "loader python needs loader.script, a Python file, or loader.module");
  require_python_refused("loader: {use: python, script: a.py, module: b, call: f}\n" + kDiscard, 1,
                         "module", "mutually exclusive");
  require_python_refused("loader: {use: python, script: a.py}\n" + kDiscard, 1, "python",
                         "needs loader.call");
  require_python_refused(kPythonLoader + "trainer: {use: python, call: f}\n", 2, "python",
                         "trainer python needs trainer.script");
  CHECK_NOTHROW(load_python("loader: {use: python, module: b, call: f}\n" + kDiscard));
  require_python_refused("loader: {use: pytorch, script: a.py, call: f}\n" + kDiscard, 1, "pytorch",
                         "unknown loader \"pytorch\"; did you mean python? Allowed: ");
}

TEST_CASE("external: data are not needed, may be of any kind, and nothing proves them cold",
          "[unit][config]") {
  CHECK_FALSE(load_python(kPythonLoader + kDiscard).base.has("dataset.format"));
  const Scenario made =
      load_python("dataset: {synthesize: {samples: 8}, cache: cold}\n" + kPythonLoader + kDiscard);
  CHECK(made.base.text("dataset.cache") == "as_is");
  CHECK(decided(made,
                "dataset.cache is as_is, not cold: "
                "which files loader python has read, and when, cannot be known"));
  CHECK_FALSE(decided(made, "dataset has no effect"));
  const std::string data =
      "dataset: {synthesize: {samples: 8}, format: tar, storage: {like: sata_ssd}}\n";
  const Scenario stored = load_python(data + kPythonLoader + kDiscard);
  CHECK(stored.base.text("dataset.format") == "tar");
  CHECK_FALSE(stored.base.has("dataset.storage.like"));
  CHECK(decided(stored, "dataset.storage.like dropped: loader python reads its files itself"));
  const Scenario named =
      load_python("dataset: {synthesize: {samples: 8}, format: tar, columns: {image: x}}\n" +
                  kPythonLoader + kDiscard);
  CHECK_FALSE(named.base.has("dataset.columns.image"));
  CHECK(decided(named, "dataset.columns.image dropped: loader python reads its files itself"));
  const Scenario kept = load_python(
      "dataset: {synthesize: {samples: 8}, format: tar, keep: 0.5}\n" + kPythonLoader + kDiscard);
  CHECK_FALSE(kept.base.has("dataset.keep"));
  CHECK(decided(kept, "dataset.keep dropped: loader python chooses its samples itself"));
  require_python_refused(data + kPythonLoader + kDiscard + "sweep: {dataset.cache: [cold, warm]}\n",
                         4, "dataset.cache", "cannot be swept: which files");
}

TEST_CASE("external: a file of no format is passed on as it is", "[unit][config]") {
  const ScenarioText other("nothing that a format knows\n");
  const std::string folder = other.path() + ".weights";
  std::ofstream(folder) << "x";
  const Scenario s = load_python("dataset: {path: " + folder + "}\n" + kPythonLoader + kDiscard);
  std::filesystem::remove(folder);
  CHECK(s.base.text("dataset.path") == folder);
  CHECK_FALSE(decided(s, "dataset.format is"));
}

TEST_CASE("external: keys of benchbench's own workers are dropped in words, and are no axes",
          "[unit][config]") {
  const Scenario s = load_python(
      "loader: {use: python, script: a.py, call: f, dispatch: round_robin, max_jobs: 3, "
      "num_workers: 2}\n" +
      kDiscard);
  CHECK(s.base.text("loader.dispatch") == "shared");
  CHECK(s.base.integer("loader.max_jobs") == 4);
  CHECK(decided(
      s, "loader.dispatch dropped: loader python hands out batches as PyTorch's DataLoader does"));
  CHECK(decided(s, "loader.max_jobs dropped: "));
  CHECK_FALSE(decided(s, "work_unit"));
  require_python_refused(kPythonLoader + kDiscard + "sweep:\n  loader.max_jobs: [1, 2]\n", 4,
                         "loader.max_jobs", "cannot be swept: loader python runs ahead");
  require_python_refused(
      "loader: {use: python, script: a.py, call: f, access: shuffle_buffer}\n" + kDiscard, 1,
      "shuffle_buffer", "access is random or sequential");
  require_python_refused(
      kPythonLoader + kDiscard + "sweep:\n  loader.access: [random, block_shuffle]\n", 4,
      "block_shuffle", "access is random or sequential");
}

TEST_CASE("external: the step does all of a step itself", "[unit][config]") {
  const Scenario s = load_python(kPythonLoader +
                                 "trainer: {use: python, script: a.py, call: f, log_every: 5, "
                                 "postprocess: {every: 2, time: 1ms}}\n");
  CHECK_FALSE(s.base.has("trainer.log_every"));
  CHECK_FALSE(s.base.has("trainer.postprocess.every"));
  CHECK(decided(s,
                "trainer.postprocess.every, trainer.postprocess.time dropped: "
                "trainer python does all of a step"));
  require_python_refused(kPython + "sweep:\n  trainer.log_every: [5]\n", 4, "trainer.log_every",
                         "cannot be swept");
}

// Batches of the user's loader are dropped where it runs: what follows a step has no place there.
TEST_CASE("external: after batches that are dropped nothing follows", "[unit][config]") {
  const std::string every = "trainer: {use: discard, checkpoint: {every: 2, bytes: 1MiB}}\n";
  const Scenario s = load_python(kPythonLoader + every);
  CHECK_FALSE(s.base.has("trainer.checkpoint.every"));
  CHECK_FALSE(s.base.has("trainer.checkpoint.bytes"));
  CHECK(decided(s,
                "trainer.checkpoint.bytes, trainer.checkpoint.every dropped: trainer discard "
                "takes no step"));
  require_python_refused(kPythonLoader + kDiscard + "sweep:\n  trainer.log_every: [5]\n", 4,
                         "trainer.log_every", "cannot be swept");
  CHECK(load_python("loader: {use: synthetic}\n" + every).base.has("trainer.checkpoint.every"));
}

TEST_CASE("external: both sides run in one interpreter", "[unit][config]") {
  const auto with = [](const std::string& loader, const std::string& trainer) {
    return "loader: {use: python, script: a.py, call: f" + loader +
           "}\ntrainer: {use: python, script: a.py, call: g" + trainer + "}\n";
  };
  CHECK(load_python(with(", python: /a", "")).base.text("trainer.python") == "/a");
  CHECK(load_python(with("", ", python: /b")).base.text("loader.python") == "/b");
  CHECK_FALSE(load_python(with("", "")).base.has("loader.python"));
  require_python_refused(with(", python: /a", ", python: /b"), 2, "/b",
                         "loader.python is /a, but both run in one process");
}

TEST_CASE("external: every loader feeds a step of the user's, and the user's loader every trainer",
          "[unit][config]") {
  const std::string step = "trainer: {use: python, script: a.py, call: f}\n";
  for (const char* loader : {"{use: synthetic}", "{use: cached_batch}", "{use: native}",
                             "{use: words}", "{use: rate_limited, rate: 5/s}"})
    CHECK_NOTHROW(load_python(
        "dataset: {synthesize: {samples: 8}}\nloader: " + std::string(loader) + "\n" + step));
  for (const char* trainer : {"timed", "resnet18", "discard"})
    CHECK_NOTHROW(load_python(kPythonLoader + "trainer: {use: " + std::string(trainer) + "}\n"));
}

TEST_CASE("external: what runs next to a mock loader cannot be the user's process",
          "[unit][config]") {
  const Scenario s = load_python(kPython + "measure: {interference: true}\n");
  CHECK_FALSE(s.base.boolean("measure.interference"));
  CHECK(decided(s, "measure.interference dropped: loader python runs in a process of its own"));
  CHECK(load_python(
            "loader: {use: synthetic}\ntrainer: {use: timed}\nmeasure: {interference: true}\n")
            .base.boolean("measure.interference"));
}

TEST_CASE("external: a part that is replaced leaves its interpreter to the other side",
          "[unit][config]") {
  const std::string loader = "loader: {use: python, script: a.py, call: f, python: ./venv}\n",
                    trainer = "trainer: {use: python, script: a.py, call: g}\n";
  ScenarioRequest request = request_for("");
  request.sets = {{"loader.use", "cached_batch"}};
  const Scenario s = load_python(loader + trainer, request);
  CHECK(s.base.text("trainer.python") == "./venv");
  CHECK(decided(s, "trainer.python is ./venv, which loader.python names"));
  CHECK_FALSE(s.base.given("loader.python"));
  const Scenario own = load_python(
      loader + "trainer: {use: python, script: a.py, call: g, python: ./venv}\n", request);
  CHECK(own.base.text("trainer.python") == "./venv");
  CHECK_FALSE(decided(own, "which loader.python names"));
  request.sets = {{"trainer.use", "timed"}};
  const Scenario other = load_python(
      "loader: {use: python, script: a.py, call: f}\ntrainer: {use: python, script: a.py, call: g, "
      "python: ./venv}\n",
      request);
  CHECK(other.base.text("loader.python") == "./venv");
}

TEST_CASE("external: where batches are dropped in the user's process, only the loader is measured",
          "[unit][config]") {
  const std::string says = "measure.modes is loader where the trainer is discard";
  const Scenario s = load_python(kPythonLoader + kDiscard);
  CHECK(s.base.text("measure.modes") == "loader");
  CHECK(decided(s, says));
  CHECK(load_python(kPythonLoader + kDiscard + "measure: {modes: [pipeline]}\n")
            .base.text("measure.modes") == "pipeline");
  for (const std::string& other : {kPython, "loader: {use: synthetic}\n" + kDiscard,
                                   kPythonLoader + kDiscard + "measure: {substitute: true}\n"}) {
    const Scenario all = load_python(other);
    CHECK(all.base.text("measure.modes") == "loader,trainer,pipeline");
    CHECK_FALSE(decided(all, says));
  }
  for (const std::string& base : {kPythonLoader + kDiscard, kPython}) {
    const Scenario swept = load_python(base + "sweep: {trainer: [{use: discard}, {use: timed}]}\n");
    CHECK(decided(swept, says));
    CHECK(swept.modes_follow);
  }
  CHECK_FALSE(
      load_python(kPythonLoader + kDiscard + "measure: {modes: [pipeline]}\n").modes_follow);
}

}  // namespace external_rules
}  // namespace benchbench::test
