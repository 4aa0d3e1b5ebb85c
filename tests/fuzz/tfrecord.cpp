// The framing of TFRecord files and the Example in them, from any bytes.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "scenarios/formats/shards/tfrecord_example.h"
#include "scenarios/formats/shards/tfrecord_walk.h"

namespace {

void walk(std::span<const std::byte> data) {
  benchbench::MemoryBytes bytes(data);
  benchbench::SampleTable table;
  try {
    benchbench::tfrecord::walk_file(bytes, "fuzz.tfrecord", 0, table);
  } catch (const benchbench::ScenarioError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  walk(input);
  // A CRC keeps random bytes out: the same bytes once more as a record's data, framed rightly.
  const std::string framed = benchbench::tfrecord::head_of(size) +
                             std::string(reinterpret_cast<const char*>(data), size) +
                             benchbench::tfrecord::tail_of(benchbench::crc32c(input));
  walk(std::as_bytes(std::span(framed)));
  return 0;
}
