// The index of an archive that somebody means harm with, under a right digest: refused, or its
// samples are within its shards' names.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "scenarios/formats/index_file.h"
#include "tests/fuzz/input_file.h"

namespace {

std::string number(std::uint64_t n) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(n >> 8 * i);
  return bytes;
}

// The input behind what it was made of, its magic and its digest.
std::string with_digest(std::string_view input) {
  const std::string body = number(7).append("made of").append(input);
  const benchbench::Digest digest = benchbench::digest_of(body);
  return "BBINDEX2" + number(digest.high) + number(digest.low) + body;
}

void read(const std::string& path) {
  using namespace benchbench;
  const auto index = read_index(path, "made of");
  if (!index) return;
  for (SampleId id = 0; id < index->table.size(); ++id)
    if (index->table.shard(id) >= index->shards.size() && !index->shards.empty()) std::abort();
  try {
    read_only_index(path, "made of");
  } catch (const ScenarioError&) {
    std::abort();  // one that the other reader took
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const benchbench::fuzz::InputFile input(".index");
  read(input.hold(data, size));
  const std::string file = with_digest({reinterpret_cast<const char*>(data), size});
  read(input.hold(reinterpret_cast<const std::uint8_t*>(file.data()), file.size()));
  return 0;
}
