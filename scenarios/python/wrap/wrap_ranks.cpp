#include "scenarios/python/wrap/wrap_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scenarios/python/answers.h"

namespace benchbench::python_part {
namespace {

constexpr std::int64_t kAheadNs = 500'000'000;  // for a message to reach all ranks
constexpr std::int64_t kAheadBatches = 8;

// "rank 3", "ranks 0, 2".
std::string ranks_text(const std::set<std::uint32_t>& ranks) {
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(ranks, ", "));
}

std::set<std::uint32_t> numbers(const std::vector<RankReady>& ready) {
  std::set<std::uint32_t> ranks;
  for (const RankReady& each : ready) ranks.insert(each.rank);
  return ranks;
}

std::set<std::uint32_t> missing(const std::vector<RankReady>& ready) {
  const auto there = numbers(ready);
  std::set<std::uint32_t> absent;
  for (std::uint32_t rank = 0; rank < ready.front().world; ++rank)
    if (!there.contains(rank)) absent.insert(rank);
  return absent;
}

}  // namespace

RankReady ready_from(const Message& message, Nanoseconds now) {
  return read_from(message, [&](const Json& body) {
    return RankReady{whole<std::uint32_t>(body.at("rank")),
                     whole<std::uint32_t>(body.at("world")),
                     text_in(body, "group"),
                     whole<std::int64_t>(body.at("number")),
                     whole<std::int64_t>(body.at("batch_ns")),
                     whole<std::int64_t>(body.at("distinct")),
                     now};
  });
}

// None of them has reached that batch when it hears of it, and all count alike from there.
std::optional<Json> agreed_on(const std::vector<RankReady>& ready) {
  if (ready.size() < ready.front().world) return std::nullopt;
  std::int64_t slowest = 1, last = 0, distinct = 64;
  for (const RankReady& each : ready) {
    slowest = std::max(slowest, each.batch_ns);
    last = std::max(last, each.number);
    distinct = std::min(distinct, each.distinct);
  }
  return Json{{"type", "agreed"},
              {"start", last + std::max(kAheadBatches, kAheadNs / slowest)},
              {"batch_ns", slowest},
              {"distinct", distinct}};
}

Nanoseconds waited(const std::vector<RankReady>& ready, Nanoseconds now) {
  return now - std::ranges::min(ready, {}, &RankReady::since).since;
}

Nanoseconds longest_wait(const WrapOrder& order) {
  return std::max(kNamedAfter, order.budget.value_or(order.most));
}

std::string missing_words(const std::vector<RankReady>& ready, Nanoseconds now) {
  const auto absent = missing(ready);
  if (absent.empty())
    return fmt::format("the {} ranks did not come to the batch at which they were to begin",
                       ready.front().world);
  return fmt::format(
      "{} {} not seen to fetch batches of a DataLoader in a steady loop, {:.0f} s after {}; ranks "
      "are measured together",
      ranks_text(absent), absent.size() == 1 ? "was" : "were", Seconds(waited(ready, now)).count(),
      ranks_text(numbers(ready)));
}

}  // namespace benchbench::python_part
