// Hidden: loads one module or one library of parts of the user's own, or asks the CUDA driver for
// its devices, in a throw-away process, so that the asking one learns whether it can.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "harness/app/command.h"
#include "harness/core/error.h"
#include "harness/core/runtime.h"
#include "harness/cuda/open/cuda_open.h"
#include "harness/part/module.h"
#include "harness/part/own_library.h"

namespace benchbench {
namespace {

[[noreturn]] void say_and_end(const std::string& reason) {
  if (!reason.empty()) std::fprintf(stderr, "%s\n", reason.c_str());
  std::fflush(nullptr);
  std::_Exit(reason.empty() ? 0 : 1);
}

// Answers go where reasons go: the one stream that the asking process reads.
[[noreturn]] void answer_and_end(const std::string& why, const std::string& answer) {
  if (!why.empty()) say_and_end(why);
  std::fputs(answer.c_str(), stderr);
  say_and_end("");
}

[[noreturn]] void say_devices() {
  const cuda::CudaSurvey survey = cuda::survey_here();
  answer_and_end("", text_of(survey));
}

[[noreturn]] void say_link() {
  const auto runtime = make_real_runtime();
  const cuda::LinkSurvey link = cuda::link_here(*runtime);
  answer_and_end(link.why, text_of(link.speeds));
}

// Exits with 0 where NVML has a card.
[[noreturn]] void look_for_cards() try {
  const bool has_cards = !cuda::cuda_entry().list_cards(cuda::kNvmlLibrary).empty();
  say_and_end(has_cards ? "" : "NVML has no card");
} catch (const Error& e) {
  say_and_end(std::string(e.message()));
}

// Throws DeviceError with torch's words where it finds no CUDA device.
void require_devices_of_torch() {
  const auto reason = reinterpret_cast<const char* (*)()>(
      module_symbol("torch_cuda", "benchbench_torch_cuda_reason"));
  if (const std::string why = reason(); !why.empty()) throw DeviceError(why);
}

int run_probe_module(const Arguments& arguments) {
  if (arguments.positional().at(0) == "cuda-devices") say_devices();
  if (arguments.positional().at(0) == "cuda-hold") cuda::answer_and_hold();
  if (arguments.positional().at(0) == "cuda-link") say_link();
  if (arguments.positional().at(0) == "nvml") look_for_cards();
  try {
    const std::string& name = arguments.positional().at(0);
    if (is_library(name))
      library_parts(name);
    else
      module_rows(name);
    if (name == "torch_cuda") require_devices_of_torch();
  } catch (const Error& e) {
    say_and_end(e.hint().empty() ? std::string(e.message())
                                 : fmt::format("{}\n{}", e.message(), e.hint()));
  }
  say_and_end("");
}

}  // namespace

extern const Command probe_module_command{"probe-module",  "", "loads one module and exits",
                                          "NAME",          {}, "  benchbench probe-module torch\n",
                                          run_probe_module};

}  // namespace benchbench
