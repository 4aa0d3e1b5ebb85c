#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/core/digest.h"
#include "tests/unit/core/jobs.h"
#include "tests/unit/mocks/bench.h"

namespace benchbench::cached_batch_test {

using test::DescribedSettings;
using test::RememberingMeter;
using test::samples_from;
using test::Slot;

const PartRow& row() { return *built_in_catalog().find(PartKind::loader, "cached_batch"); }

BatchSpec spec() {
  BatchSpec spec;
  spec.count = 2;
  spec.tensor[0].dtype = DType::float32;
  spec.tensor[0].row.rank = 1;
  spec.tensor[0].row.extent = {5};
  spec.tensor[1].dtype = DType::int64;
  return spec;
}

// A batch of four rows of noise.
struct Prototype {
  Prototype() : slot(spec(), 4) {
    Random random(9);
    for (auto& tensor : slot.memory)
      for (auto& byte : tensor) byte = static_cast<std::byte>(random.next());
    batch.spec = spec();
    batch.rows = 4;
    batch.data = {slot.memory[0].data(), slot.memory[1].data()};
  }
  Slot slot;
  PrototypeBatch batch;
};

std::unique_ptr<Loader> make(const PrototypeBatch* prototype) {
  const DescribedSettings settings(*row().description);
  return row().maker.loader({.settings = settings, .dataset = {}, .prototype = prototype});
}

TEST_CASE("cached_batch: every slot holds the prototype, byte for byte", "[unit][mocks]") {
  const Prototype prototype;
  const auto loader = make(&prototype.batch);
  CHECK(loader->spec() == spec());
  const auto runtime = make_real_runtime();
  const auto worker = loader->worker(0, *runtime);
  RememberingMeter meter;
  Slot slots[3] = {{spec(), 4}, {spec(), 4}, {spec(), 4}};
  for (Slot& slot : slots) {
    const auto refs = samples_from(100, 4);
    worker->fill({0, 0, refs, slot.rows(0, 4)}, meter);
    for (int t = 0; t < 2; ++t)
      CHECK(digest_of(slot.memory[t]) == digest_of(prototype.slot.memory[t]));
  }
}

TEST_CASE("cached_batch: a slot that comes again is handed over as it is, without a copy",
          "[unit][mocks]") {
  const Prototype prototype;
  const auto loader = make(&prototype.batch);
  const auto runtime = make_real_runtime();
  const auto worker = loader->worker(0, *runtime);
  RememberingMeter meter;
  Slot slot(spec(), 4);
  const auto refs = samples_from(0, 4);
  worker->fill({0, 0, refs, slot.rows(0, 4)}, meter);
  // These bytes show whether it is written again.
  std::fill(slot.memory[0].begin(), slot.memory[0].end(), std::byte{1});
  worker->fill({0, 1, refs, slot.rows(0, 4)}, meter);
  CHECK(slot.memory[0] == std::vector<std::byte>(slot.memory[0].size(), std::byte{1}));
}

TEST_CASE(
    "cached_batch: a short batch first and a whole one later in the same slot are both complete",
    "[unit][mocks]") {
  const Prototype prototype;
  const auto loader = make(&prototype.batch);
  const auto runtime = make_real_runtime();
  const auto worker = loader->worker(0, *runtime);
  RememberingMeter meter;
  Slot slot(spec(), 4);
  const auto refs = samples_from(0, 4);
  worker->fill({0, 0, std::span(refs).first(2), slot.rows(0, 2)}, meter);
  worker->fill({0, 1, refs, slot.rows(0, 4)}, meter);
  CHECK(slot.memory == prototype.slot.memory);
}

TEST_CASE("cached_batch: distinct batches come in turn, whatever a slot held", "[unit][mocks]") {
  Prototype prototype;
  prototype.batch.rows = 1, prototype.batch.batches = 4;  // its four rows, one a batch
  const auto loader = make(&prototype.batch);
  const auto runtime = make_real_runtime();
  const auto worker = loader->worker(0, *runtime);
  RememberingMeter meter;
  Slot slots[3] = {{spec(), 1}, {spec(), 1}, {spec(), 1}};
  const auto refs = samples_from(0, 1);
  for (std::uint64_t batch = 0; batch < 24; ++batch) {
    Slot& slot = slots[batch % 3];
    worker->fill({0, batch, refs, slot.rows(0, 1)}, meter);
    for (std::uint8_t t = 0; t < 2; ++t) {
      const std::size_t bytes = spec().tensor[t].bytes_per_row();
      const auto expected = std::span(prototype.slot.memory[t]).subspan(batch % 4 * bytes, bytes);
      CHECK(std::ranges::equal(slot.memory[t], expected));
    }
  }
}

TEST_CASE("cached_batch: workers that share a batch write their own rows of it", "[unit][mocks]") {
  const Prototype prototype;
  const auto loader = make(&prototype.batch);
  const auto runtime = make_real_runtime();
  const auto first = loader->worker(0, *runtime);
  const auto second = loader->worker(1, *runtime);
  RememberingMeter meter;
  Slot slot(spec(), 4);
  const auto refs = samples_from(0, 4);
  first->fill({0, 0, std::span(refs).first(3), slot.rows(0, 3)}, meter);
  second->fill({0, 0, std::span(refs).last(1), slot.rows(3, 1)}, meter);
  CHECK(slot.memory == prototype.slot.memory);
}

TEST_CASE("cached_batch: an epoch holds many batches, and without a prototype there is no loader",
          "[unit][mocks]") {
  const Prototype prototype;
  CHECK(make(&prototype.batch)->layout().samples == 4 * 1024);
  CHECK_THROWS_AS(make(nullptr), PartError);
}

}  // namespace benchbench::cached_batch_test
