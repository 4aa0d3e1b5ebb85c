// Tests when a script's records are in their folder, and which ones.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/unit/app/standard_error.h"
#include "tests/unit/app/wrapped_script.h"

namespace benchbench::wrap_kept_test {

TEST_CASE("wrap: a stretch is in the folder as soon as it has come, and what is missing is known",
          "[unit][app][wrap]") {
  Wrapped w;
  w.keep();
  CHECK_FALSE(std::filesystem::exists(w.request.folder));
  w.keep(WrapKind::trainer);
  w.keep();
  const Journal killed = RunFolder::read(w.request.folder);
  REQUIRE(killed.records.size() == 1);
  CHECK(killed.records[0].trial.mode == Mode::trainer);
  CHECK(killed.records[0].series.size() > 0);
  CHECK(killed.plan.order.size() == 6);
}

TEST_CASE("wrap: what was measured before the training does not count", "[unit][app][wrap]") {
  Wrapped w(false);
  w.measures_round(0);
  w.keep();
  CHECK_FALSE(std::filesystem::exists(w.request.folder));
  w.plans(true);
  w.keep(WrapKind::full);
  CHECK(w.count_records() == 1);
  w.finish();
  CHECK(w.kept.records().size() == 1);
}

TEST_CASE("wrap: a loop that never trains is kept in the end", "[unit][app][wrap]") {
  Wrapped w(false);
  w.measures_round(0);
  CHECK(w.finish().records.size() == 3);
}

TEST_CASE("wrap: where F alone has room, each is a round", "[unit][app][wrap]") {
  Wrapped w;
  w.plans(true, [](WrapSteady& steady) { steady.loop.distinct = 0; });
  w.measures(WrapKind::full, 0);
  w.measures(WrapKind::full, 1);
  w.finish();
  CHECK(w.kept.rounds() == 2);
  CHECK(w.kept.plan().trials.size() == 1);
}

TEST_CASE("wrap: a round that is not complete is none, and the plan has one all the same",
          "[unit][app][wrap]") {
  Wrapped w;
  w.measures(WrapKind::full, 0);
  w.finish();
  CHECK(w.kept.rounds() == 0);
  CHECK(w.kept.plan().rounds == 1);
}

TEST_CASE("wrap: in the end the records are the same ones, with what was seen only then",
          "[unit][app][wrap]") {
  Wrapped w;
  w.measures_round(0);
  w.keep();
  w.measures(WrapKind::loader, 1);
  WrapEnd end;
  end.reason = WrapReason::saver_called;
  end.seen = true;
  end.served.epochs = 7;
  w.ends(end);
  const Journal journal = w.finish();
  CHECK(w.kept.folder() == w.request.folder);
  CHECK(w.kept.rounds() == 1);
  REQUIRE(journal.records.size() == 4);
  CHECK(journal.plan.order.size() == 4);
  CHECK(journal.records[1].facts.epochs.completed == 7);
  CHECK(journal.records[1].series.at(0).file.starts_with("series/1-"));
  CHECK(journal.records[3].planned.round == 1);
  // The series in the folder are not held, too.
  for (const TrialRecord& record : w.kept.records()) CHECK(record.raw_series.empty());
}

TEST_CASE("wrap: records of one second are in folders of their own", "[unit][app][wrap]") {
  const std::string parent = test::make_scratch_folder("state");
  const char* before = std::getenv("XDG_STATE_HOME");
  const std::optional<std::string> kept_before = before ? std::optional(before) : std::nullopt;
  ::setenv("XDG_STATE_HOME", parent.c_str(), 1);
  for (int i = 0; i < 3; ++i) {
    Wrapped w;
    w.request.folder.clear();
    w.measures_round(0);
    w.finish();
    CHECK(w.kept.folder().starts_with(parent + "/benchbench/wrap/train-"));
  }
  CHECK(std::distance(std::filesystem::directory_iterator(parent + "/benchbench/wrap"), {}) == 3);
  kept_before ? ::setenv("XDG_STATE_HOME", kept_before->c_str(), 1) : ::unsetenv("XDG_STATE_HOME");
  std::filesystem::remove_all(parent);
}

TEST_CASE("wrap: what cannot be written is said once, and loses nothing of what is reported",
          "[unit][app][wrap]") {
  Wrapped w;
  w.keep(WrapKind::trainer);
  std::filesystem::remove_all(w.request.folder + "/series");
  std::ofstream(w.request.folder + "/series") << "in the way";
  const std::string told = test::on_standard_error([&] {
    w.keep(WrapKind::full);
    w.keep(WrapKind::loader);
    CHECK(w.count_records() == 1);
    REQUIRE(w.kept.finish(w.run));
  });
  const std::string_view words = "error: the record was not written: ";
  CHECK(told.starts_with(words));
  CHECK(told.find(words, 1) == std::string::npos);
  CHECK(told.find("the measuring goes on\n") != std::string::npos);
  CHECK(told.ends_with("benchbench: of 3 records the first 1 can be read: benchbench report " +
                       w.request.folder + "\n"));
  CHECK(w.kept.folder().empty());
  CHECK(w.kept.records().size() == 3);
  CHECK(w.kept.rounds() == 1);
}

TEST_CASE("wrap: what could not be written for a while is written in the end",
          "[unit][app][wrap]") {
  Wrapped w;
  const std::filesystem::path parent = std::filesystem::path(w.request.folder).parent_path();
  std::filesystem::remove(parent);
  std::ofstream(parent.string()) << "in the way";
  w.measures_round(0);
  w.keep();
  std::filesystem::remove(parent);
  CHECK(w.finish().records.size() == 3);
  CHECK(w.kept.folder() == w.request.folder);
}

TEST_CASE("wrap: after a record that could not be written none is, until the end",
          "[unit][app][wrap]") {
  Wrapped w;
  w.keep(WrapKind::trainer);
  const std::string series = w.request.folder + "/series";
  std::filesystem::rename(series, series + ".away");
  std::ofstream(series) << "in the way";
  w.keep(WrapKind::full);
  std::filesystem::remove(series);
  std::filesystem::rename(series + ".away", series);
  w.keep(WrapKind::loader);
  // With more, one in the middle would be missing.
  CHECK(w.count_records() == 1);
  CHECK(w.finish().records.size() == 3);
  CHECK(w.kept.folder() == w.request.folder);
}

}  // namespace benchbench::wrap_kept_test
