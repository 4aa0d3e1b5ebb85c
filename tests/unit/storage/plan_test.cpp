// Which reads a request becomes.
#include <catch2/catch.hpp>

#include "scenarios/storage/read_plan.h"
#include "tests/unit/storage/scene.h"

namespace benchbench::test::storage {
namespace {

std::vector<SampleRef> plan_refs(std::initializer_list<SampleId> ids) {
  std::vector<SampleRef> refs;
  for (const SampleId id : ids) refs.push_back({id, 0});
  return refs;
}

TEST_CASE("read plan: neighbours share a request, up to its size, in the order of first need",
          "[unit][storage]") {
  Scene scene;
  const std::uint32_t file = scene.add_file(100'000), other = scene.add_file(10'000);
  // Samples 0..9, 100 bytes between them.
  for (std::uint64_t i = 0; i < 10; ++i) scene.add(file, i * 1000, 900);
  scene.add(other, 0, 900);      // 10
  scene.add(file, 60'000, 900);  // 11: too far from the others
  ReadPlan plan;
  plan.make(scene, plan_refs({11, 3, 10, 2, 4, 0}), 1 << 20);
  const auto requests = plan.requests();
  REQUIRE(requests.size() == 3);
  CHECK(requests[0].extent.offset == 60'000);
  CHECK(requests[0].samples == 1);
  CHECK(requests[1].extent.offset == 0);
  CHECK(requests[1].extent.length == 4900);
  CHECK(requests[1].samples == 4);
  CHECK(requests[1].first == 0);
  CHECK(requests[1].last == 4);
  CHECK(requests[2].extent.file == other);
  CHECK(plan.samples()[0].request == 0);
  CHECK(plan.samples()[1].request == 1);
  CHECK(plan.samples()[2].request == 2);
  CHECK(plan.samples()[5].request == 1);
  plan.make(scene, plan_refs({0, 1, 2, 3}), 1900);  // two fit
  CHECK(plan.requests().size() == 2);
  plan.make(scene, plan_refs({0, 1, 2, 3}), 0);
  CHECK(plan.requests().size() == 4);
  CHECK(plan.requests()[3].extent.length == 900);
}

TEST_CASE(
    "read plan: the same sample twice, overlaps, whole files and sizes at the edge of 64 bits",
    "[unit][storage]") {
  Scene scene;
  const std::uint32_t file = scene.add_file(100);
  scene.add(file, 0, 50);
  scene.add(file, 25, 50);
  scene.add(file, 10, Extent::kToTheEnd);
  scene.add(file, ~std::uint64_t{0} - 10, 5);
  ReadPlan plan;
  plan.make(scene, plan_refs({1, 0, 1, 0}), 1000);
  REQUIRE(plan.requests().size() == 1);
  CHECK(plan.requests()[0].extent.length == 75);
  CHECK(plan.requests()[0].samples == 4);
  plan.make(scene, plan_refs({2, 0, 2}), 1000);
  CHECK(plan.requests().size() == 3);  // how long a whole file is, nobody knows yet
  plan.make(scene, plan_refs({0, 3}), ~std::uint64_t{0});
  CHECK(plan.requests().size() == 2);
  plan.make(scene, {}, 1000);
  CHECK(plan.requests().empty());
}

}  // namespace
}  // namespace benchbench::test::storage
