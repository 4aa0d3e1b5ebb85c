// Ranks that train together: they begin at one batch, and are not waited for without end. Pure.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/core/units.h"
#include "harness/part/wrapped.h"
#include "scenarios/python/message.h"

namespace benchbench::python_part {

inline constexpr Nanoseconds kNamedAfter = std::chrono::seconds{30};  // those that have not come

// One that is steady, and goes on until all are.
struct RankReady {
  std::uint32_t rank = 0, world = 0;
  std::string group;
  std::int64_t number = 0, batch_ns = 1, distinct = 64;
  Nanoseconds since{0};  // when it said so
};

RankReady ready_from(const Message& ready, Nanoseconds now);
// What all are told once they are there; nullopt: some are missing. `ready`: of one group.
std::optional<Json> agreed_on(const std::vector<RankReady>& ready);

// Since the first one was ready.
Nanoseconds waited(const std::vector<RankReady>& ready, Nanoseconds now);
// How long they wait for the missing ones.
Nanoseconds longest_wait(const WrapOrder& order);
// "rank 1 was not seen to fetch batches of a DataLoader in a steady loop, 30 s after rank 0; ...".
std::string missing_words(const std::vector<RankReady>& ready, Nanoseconds now);

}  // namespace benchbench::python_part
