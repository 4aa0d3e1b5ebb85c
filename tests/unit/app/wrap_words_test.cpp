#include "harness/app/wrap/wrap_words.h"

#include "harness/app/wrap/wrap_step_words.h"

#include <catch2/catch.hpp>

namespace benchbench {
namespace wrap_words_test {

WrapEnd end_by(WrapReason reason, bool seen = true) {
  WrapEnd end;
  end.reason = reason;
  end.seen = seen;
  return end;
}

bool has(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

constexpr ChildEnd kGood{}, kFailed{3, 0}, kKilled{0, 9};

TEST_CASE("wrap: of steps on a GPU it is said that this was never tried", "[unit][app][wrap]") {
  WrapPlanned planned;
  CHECK(planned_words({}, planned).find("tried") == std::string::npos);
  planned.device = "cuda:1";
  CHECK(planned_words({}, planned)
            .find("steps run on cuda:1: wrap takes the times of steps from events of the device, "
                  "which was never tried") != std::string::npos);
}

TEST_CASE("wrap: where there is no room for all three it is said why", "[unit][app][wrap]") {
  WrapPlanned planned;
  planned.rounds = 2;
  planned.kinds = "FTL";
  CHECK(planned_words({}, planned).find("2 rounds of 3 stretches") != std::string::npos);
  CHECK(planned_words({}, planned).find("measured as it is only") == std::string::npos);
  planned.kinds = "F";
  planned.why = "the script saves every 5 batches";
  CHECK(planned_words({}, planned).find("2 rounds of one stretch") != std::string::npos);
  CHECK(planned_words({}, planned)
            .find("measured as it is only, neither its loader alone nor held batches: the script "
                  "saves every 5 batches\n") != std::string::npos);
}

TEST_CASE("wrap: 0 with an answer, however the script was stopped", "[unit][app][wrap]") {
  for (const WrapReason reason : {WrapReason::answer, WrapReason::budget_over,
                                  WrapReason::saver_called, WrapReason::script_ended}) {
    const WrapEnd end = end_by(reason);
    CHECK(exit_code_of(&end, kGood, true, 0) == 0);
  }
}

TEST_CASE("wrap: a script that fails hands its own code on, with an answer or without",
          "[unit][app][wrap]") {
  const WrapEnd failed = end_by(WrapReason::script_failed);
  CHECK(exit_code_of(&failed, kFailed, false, 0) == 3);
  CHECK(exit_code_of(&failed, kFailed, true, 0) == 3);
  CHECK(exit_code_of(nullptr, kFailed, false, 0) == 3);
  CHECK(exit_code_of(nullptr, kKilled, false, 0) == 137);
}

TEST_CASE("wrap: a launcher's complaint of ranks that were stopped is no failure of the script",
          "[unit][app][wrap]") {
  for (const WrapReason reason :
       {WrapReason::answer, WrapReason::budget_over, WrapReason::saver_called, WrapReason::checked,
        WrapReason::stopped}) {
    const WrapEnd end = end_by(reason);
    CHECK(exit_code_of(&end, kFailed, true, 0) == 0);
    CHECK(exit_code_of(&end, kFailed, false, 0) == 3);
  }
}

TEST_CASE("wrap: 72 where it ended by itself before an answer, ours with 64 added",
          "[unit][app][wrap]") {
  const WrapEnd ended = end_by(WrapReason::script_ended), refused = end_by(WrapReason::refused);
  CHECK(exit_code_of(&ended, kGood, false, 0) == 72);
  CHECK(exit_code_of(nullptr, kGood, false, 0) == 72);
  CHECK(exit_code_of(&ended, kGood, true, 5) == 69);
  CHECK(exit_code_of(&refused, kGood, false, 2) == 66);
}

TEST_CASE("wrap: the word of the command that is the script", "[unit][app][wrap]") {
  CHECK(script_in({"python", "-u", "src/train.py", "--config", "x.py"}) == "src/train.py");
  CHECK(script_in({"python", "-m", "my_pkg.train"}) == "my_pkg.train");
  CHECK(script_in({"python", "-m", "torch.distributed.run", "--nproc_per_node", "2", "train.py"}) ==
        "train.py");
  CHECK(script_in({"/opt/bin/train-it", "x"}) == "train-it");
  CHECK(script_in({"bash", "-c", "cd x && python 'train.py' --lr 1"}) == "train.py");
  CHECK(script_in({"/bin/sh", "-ec", "python -m pkg.train; rm x"}) == "pkg.train");
  CHECK(script_in({"bash", "-c", "make"}) == "bash");
}

TEST_CASE("wrap: what is said in the end is of the end that it was", "[unit][app][wrap]") {
  WrapRequest script;
  script.script = "train.py";
  WrapEnd saved = end_by(WrapReason::saver_called);
  saved.saver = "torch.save";
  CHECK(end_words(script, &saved, kGood, 2) == "train.py was stopped before torch.save wrote.\n");
  CHECK(
      end_words(script, nullptr, kFailed, 0) ==
      "train.py was not seen to import torch before it ended. The command exited with status 3.\n");
  CHECK(end_words(script, nullptr, kGood, 0) == "train.py was not seen to import torch.\n");
  CHECK(end_words(script, nullptr, kFailed, 0, nullptr, {}, "it runs in a container") ==
        "train.py ended, and nothing of it was measured: benchbench was not in it: it runs in a "
        "container. The command exited with status 3.\n");
  for (const auto& [saver, off] :
       {std::pair("torch.save", "Without its checkpoints it can be measured"),
        {"lightning.pytorch.trainer.trainer.Trainer.save_checkpoint",
         "checkpoints (Trainer(enable_checkpointing=False)) it"},
        {"pytorch_lightning.trainer.trainer.Trainer.save_checkpoint",
         "checkpoints (Trainer(enable_checkpointing=False)) it"},
        {"transformers.trainer.Trainer._save_checkpoint",
         "checkpoints (save_strategy=\"no\") it"}}) {
    WrapEnd early = end_by(WrapReason::saver_called);
    early.saver = saver;
    const WrapPlanned planned;
    CHECK(end_words(script, &early, kGood, 0, &planned).find(off) != std::string::npos);
  }
  WrapEnd failing = end_by(WrapReason::script_failed);
  failing.message = "KeyError: 7";
  CHECK(end_words(script, &failing, kFailed, 0).starts_with("train.py failed: KeyError: 7."));
  failing.saver = "torch.save";
  CHECK(end_words(script, &failing, kFailed, 0)
            .starts_with(
                "train.py was stopped before torch.save wrote, as KeyError: 7 had come up."));
  CHECK(end_words(script, &saved, kGood, 2, nullptr, 1) ==
        "rank 1 was stopped before torch.save wrote.\n");
  for (const WrapReason of_all : {WrapReason::answer, WrapReason::budget_over}) {
    const WrapEnd together = end_by(of_all);
    CHECK(end_words(script, &together, kGood, 2, nullptr, 1).starts_with("train.py was stopped"));
  }
  WrapEnd interrupted = end_by(WrapReason::script_failed);
  interrupted.message = "KeyboardInterrupt";
  CHECK(end_words(script, &interrupted, ChildEnd{0, 2}, 0, nullptr, 1) ==
        "rank 1 was interrupted. The command was killed by SIGINT (Interrupt).\n");
  WrapEnd caught = end_by(WrapReason::answer);
  caught.caught = true;
  CHECK(end_words(script, &caught, kGood, 2).find("train.py caught the exception") !=
        std::string::npos);
  WrapEnd unseen = end_by(WrapReason::script_ended, false);
  CHECK(end_words(script, &unseen, kGood, 0)
            .ends_with("can be measured as `loader.use: python` (docs/python.md).\n"));
  CHECK(end_words(script, &unseen, kFailed, 0) ==
        "train.py ended by itself. The command exited with status 3.\n");
  unseen.loaders.resize(2);
  unseen.loaders[0].name = "dl", unseen.loaders[0].where = "train.py:5",
  unseen.loaders[1].kind = "ThreadDataLoader";
  CHECK(end_words(script, &unseen, kGood, 0)
            .find("It had batches of dl (train.py:5), a ThreadDataLoader, with too few steps") !=
        std::string::npos);
  WrapEnd saved_unknown = end_by(WrapReason::saver_called);
  CHECK(end_words(script, &saved_unknown, kGood, 2) ==
        "train.py was stopped before it saved and wrote.\n");
}

TEST_CASE("wrap: steps without a DataLoader have a rate, which is an answer", "[unit][app][wrap]") {
  WrapRequest script;
  script.script = "train.py";
  WrapEnd end = end_by(WrapReason::no_loader, false);
  end.steps.timed = 200;
  end.steps.before = std::chrono::seconds{10}, end.steps.backward = std::chrono::seconds{6},
  end.steps.rest = std::chrono::seconds{4};
  end.steps.calls = {{"get_batch", "train.py:4"}};
  CHECK(knows_rate(end));
  const std::string text = end_words(script, &end, kGood, 0);
  CHECK(text ==
        "train.py was stopped: its steps get their batches without a DataLoader. It makes 10 "
        "steps/s (100 ms each, over 200 steps): 50 % of that passes before the backward, which is "
        "the batch and the forward, 30 % in the backward, 20 % after it, which is the optimizer. A "
        "function that makes its batches can be measured as `loader.use: python` "
        "(docs/python.md); its loop names these: get_batch (train.py:4).\n");
  end.steps.timed = kLeastSteps - 1;
  CHECK_FALSE(knows_rate(end));
  CHECK_FALSE(has(end_words(script, &end, kGood, 0), "steps/s"));
}

TEST_CASE(
    "wrap: of steps that fetch no more neither rate nor parts are said, and what was "
    "measured before stands",
    "[unit][app][wrap]") {
  WrapRequest script;
  script.script = "train.py";
  WrapEnd end = end_by(WrapReason::no_fetch);
  end.steps.timed = 3000, end.steps.last_fetch = 300, end.steps.since = 3000;
  end.steps.before = std::chrono::seconds{10};
  CHECK_FALSE(knows_rate(end));
  CHECK(exit_code_of(&end, kFailed, true, 0) == 0);
  CHECK(end_words(script, &end, kGood, 2) ==
        "train.py was stopped, as it trains on without its loader: no fetch since step 300, 3,000 "
        "steps since.\n");
  end.seen = false, end.steps.last_fetch = 0;  // a list of batches
  CHECK(knows_rate(end));
  CHECK(has(end_words(script, &end, kGood, 0), "It makes 300 steps/s"));
}

TEST_CASE("wrap: that there was no time is said only where there was none", "[unit][app][wrap]") {
  WrapRequest request;
  request.script = "train.py";
  WrapPlanned planned;
  planned.rounds = 5, planned.round = std::chrono::seconds{8},
  planned.loop.batch = std::chrono::milliseconds{20};
  for (const WrapReason reason :
       {WrapReason::internal, WrapReason::refused, WrapReason::script_failed, WrapReason::stopped,
        WrapReason::lost, WrapReason::answer}) {
    const WrapEnd end = end_by(reason);
    CHECK_FALSE(has(end_words(request, &end, kGood, 0, &planned), "time"));
  }
  for (const WrapReason reason :
       {WrapReason::script_ended, WrapReason::budget_over, WrapReason::saver_called}) {
    const WrapEnd end = end_by(reason);
    CHECK(
        has(end_words(request, &end, kGood, 0, &planned),
            "There was no time for one round, which takes about 8 s, or 400 steps of this loop."));
    CHECK_FALSE(has(end_words(request, &end, kGood, 1, &planned), "no time"));
  }
  const WrapEnd saved = end_by(WrapReason::saver_called), over = end_by(WrapReason::budget_over);
  CHECK(has(end_words(request, &saved, kGood, 0, &planned), "--keep-going"));
  CHECK(has(end_words(request, &over, kGood, 0, &planned), "A larger --budget"));
  planned.loop.batch = Nanoseconds{0};  // not known
  CHECK(end_words(request, &over, kGood, 0, &planned) ==
        "train.py was stopped at the end of its budget. There was no time for one round. A larger "
        "--budget has room for it.\n");
  // It was not steady: no budget ran.
  CHECK(end_words(request, &over, kGood, 0) == "train.py was stopped at the end of its budget.\n");
}

TEST_CASE("wrap: of a loop that was never steady it is said how many steps it had",
          "[unit][app][wrap]") {
  WrapRequest request;
  request.script = "train.py";
  WrapEnd end = end_by(WrapReason::script_ended);
  end.loaders.resize(2);
  end.loaders[0].served = 900;  // a validation
  end.loaders[1].served = 40, end.loaders[1].trains = true;
  CHECK(has(end_words(request, &end, kGood, 0),
            "train.py ended by itself. Its loop ended before it was steady, after 40 steps: "
            "measuring takes some seconds"));
  request.order.keep_going = true;
  CHECK(has(end_words(request, &end, kGood, 0), "There was no time for one stretch."));
}

TEST_CASE("wrap: an estimate is a whole one, with the most that it takes", "[unit][app][wrap]") {
  WrapPlanned planned;
  planned.rounds = 5, planned.expected = std::chrono::milliseconds{72'700},
  planned.ends_after = std::chrono::seconds{155};
  CHECK(has(planned_words({}, planned), "about 75 s, 3 min at most\n"));
  planned.ends_after = std::chrono::seconds{100};
  CHECK(has(planned_words({}, planned), "about 75 s, 100 s at most\n"));
  planned.ends_after = std::chrono::seconds{85};
  CHECK(has(planned_words({}, planned), "about 75 s\n"));
  planned.ends_after = planned.expected;
  CHECK(has(planned_words({}, planned), "about 75 s\n"));
}

TEST_CASE("wrap: rounds that end once the side is certain have a least and a most",
          "[unit][app][wrap]") {
  WrapPlanned planned;
  planned.kinds = "FTL", planned.rounds = 10, planned.until_settled = true;
  planned.round = std::chrono::seconds{12}, planned.expected = std::chrono::seconds{60};
  planned.ends_after = std::chrono::seconds{60};
  CHECK(has(planned_words({}, planned),
            "1 to 10 rounds of 3 stretches, about 10 s to 60 s, until the side is certain\n"));
  planned.ends_after = std::chrono::seconds{130};
  CHECK(has(planned_words({}, planned),
            "about 10 s to 60 s, until the side is certain\n"));  // lines count down from 60 s
  planned.expected = planned.round;
  CHECK(has(planned_words({}, planned), "about 10 s, until the side is certain\n"));
}

TEST_CASE("wrap: what is cut, and which loaders are left alone, is said", "[unit][app][wrap]") {
  WrapPlanned planned;
  CHECK_FALSE(has(planned_words({}, planned), ";"));
  planned.cut = true;
  planned.others = {"val_loader", ""};
  CHECK(has(planned_words({}, planned),
            "about 1 s; fewer or shorter ones than usual, as the budget has no room; left alone: "
            "val_loader, a loader without a name\n"));
  WrapRequest asked;
  asked.order.exact = true;
  CHECK(has(planned_words(asked, planned), "about 1 s; shorter ones than usual, as the budget"));
  planned.fewer = "the budget of 20 s has room for 1 of 3 rounds";
  CHECK(has(planned_words(asked, planned), "about 1 s; the budget of 20 s has room for 1 of 3 "));
  planned.fewer.clear();
  planned.why = "a batch takes more than a quarter of the memory that is free";
  CHECK_FALSE(has(planned_words({}, planned), "fewer or shorter"));
}

TEST_CASE("wrap: of another loop it is said when it ran", "[unit][app][wrap]") {
  WrapLoader loader;
  loader.name = "dl";
  CHECK(left_alone_words(7, loader, false) ==
        "benchbench: process 7 has a loop of its own at the same time (dl): it is left as it is, "
        "and not measured.\n");
  CHECK(left_alone_words(7, loader, true) ==
        "benchbench: process 7 has a loop of its own, after the one that is measured (dl): it is "
        "left as it is, and not measured.\n");
}

TEST_CASE("wrap: which interpreter it was is asked of one only", "[unit][app][wrap]") {
  CHECK(interpreter_words("/usr/bin/python3") ==
        "The interpreter was /usr/bin/python3: is it the one that has torch?\n");
  CHECK(interpreter_words("/opt/bin/train-it").empty());
}

TEST_CASE("wrap: what keeps torch from being patched is said", "[unit][app][wrap]") {
  WrapHello hello;
  CHECK(unpatched_words(hello).empty());
  hello.torch = "9.0.0", hello.failed = "AttributeError: _BaseDataLoaderIter";
  CHECK(unpatched_words(hello) ==
        "benchbench: not all that is watched of torch 9.0.0 could be patched (AttributeError: "
        "_BaseDataLoaderIter): loaders or steps of this script may not be seen\n");
}

TEST_CASE("wrap: what is watched only is not said to be untouched", "[unit][app][wrap]") {
  WrapRequest request;
  request.script = "train.py";
  request.order.keep_going = true;
  CHECK(start_words(request) ==
        "benchbench: train.py gets all of its batches and is not stopped: its loop is watched "
        "only. All that it does is real.\n");
}

TEST_CASE("wrap: --check speaks of the loader at which it stopped", "[unit][app][wrap]") {
  WrapRequest request;
  request.script = "train.py";
  WrapEnd end = end_by(WrapReason::checked);
  end.versions = "Python 3.11.2, torch 1.13.1";
  end.loaders.resize(1);
  end.loaders[0].name = "dl", end.loaders[0].where = "train.py:5";
  const std::string text = check_words(request, end);
  CHECK(has(text,
            "train.py: Python 3.11.2, torch 1.13.1\nThe first loader that it iterates:\n  dl "
            "(train.py:5)\nIt was stopped there"));
  CHECK(has(text, "DataLoader.__init__ and _get_iterator"));
  end.loaders.resize(2);
  end.loaders[1].kind = "ThreadDataLoader", end.loaders[1].samples = 640,
  end.loaders[1].own = {{"num_workers", std::int64_t{2}}};
  CHECK(
      has(check_words(request, end),
          "The loaders that it iterates, up to the last one:\n  dl (train.py:5)\n  a "
          "ThreadDataLoader\n    DataLoader(num_workers=2)\n    640 samples in an epoch\nIt was"));
}

TEST_CASE("wrap: that nothing was saved is said where no saver was called", "[unit][app][wrap]") {
  WrapEnd end = end_by(WrapReason::answer);
  const char* words = "after the last round, before it called torch.save or another saver";
  CHECK_FALSE(has(end_words({}, &end, kGood, 5), words));
  end.saves = 1;
  CHECK_FALSE(has(end_words({}, &end, kGood, 5), words));
  end.saves = 0;
  CHECK(has(end_words({}, &end, kGood, 5), words));
}

TEST_CASE("wrap: a killed script is said to be killed, by which signal", "[unit][app][wrap]") {
  WrapRequest request;
  request.script = "train.py";
  const WrapEnd end = end_by(WrapReason::lost);
  CHECK(end_words(request, &end, kKilled, 5) ==
        "train.py was killed by SIGKILL (Killed): out of memory, or killed by hand.\n");
  CHECK(end_words(request, &end, {137, 0}, 5) ==
        "train.py was killed by SIGKILL. The command exited with status 137.\n");
  CHECK(end_words(request, &end, {3, 0}, 5) ==
        "train.py ended without its exit handlers: it was killed, or called os._exit. The command "
        "exited with status 3.\n");
}

TEST_CASE("wrap: a hang has a code of its own, with an answer and without", "[unit][app][wrap]") {
  const WrapEnd end = end_by(WrapReason::hangs);
  for (const ChildEnd& script : {kGood, kKilled, kFailed})
    for (const bool answered : {true, false}) CHECK(exit_code_of(&end, script, answered, 0) == 74);
  CHECK(has(end_words({}, &end, kKilled, 0), "hung, and was ended.\n"));
}

TEST_CASE("wrap: one that had to be killed at its budget's end did not fail", "[unit][app][wrap]") {
  const WrapEnd end = end_by(WrapReason::budget_over);
  CHECK(exit_code_of(&end, kKilled, true, 0) == 0);
  CHECK(exit_code_of(&end, kKilled, false, 0) == 72);
}

TEST_CASE("wrap: before the start it is said where the script runs, and what of it stays",
          "[unit][app][wrap]") {
  WrapRequest request;
  request.script = "train.py";
  CHECK(start_words(request).find(
            "what train.py does until its loop is steady is real: files it writes there") !=
        std::string::npos);
  CHECK(has(start_words(request), "then it is stopped without its clean-up.\n"));
  CHECK_FALSE(has(start_words(request), "set for it"));
  WrapRequest asked = request;
  asked.order.by_exception = asked.gives_stdout_away = true;
  asked.environment = {"WANDB_MODE=offline", "HF_HUB_OFFLINE=1"};
  CHECK(start_words(asked).starts_with(
      "benchbench: set for it: WANDB_MODE=offline, HF_HUB_OFFLINE=1\n"
      "benchbench: standard output is for the report: "
      "what train.py prints there goes to standard error.\n"));
  CHECK(has(start_words(asked),
            "then it is stopped by an exception: its clean-up runs, and may save.\n"));
  const std::string copied = start_words(request, "/home/ann/work (2 MiB)");
  CHECK(copied.find("It runs in a copy of /home/ann/work (2 MiB), which is deleted afterwards. "
                    "What it does elsewhere") != std::string::npos);
  CHECK(std::count(copied.begin(), copied.end(), '\n') == 2);
  request.order.check = true;
  CHECK(start_words(request, "/w (1 B)")
            .find("in a copy of /w (1 B), which is deleted afterwards. "
                  "What it does before that is real elsewhere.") != std::string::npos);
}

WrapRequest requested(const std::vector<std::pair<std::string, std::string>>& options) {
  Arguments arguments;
  arguments.set_positional({"python", "train.py"});
  for (const auto& [name, value] : options) arguments.add(name, {value});
  return wrap_request(arguments);
}

TEST_CASE("wrap: what is asked for is what the options say", "[unit][app][wrap]") {
  const WrapOrder order = requested({}).order;
  CHECK(order.rounds == 5);
  CHECK(order.most_rounds == 10);
  CHECK(order.stretch == std::chrono::seconds{1});
  CHECK_FALSE(order.budget);  // what the rounds need
  CHECK(order.least == std::chrono::minutes{1});
  CHECK(order.most == std::chrono::minutes{5});
  CHECK_FALSE(order.by_exception);
  const WrapOrder other = requested({{"--rounds", "50"},
                                     {"--budget", "2min"},
                                     {"--skip-steps", "7"},
                                     {"--loader", "train"},
                                     {"--stop", "exception"}})
                              .order;
  CHECK(other.rounds == 50);
  CHECK(other.most_rounds == 0);
  CHECK(requested({{"--try", "num_workers=2"}}).order.most_rounds == 0);
  CHECK(requested({{"--tune", ""}}).order.most_rounds == 0);
  CHECK(other.budget == std::chrono::minutes{2});
  CHECK(other.skip_steps == 7);
  CHECK(other.loader == "train");
  CHECK(other.by_exception);
  // It makes as many stretches as it has time for.
  CHECK(requested({{"--keep-going", ""}}).order.least == Nanoseconds{0});
  const WrapRequest plain = requested({}),
                    all = requested(
                        {{"--out", "here"}, {"--trace", ""}, {"--copy-cwd", ""}, {"--json", "-"}});
  CHECK(plain.folder.empty());
  CHECK_FALSE((plain.traces || plain.copies || plain.gives_stdout_away));
  CHECK(all.folder == "here");
  CHECK((all.traces && all.copies && all.gives_stdout_away));
}

TEST_CASE("wrap: what cannot be is refused before anything starts", "[unit][app][wrap]") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(wrap_request({}), Contains("no command"));
  for (const char* number : {"0", "1001", "5x", ""})
    CHECK_THROWS_WITH(requested({{"--rounds", number}}),
                      Contains("expected a number from 1 to 1000"));
  for (const char* number : {"1", "1000"}) CHECK_NOTHROW(requested({{"--rounds", number}}));
  for (const char* time : {"0s", "soon"})
    CHECK_THROWS_WITH(requested({{"--budget", time}}),
                      Contains("--budget " + std::string(time) + ": expected"));
  CHECK_THROWS_WITH(requested({{"--stop", "gently"}}), Contains("expected hard or exception"));
  CHECK_THROWS_WITH(requested({{"--check", ""}, {"--keep-going", ""}}),
                    Contains("exclude each other"));
  CHECK_THROWS_WITH(requested({{"--copy-cwd", ""}, {"--keep-going", ""}}),
                    Contains("exclude each other"));
}

TEST_CASE("wrap: --offline sets what the libraries know, and nothing is set without it",
          "[unit][app][wrap]") {
  CHECK(requested({}).environment.empty());
  CHECK(requested({{"--offline", ""}}).environment ==
        std::vector<std::string>{"WANDB_MODE=offline", "HF_HUB_OFFLINE=1", "HF_DATASETS_OFFLINE=1",
                                 "TRANSFORMERS_OFFLINE=1"});
}

}  // namespace wrap_words_test
}  // namespace benchbench
