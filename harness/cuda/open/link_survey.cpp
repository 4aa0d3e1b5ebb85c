// What a child measured of the link to cuda:0: a name and bytes per second (or Hz) a line.
#include <fmt/format.h>

#include <algorithm>

#include "harness/core/child_process.h"
#include "harness/core/error.h"
#include "harness/core/parse_number.h"
#include "harness/cuda/open/cuda_open.h"
#include "harness/part/child_probe.h"

namespace benchbench::cuda {
namespace {

constexpr struct {
  std::string_view name;
  double LinkSpeeds::* speed;
} kSpeeds[] = {{"to_device", &LinkSpeeds::to_device},
               {"from_device", &LinkSpeeds::from_device},
               {"pageable_to_device", &LinkSpeeds::pageable_to_device},
               {"pageable_from_device", &LinkSpeeds::pageable_from_device},
               {"memory", &LinkSpeeds::memory},
               {"clock", &LinkSpeeds::clock}};

constexpr std::string_view kLinkMark = "benchbench-link ";  // others write to the same stream
constexpr Nanoseconds kPatience = std::chrono::seconds{60};

bool take_line(std::string_view line, LinkSpeeds& speeds) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return false;
  const std::string_view number = line.substr(space + 1);
  for (const auto& one : kSpeeds) {
    if (line.substr(0, space) != one.name) continue;
    return read_number(number, speeds.*one.speed) && speeds.*one.speed >= 0 &&
           speeds.*one.speed < 1e18;
  }
  return false;
}

// The link can be measured without kernels, too: where a spin is not as long as it should be, only
// what needs them is left out.
std::unique_ptr<CudaDevice> open_for_link(Runtime& runtime) try {
  return open_cuda_device("cuda:0", {}, runtime);
} catch (const DeviceError&) {
  CudaOptions without;
  without.kernels = false;
  return open_cuda_device("cuda:0", without, runtime);
}

}  // namespace

std::string text_of(const LinkSpeeds& speeds) {
  std::string text;
  for (const auto& one : kSpeeds)
    text += fmt::format("{}{} {:.6g}\n", kLinkMark, one.name, speeds.*one.speed);
  return text;
}

LinkSurvey link_from(std::string_view text) {
  LinkSurvey link;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.starts_with(kLinkMark) && !take_line(line.substr(kLinkMark.size()), link.speeds))
      return {"the answer of the child that measured the link cannot be read", {}};
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!(link.speeds.to_device > 0)) link.why = "the child that measured the link gave no rate";
  return link;
}

LinkSurvey link_here(Runtime& runtime) {
  try {
    const auto device = open_for_link(runtime);
    const auto probe = cuda_entry().make_probe(device->facts().uuid, kNvmlLibrary);
    return {"", cuda_entry().measure_link(*device, probe.get(), runtime)};
  } catch (const Error& error) {
    return {std::string(error.message()), {}};
  }
}

LinkSurvey link_of_child() {
  const ChildAnswer answer = answer_of_child({kOwnProgram, "probe-module", "cuda-link"}, kPatience);
  return answer.why.empty() ? link_from(answer.words) : LinkSurvey{answer.why, {}};
}

}  // namespace benchbench::cuda
