// What a child says of the machine's CUDA devices: lines of words between tabs. The first word
// marks them as ours, since others write to the same stream (the loader, allocators, the driver's
// own libraries); the second tells what the line is.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "harness/core/child_process.h"
#include "harness/core/error.h"
#include "harness/core/parse_number.h"
#include "harness/cuda/open/cuda_open.h"
#include "harness/part/child_probe.h"

namespace benchbench::cuda {
namespace {

constexpr std::string_view kMark = "benchbench-cuda",
                           kUnreadable =
                               "the answer of the child that asked the CUDA driver cannot be read";

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool take_device(const std::vector<std::string_view>& words, CudaSurvey& survey) {
  CudaFacts facts;
  if (words.size() != 6 || !read_number(words[1], facts.ordinal) ||
      !read_number(words[3], facts.memory) || !read_number(words[4], facts.capability))
    return false;
  if (facts.ordinal != static_cast<int>(survey.devices.size())) return false;
  facts.name = fmt::format("cuda:{}", facts.ordinal);
  facts.uuid = words[2];
  facts.model = words[5];
  survey.devices.push_back(std::move(facts));
  return true;
}

// False where a line of ours is not as it should be.
bool take_line(std::string_view line, CudaSurvey& survey) {
  auto words = split(line, '\t');
  if (words.size() < 2 || words[0] != kMark) return true;
  words.erase(words.begin());
  const std::string_view what = words[0];
  if (what == "device") return take_device(words, survey);
  if (what == "driver" && words.size() >= 2) {
    if (words.size() > 2) survey.driver = words[2];
    return read_number(words[1], survey.version);
  }
  if (words.size() != 2) return false;
  if (what == "why") survey.why = words[1];
  if (what == "kernels") survey.kernels = words[1] == "1";
  return what == "why" || what == "kernels";
}

CudaSurvey without(std::string why) {
  CudaSurvey survey;
  survey.why = std::move(why);
  return survey;
}

// A model's name comes from the driver.
std::string one_line(std::string text) {
  std::ranges::replace_if(text, [](unsigned char c) { return c < 0x20; }, ' ');
  return text;
}

}  // namespace

std::string text_of(const CudaSurvey& survey) {
  if (survey.devices.empty()) return fmt::format("{}\twhy\t{}\n", kMark, one_line(survey.why));
  std::string text = fmt::format("{0}\tdriver\t{1}\t{2}\n{0}\tkernels\t{3:d}\n", kMark,
                                 survey.version, survey.driver, survey.kernels);
  for (const CudaFacts& d : survey.devices)
    text += fmt::format("{}\tdevice\t{}\t{}\t{}\t{}\t{}\n", kMark, d.ordinal, d.uuid, d.memory,
                        d.capability, one_line(d.model));
  return text;
}

CudaSurvey survey_from(std::string_view text) {
  CudaSurvey survey;
  for (const std::string_view line : split(text, '\n'))
    if (!take_line(line, survey)) return without(std::string(kUnreadable));
  if (!survey.devices.empty() || !survey.why.empty()) return survey;
  const std::string_view first = text.substr(0, text.find('\n'));
  return without(first.empty() ? std::string(kUnreadable)
                               : fmt::format("{}: {}", kUnreadable, first));
}

CudaSurvey survey_here() {
  try {
    const CudaEntry& entry = cuda_entry();
    CudaSurvey survey;
    survey.devices = entry.survey(CudaOptions{});
    survey.version = survey.devices.front().driver_version;
    survey.kernels = !entry.kernels.bytes.empty();
    survey.driver =
        entry.make_probe(survey.devices.front().uuid, kNvmlLibrary)->driver().value.value_or("");
    return survey;
  } catch (const Error& error) {
    return without(std::string(error.message()));
  }
}

CudaSurvey survey_of_child() {
  static std::unique_ptr<StayingChild> child;
  child = std::make_unique<StayingChild>(
      std::vector<std::string>{kOwnProgram, "probe-module", "cuda-hold"}, kMark,
      std::chrono::seconds{60});
  const ChildAnswer answer = child->answer();
  CudaSurvey survey = survey_from(answer.words);
  if (survey.devices.empty()) child.reset();
  const bool said = !survey.devices.empty() || answer.words.find(kMark) != std::string::npos;
  return said || answer.why.empty() ? survey : without(answer.why);
}

void answer_and_hold() {
  const CudaSurvey survey = survey_here();
  std::vector<std::unique_ptr<NvmlProbe>> held;
  for (const CudaFacts& device : survey.devices)
    held.push_back(cuda_entry().make_probe(device.uuid, kNvmlLibrary));
  std::fputs(text_of(survey).c_str(), stderr);
  std::fflush(nullptr);
  ::close(STDERR_FILENO);
  char nothing;
  while (!survey.devices.empty() && ::read(STDIN_FILENO, &nothing, 1) > 0) {
  }
  std::_Exit(0);
}

std::string models_text(const CudaSurvey& survey) {
  std::vector<std::pair<std::string, int>> models;
  for (const CudaFacts& d : survey.devices) {
    const auto known = std::ranges::find(models, d.model, &std::pair<std::string, int>::first);
    if (known == models.end())
      models.emplace_back(d.model, 1);
    else
      ++known->second;
  }
  std::string text;
  for (const auto& [model, count] : models)
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count, model);
  return text;
}

std::string driver_text(const CudaSurvey& survey) {
  if (survey.devices.empty()) return fmt::format("no CUDA device: {}", survey.why);
  const std::string version =
      fmt::format("{}.{}", survey.version / 1000, survey.version % 1000 / 10);
  return survey.driver.empty() ? version : fmt::format("{}, driver {}", version, survey.driver);
}

}  // namespace benchbench::cuda
