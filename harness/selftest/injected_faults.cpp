#include "harness/selftest/injected_faults.h"
#include "harness/record/setting_keys.h"

#include <fmt/format.h>

#include <cmath>

namespace benchbench::selftest {
namespace {

// Sizes are for batches of 4 samples.
constexpr InjectedFault kFaults[] = {
    {"tiny_batch", "each batch has a higher fixed cost", Component::tiny_batch, Ground::loader,
     "loader.batch_time", 0.5},
    {"storage", "reading a sample takes longer", Component::storage, Ground::loader,
     "loader.read_time", 0.1},
    {"preprocessing", "decoding a sample takes longer", Component::decode, Ground::loader,
     "loader.sample_time", 0.2},
    {"copy", "more bytes are copied to the device", Component::copy, Ground::trainer,
     "trainer.copy_factor", 1, Dial::factor},
    {"compute", "the device takes longer per sample", Component::compute, Ground::trainer,
     "trainer.sample_time", 0.1},
    {"postprocess", "post-processing after each step takes longer", Component::postprocess,
     Ground::trainer, keys::trainer.postprocess.time, 0.25},
    {"lock", "workers share a lock in each batch", Component::lock, Ground::loader,
     "loader.lock_time", 0},
    {"straggler", "one worker is slower than the others", Component::straggler, Ground::loader,
     "loader.straggler", 1, Dial::factor},
    {"tail",
     "one sample in 32 takes far longer",
     Component::tail,
     Ground::loader,
     "loader.slow_sample_time",
     0,
     Dial::milliseconds,
     {"loader.slow_sample_every", "32"}},
    {"device_copy", "the link to the accelerator is slower", Component::copy, Ground::device,
     keys::trainer.emulated.pinned, 2e6, Dial::slowdown},
    {"device_compute", "the accelerator takes longer per sample", Component::compute,
     Ground::device, "trainer.sample_time", 0.1},
    {"launch", "launching a kernel takes longer", Component::launch, Ground::device,
     keys::trainer.emulated.launch_call, 0.01},
    {"sync",
     "the loss is read back after each step",
     Component::sync,
     Ground::device,
     keys::trainer.emulated.copy_call,
     0.01,
     Dial::milliseconds,
     {keys::trainer.log_every, "1"}},
};

std::string value_of(const InjectedFault& fault, double size) {
  const double value = fault.at_rest + size;
  if (fault.dial == Dial::slowdown) return fmt::format("{:.9g}B/s", fault.at_rest / (1 + size));
  if (fault.dial == Dial::factor) return fmt::format("{:.9g}", value);
  return fmt::format("{:.0f}ns", value * 1e6);
}

// 96 bytes a sample in batches of 4: what a copy of the ground counts. Mocks keep to absolute
// deadlines, so that a late wake-up does not add up, and sleeping leaves the cores to whoever else
// needs them: with both cores of a machine busy, steps of these grounds scattered by 1 % sleeping
// and by 6 % spinning the last part, which takes 0.8 of a core.
const Given kCommon{{keys::loader.use, "faulty"},
                    {keys::trainer.use, "timed"},
                    {keys::loader.num_workers, "2"},
                    {keys::loader.batch_size, "4"},
                    {keys::loader.dispatch, "round_robin"},
                    {"loader.samples", "4096"},
                    {"loader.height", "4"},
                    {"loader.width", "8"},
                    {"loader.fill", "none"},
                    {"loader.wait", "sleep"},
                    {"trainer.wait", "sleep"}};
// By Ground. On the device: 128 bytes a batch of 4, labels among them. A copy waits for the step
// before it: c + D = 1 ms, and the host is done after 0.21 ms.
const Given kOfGround[] = {{{"loader.read_time", "100us"},
                            {"loader.sample_time", "200us"},
                            {"loader.transform_time", "75us"},
                            {"loader.batch_time", "500us"},
                            {"trainer.sample_time", "50us"},
                            {"trainer.copy_bandwidth", "8MB/s"},
                            {keys::trainer.postprocess.every, "1"},
                            {keys::trainer.postprocess.time, "100us"}},
                           {{"loader.read_time", "30us"},
                            {"loader.sample_time", "85us"},
                            {"loader.batch_time", "140us"},
                            {"trainer.sample_time", "100us"},
                            {"trainer.step_time", "150us"},
                            {"trainer.copy_bandwidth", "2MB/s"},
                            {keys::trainer.postprocess.every, "1"},
                            {keys::trainer.postprocess.time, "250us"}},
                           {{keys::trainer.device, "emulated"},
                            {keys::loader.pin_memory, "true"},
                            {keys::trainer.non_blocking, "true"},
                            {"trainer.kernels", "20"},
                            {"trainer.step_time", "400us"},
                            {"trainer.sample_time", "100us"},
                            {keys::trainer.emulated.pinned, "2MB/s"},
                            {keys::trainer.emulated.copy_call, "10us"},
                            {keys::trainer.emulated.launch_call, "10us"},
                            {"loader.read_time", "10us"},
                            {"loader.sample_time", "20us"},
                            {"loader.batch_time", "40us"}}};

}  // namespace

std::string_view name_of(Ground ground) noexcept {
  constexpr std::string_view names[] = {"loader-bound", "trainer-bound", "device-bound"};
  return names[static_cast<std::size_t>(ground)];
}

Given ground_settings(Ground ground, double noise) {
  Given settings = with(kCommon, kOfGround[static_cast<std::size_t>(ground)]);
  if (noise > 0)
    for (const std::string side : {"loader.", "trainer."}) {
      settings.emplace_back(side + "distribution", "lognormal");
      settings.emplace_back(side + "spread", fmt::format("{:.6g}", noise));
    }
  return settings;
}

std::span<const InjectedFault> injected_faults() noexcept { return kFaults; }

const InjectedFault* find_fault(std::string_view name) noexcept {
  for (const InjectedFault& fault : kFaults)
    if (fault.name == name) return &fault;
  return nullptr;
}

Given fault_settings(const InjectedFault& fault, double size) {
  Given settings{{std::string(fault.key), value_of(fault, size)}};
  if (!fault.also.first.empty())
    settings.emplace_back(std::string(fault.also.first), std::string(fault.also.second));
  return settings;
}

}  // namespace benchbench::selftest
