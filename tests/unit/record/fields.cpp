// A member that is added to a struct of the record and forgotten in fields.h would be lost without
// a word: neither writer, reader nor column would know it. So members are counted from the struct
// itself.
#include "harness/record/fields.h"

#include <catch2/catch.hpp>
#include <utility>

namespace benchbench::fields_tests {

struct Anything {
  template <class T>
  operator T() const;  // never called: only asked whether it would do
};

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), Anything{})...}; };
}

// The most initialisers that an aggregate takes is its number of members.
template <class T, std::size_t N = 96>
constexpr std::size_t members() {
  if constexpr (N == 0 || takes<T>(std::make_index_sequence<N>{}))
    return N;
  else
    return members<T, N - 1>();
}

template <class T>
std::size_t visited() {
  T value;
  std::size_t count = 0;
  visit_fields(value, [&](std::string_view, auto&) { ++count; });
  return count;
}

// Members that a struct has more for being made of such structs, whose own members are stored flat.
template <class... Subjects>
constexpr std::size_t flattened() {
  return ((members<Subjects>() - 1) + ...);
}

TEST_CASE("fields: every member of every struct of the record is stored", "[unit][record]") {
  CHECK(visited<Reason>() == members<Reason>());
  CHECK(visited<StageTotal>() == members<StageTotal>());
  CHECK(visited<Distribution>() == members<Distribution>());
  CHECK(visited<FaultySample>() == members<FaultySample>());
  CHECK(visited<Facts>() ==
        members<Facts>() + flattened<StartFacts, WindowFacts, EpochFacts, WorkersFacts, CpuFacts,
                                     ByteFacts, AccountingFacts, ContentFacts, InstrumentFacts,
                                     PartFacts, CheckpointFacts, ShuffleFacts, ElementFacts>());
  CHECK(visited<ExternalFacts>() == members<ExternalFacts>());
  CHECK(visited<ExternalTime>() == members<ExternalTime>());
  CHECK(visited<ExternalWorker>() == members<ExternalWorker>());
  CHECK(visited<ExternalSameDraws>() == members<ExternalSameDraws>());
  CHECK(visited<ExternalMemory>() == members<ExternalMemory>());
  CHECK(visited<LoopTimes>() == members<LoopTimes>());
  CHECK(visited<WorkerTimes>() + 1 == members<WorkerTimes>());  // reads of the clock are not stored
  CHECK(visited<QueueFacts>() == members<QueueFacts>());
  CHECK(visited<ProbeFacts>() == members<ProbeFacts>());
  CHECK(visited<CacheFacts>() == members<CacheFacts>());
  CHECK(visited<StallFacts>() == members<StallFacts>());
  CHECK(visited<Stall>() == members<Stall>());
  CHECK(visited<Environment>() == members<Environment>());
  CHECK(visited<SeriesFile>() == members<SeriesFile>());
  CHECK(visited<PlannedRun>() == members<PlannedRun>());
  CHECK(visited<Trial>() == members<Trial>());
  CHECK(visited<TrialRecord>() + 1 == members<TrialRecord>());  // raw_series lies in series/
  CHECK(visited<AxisValue>() == members<AxisValue>());
  CHECK(visited<Axis>() + 1 == members<Axis>());          // who gave it is not stored
  CHECK(visited<Scenario>() + 1 == members<Scenario>());  // window_follows is not stored
  CHECK(visited<Point>() == members<Point>());
  CHECK(visited<ColumnNames>() == members<ColumnNames>());
  CHECK(visited<DatasetNeed>() == members<DatasetNeed>());
  CHECK(visited<Price>() == members<Price>());
  CHECK(visited<Plan>() == members<Plan>());
}

}  // namespace benchbench::fields_tests
