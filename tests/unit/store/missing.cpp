// Run folders of which lines, series or entries are missing, damaged or replaced.
#include <catch2/catch.hpp>

#include "tests/unit/store/folder.h"

namespace benchbench::store_tests {
namespace {

// A run of four records with series, whose journal then has the first `lines` lines.
std::string run_cut_to(const std::string& path, std::size_t lines) {
  RunFolder folder = RunFolder::create(path, plan_of(), environment());
  for (int i = 0; i < 4; ++i) {
    TrialRecord record = record_of(i % 2);
    record.raw_series["step"] = {5, 6};
    folder.append(record);
  }
  const std::string whole = bytes_of(path + "/journal.jsonl");
  std::size_t end = 0;
  for (std::size_t i = 0; i < lines; ++i) end = whole.find('\n', end) + 1;
  std::filesystem::resize_file(path + "/journal.jsonl", end);
  return path;
}

}  // namespace

TEST_CASE(
    "run folder: whole lines that are missing at the "
    "journal's end are noted where series of theirs are left",
    "[unit][store]") {
  const TemporaryFolder temporary;
  const Journal emptied = RunFolder::read(run_cut_to(temporary / "emptied", 0));
  CHECK(emptied.records.empty());
  REQUIRE(emptied.notes.size() == 1);
  CHECK(
      emptied.notes[0].starts_with("journal.jsonl has no record, but series/ has some of record 4: "
                                   "lines are missing at its end, removed,"));
  Journal resumed;
  RunFolder::resume(run_cut_to(temporary / "cut", 2), resumed);
  REQUIRE(resumed.notes.size() == 1);
  CHECK(resumed.notes[0].starts_with(
      "journal.jsonl ends after record 2, but series/ has some of record 4: lines are missing"));
  CHECK(RunFolder::read(temporary / "cut").notes.empty());  // it has gone on from there
  CHECK(RunFolder::read(run_cut_to(temporary / "whole", 4)).notes.empty());
  // The last record's line may have been what a killed run was about to write.
  CHECK(RunFolder::read(run_cut_to(temporary / "begun", 3)).notes.empty());
}

TEST_CASE("run folder: series that are missing are noted, the records are read", "[unit][store]") {
  const TemporaryFolder temporary;
  const std::string path = run_cut_to(temporary / "run", 4);
  std::filesystem::remove(path + "/series/1-step.bin");
  const Journal one = RunFolder::read(path);
  CHECK(one.records.size() == 4);
  REQUIRE(one.notes.size() == 1);
  CHECK(
      one.notes[0].starts_with("1 of the 4 files that series/ should have is missing: rates are "
                               "complete, but results.h5 and pictures of steps need it"));
  std::filesystem::remove_all(path + "/series");
  REQUIRE(RunFolder::read(path).notes.size() == 1);
  CHECK(RunFolder::read(path).notes[0].starts_with(
      "4 of the 4 files that series/ should have are missing"));
}

TEST_CASE("run folder: a damaged line says what to do with the lines before it", "[unit][store]") {
  const TemporaryFolder temporary;
  const auto hint_at = [&](std::size_t line) {
    const std::string path = run_cut_to(temporary / std::to_string(line), 4);
    std::string text = bytes_of(path + "/journal.jsonl");
    std::size_t at = 0;
    for (std::size_t i = 1; i < line; ++i) at = text.find('\n', at) + 1;
    text[at + 3] ^= 1;
    put(path + "/journal.jsonl", text);
    try {
      RunFolder::read(path);
    } catch (const StoreError& e) {
      return std::string(e.hint());
    }
    return std::string("read");
  };
  CHECK(hint_at(1) == "the file was modified or the disk is failing");
  CHECK(hint_at(2) ==
        "the file was modified or the disk is failing; the lines before it are intact: keep a "
        "copy, leave its first line in place "
        "(head -n 1), and `run --resume` measures the others again");
  CHECK(hint_at(4).find("leave its first 3 lines in place (head -n 3)") != std::string::npos);
}

TEST_CASE("run folder: what is replaced by fewer records leaves no series of others",
          "[unit][store]") {
  const TemporaryFolder temporary;
  Journal journal;
  RunFolder folder = RunFolder::resume(run_cut_to(temporary / "run", 4), journal);
  put(temporary / "run/series/2026-notes.txt", "a user's");
  put(temporary / "run/series/2026-a note.bin", "a user's");
  folder.replace(journal.plan, std::span(journal.records).first(1));
  CHECK(std::filesystem::exists(temporary / "run/series/2026-notes.txt"));
  CHECK(std::filesystem::exists(temporary / "run/series/2026-a note.bin"));
  CHECK(std::filesystem::exists(temporary / "run/series/0-step.bin"));
  CHECK(!std::filesystem::exists(temporary / "run/series/1-step.bin"));
  CHECK(RunFolder::read(temporary / "run").notes.empty());
}

TEST_CASE("run folder: one whose entries cannot be looked at is not called one without a run",
          "[unit][store]") {
  const TemporaryFolder temporary;
  std::filesystem::create_directory(temporary / "run");
  std::filesystem::create_symlink("plan.json", temporary / "run/plan.json");
  CHECK_THROWS_MATCHES(
      RunFolder::read(temporary / "run"), StoreError,
      Catch::Matchers::Message(temporary / "run/plan.json" +
                               ": cannot look at it: Too many levels of symbolic links"));
}

}  // namespace benchbench::store_tests
