#include "harness/trial/external/device_elsewhere.h"

#include <catch2/catch.hpp>

namespace benchbench::device_elsewhere_test {

TEST_CASE("device elsewhere: its name, the host's memory, and a note where it was to be pinned",
          "[unit][trial]") {
  const auto device = make_device_elsewhere("cuda:1");
  CHECK(device->name() == "cuda:1");
  CHECK(device->accelerator() == nullptr);
  for (const Memory where : {Memory::host, Memory::pinned}) {
    CHECK(device->traits().notes.empty());
    std::byte* const data = device->allocate(100, where);
    REQUIRE(data);
    data[99] = std::byte{1};
    device->deallocate(data, 100, where);
  }
  CHECK(device->traits().notes.size() == 1);
  CHECK(device->traits().uuid.empty());
}

}  // namespace benchbench::device_elsewhere_test
