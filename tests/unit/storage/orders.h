// Requests to read, and a meter that counts what was read for them.
#pragma once
#include <vector>

#include "harness/part/loader.h"
#include "harness/part/null_meter.h"

namespace benchbench::test::storage {

class CountingMeter final : public NullMeter {
 public:
  void payload(SampleId, std::span<const std::byte> stored) override {
    payload_bytes += stored.size();
  }
  void bytes_read(std::uint64_t bytes) override { read_bytes += bytes; }
  bool stages_wanted() const noexcept override { return true; }
  std::uint64_t payload_bytes = 0, read_bytes = 0;
};

struct Order {
  std::vector<SampleRef> refs;
  std::size_t first = 0;
  BatchNumber batch = 0;
  BatchRequest request() const {
    return {.epoch = 0, .batch = batch, .samples = refs, .rows = RowSpan({}, first, refs.size())};
  }
  BatchRequest one(std::size_t i) const {
    return {.epoch = 0,
            .batch = batch,
            .samples = std::span(refs).subspan(i, 1),
            .rows = RowSpan({}, first + i, 1)};
  }
};

inline Order order_of(BatchNumber batch, std::vector<SampleId> ids) {
  Order order{.refs = {}, .first = 0, .batch = batch};
  for (const SampleId id : ids) order.refs.push_back({id, 0});
  return order;
}

}  // namespace benchbench::test::storage
