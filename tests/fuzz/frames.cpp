// What a child says on its pipe, by somebody who means harm: frames come out the same however the
// bytes are cut, and each payload is understood or refused by an Error.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/process/data_pass_message.h"
#include "harness/process/frame.h"
#include "harness/process/supervisor.h"
#include "harness/record/trial_record.h"

namespace benchbench {
namespace {

struct Heard {
  std::vector<Frame> frames;
  bool refused = false;
};

Heard heard(std::string_view bytes, std::size_t piece) {
  Heard all;
  FrameReader reader;
  try {
    while (!bytes.empty()) {
      reader.feed(bytes.substr(0, piece));
      bytes.remove_prefix(std::min(piece, bytes.size()));
      while (auto frame = reader.next()) all.frames.push_back(std::move(*frame));
    }
  } catch (const PartError&) {
    all.refused = true;
  }
  return all;
}

void understand(const Frame& frame) try {
  if (frame.kind == "progress") progress_from(frame.payload);
  if (frame.kind == "planned") planned_from(frame.payload);
  if (frame.kind == "verified") data_pass_from(frame.payload);
  if (frame.kind == "record") record_from_json(frame.payload);
  if (frame.kind == "trial") trial_from_json(frame.payload);
} catch (const Error&) {
}

}  // namespace
}  // namespace benchbench

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace benchbench;
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Heard whole = heard(bytes, bytes.size() + 1), cut = heard(bytes, 1 + data[0] % 70);
  if (whole.frames.size() != cut.frames.size() || whole.refused != cut.refused) std::abort();
  for (std::size_t i = 0; i < whole.frames.size(); ++i) {
    if (whole.frames[i].kind != cut.frames[i].kind ||
        whole.frames[i].payload != cut.frames[i].payload)
      std::abort();
    understand(whole.frames[i]);
  }
  return 0;
}
