// What a child says of the machine's CUDA devices: lines of words between tabs, the first of each tells what it is.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "harness/core/child_process.h"
#include "harness/core/error.h"
#include "harness/cuda/open/cuda_open.h"
#include "harness/part/child_probe.h"

namespace benchbench::cuda {
namespace {

constexpr std::string_view kUnreadable = "the answer of the child that asked the CUDA driver cannot be read";

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

template <class Number>
bool take(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

bool take_device(const std::vector<std::string_view>& words, CudaSurvey& survey) {
  CudaFacts facts;
  if (words.size() != 6 || !take(words[1], facts.ordinal) || !take(words[3], facts.memory) || !take(words[4], facts.capability)) return false;
  if (facts.ordinal != static_cast<int>(survey.devices.size())) return false;
  facts.name = fmt::format("cuda:{}", facts.ordinal);
  facts.uuid = words[2];
  facts.model = words[5];
  survey.devices.push_back(std::move(facts));
  return true;
}

bool take_line(std::string_view line, CudaSurvey& survey) {
  const auto words = split(line, '\t');
  if (words.empty()) return true;
  if (words[0] == "device") return take_device(words, survey);
  if (words[0] == "driver" && words.size() >= 2) {
    if (words.size() > 2) survey.driver = words[2];
    return take(words[1], survey.version);
  }
  if (words[0] == "kernels" && words.size() == 2) {
    survey.kernels = words[1] == "1";
    return true;
  }
  return false;
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
  std::string text = fmt::format("driver\t{}\t{}\nkernels\t{:d}\n", survey.version, survey.driver, survey.kernels);
  for (const CudaFacts& d : survey.devices)
    text += fmt::format("device\t{}\t{}\t{}\t{}\t{}\n", d.ordinal, d.uuid, d.memory, d.capability, one_line(d.model));
  return text;
}

CudaSurvey survey_from(std::string_view text) {
  CudaSurvey survey;
  for (const std::string_view line : split(text, '\n'))
    if (!take_line(line, survey)) return without(std::string(kUnreadable));
  return survey.devices.empty() ? without(std::string(kUnreadable)) : survey;
}

CudaSurvey survey_here() {
  try {
    const CudaEntry& entry = cuda_entry();
    CudaSurvey survey;
    survey.devices = entry.survey(CudaOptions{});
    survey.version = survey.devices.front().driver_version;
    survey.kernels = !entry.kernels.bytes.empty();
    survey.driver = entry.make_probe(survey.devices.front().uuid, kNvmlLibrary)->driver().value.value_or("");
    return survey;
  } catch (const Error& error) {
    return without(std::string(error.message()));
  }
}

CudaSurvey survey_of_child() {
  const ChildAnswer answer = answer_of_child({kOwnProgram, "probe-module", "cuda-devices"}, std::chrono::seconds{30});
  if (!answer.why.empty()) return without(answer.why);
  return survey_from(answer.words);
}

std::string models_text(const CudaSurvey& survey) {
  std::vector<std::pair<std::string, int>> models;
  for (const CudaFacts& d : survey.devices) {
    const auto known = std::ranges::find(models, d.model, &std::pair<std::string, int>::first);
    if (known == models.end()) models.emplace_back(d.model, 1);
    else ++known->second;
  }
  std::string text;
  for (const auto& [model, count] : models) text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count, model);
  return text;
}

std::string driver_text(const CudaSurvey& survey) {
  if (survey.devices.empty()) return fmt::format("no CUDA device: {}", survey.why);
  const std::string version = fmt::format("{}.{}", survey.version / 1000, survey.version % 1000 / 10);
  return survey.driver.empty() ? version : fmt::format("{}, driver {}", version, survey.driver);
}

}  // namespace benchbench::cuda
