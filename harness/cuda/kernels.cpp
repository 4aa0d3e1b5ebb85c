#include "harness/cuda/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/error.h"
#include "harness/cuda/driver_error.h"

namespace benchbench::cuda {
namespace {

constexpr unsigned kBlock = 256;  // threads
// So many blocks fit at once with the registers that the kernels take. Each has four reads of 16
// bytes a thread under way, 80 KiB a processor, where an H200's memory needs 30 KiB.
constexpr unsigned blocks_per_processor(int capability) noexcept { return capability < 80 ? 4 : 5; }
// Kernels one behind the other tell what an event takes from what a kernel takes, which one kernel
// between two events does not.
struct TrainPlan {
  Nanoseconds each;
  std::uint32_t kernels;
};
constexpr TrainPlan kTrains[] = {{Nanoseconds{250'000}, 1},   {Nanoseconds{1'000'000}, 1},
                                 {Nanoseconds{4'000'000}, 1}, {Nanoseconds{250'000}, 8},
                                 {Nanoseconds{25'000}, 8},    {Nanoseconds{25'000}, 64}};
// Keeps the stream busy until what is timed is queued behind it: at once, and for each kernel.
constexpr Nanoseconds kLead{200'000}, kLeadOfKernel{20'000};
constexpr int kRepeats = 5;  // of each train; the median counts
// Busy for so long, a device leaves the low clocks that it rests at.
constexpr Nanoseconds kWaking{50'000'000};
constexpr int kTries = 3;             // of each timer
constexpr int kLeastCapability = 75;  // of the PTX

std::uint64_t address_of(const std::byte* data) noexcept {
  return reinterpret_cast<std::uintptr_t>(data);
}

// Roughly, for the spins to measure; the fit says exactly.
std::uint64_t ticks_for(Nanoseconds time, unsigned timer, int clock_khz) noexcept {
  if (timer == kGlobalTimer) return static_cast<std::uint64_t>(time.count());
  return static_cast<std::uint64_t>(static_cast<double>(time.count()) *
                                    (clock_khz > 0 ? clock_khz : 1'000'000) * 1e-6);
}

NormalizationParameter parameter_of(const Normalization& job) noexcept {
  NormalizationParameter p{address_of(job.from),
                           address_of(job.to),
                           0,
                           0,
                           static_cast<std::uint64_t>(job.channels),
                           {},
                           {}};
  p.plane = static_cast<std::uint64_t>(job.height) * static_cast<std::uint64_t>(job.width);
  p.pixels = p.plane * static_cast<std::uint64_t>(job.images);
  set_scale(job.mean, job.deviation, p.scale, p.shift);
  return p;
}

// Returns the threads of a kernel that reads 16 bytes at once.
std::uint64_t threads_for(std::uint64_t bytes) noexcept {
  return std::max<std::uint64_t>(bytes / 16, 2);
}

void require_normalizable(const Normalization& job) {
  if (job.channels < 1 || job.channels > static_cast<std::int64_t>(kMaxChannels))
    throw PartError(fmt::format("the CUDA kernels do not normalise images of {}",
                                counted(static_cast<std::uint64_t>(job.channels), "channel")),
                    fmt::format("1 to {} channels are possible", kMaxChannels));
  if (job.type != DType::float32 && job.type != DType::float16)
    throw PartError(fmt::format("the CUDA kernels do not normalise to {}", name_of(job.type)),
                    "float32 and float16 are possible");
}

// Returns the fit of each train's median.
SpinFit fit_medians(std::vector<SpinTrain> trains) {
  std::vector<SpinTrain> medians;
  for (auto first = trains.begin(); first != trains.end(); first += kRepeats) {
    std::ranges::nth_element(first, first + kRepeats / 2, first + kRepeats, {}, &SpinTrain::time);
    medians.push_back(first[kRepeats / 2]);
  }
  return fit_spin(medians);
}

}  // namespace

CudaKernels::CudaKernels(const Driver& driver, const CudaFacts& facts,
                         const PrimaryContext& context, const KernelImage& image, double worst)
    : driver_(driver), facts_(facts), context_(context) {
  load(image);
  sum_ = make_owned_memory(context_, sizeof(std::uint32_t));
  spin_ = find("benchbench_spin");
  touch_ = find("benchbench_touch");
  busy_ = find("benchbench_busy");
  gather_ = find("benchbench_gather");
  normalize_ = {
      find("benchbench_normalize_float32_first"), find("benchbench_normalize_float32_last"),
      find("benchbench_normalize_float16_first"), find("benchbench_normalize_float16_last")};
  launch_each_once();
  calibrate(worst);
}

void CudaKernels::load(const KernelImage& image) {
  if (image.bytes.empty())
    throw DeviceError("this build has no CUDA kernels",
                      "install the CUDA toolkit's nvcc, then configure and build again");
  char said[2048] = {};
  Result result = try_to_load(image.bytes.data(), said);
  if (result != kSuccess && image.ptx) result = try_to_load(image.ptx, said);
  if (result == kSuccess) return;
  throw DeviceError(
      fmt::format(
          "the driver does not load the CUDA kernels for {} (compute capability {}.{}): {}{}{}",
          facts_.model, facts_.capability / 10, facts_.capability % 10,
          error_text(driver_.call, result), said[0] ? ": " : "", said),
      hint_for(image.toolkit));
}

std::string CudaKernels::hint_for(int toolkit) const {
  return facts_.capability < kLeastCapability
             ? fmt::format("they need compute capability {}.{} or newer", kLeastCapability / 10,
                           kLeastCapability % 10)
             : fmt::format(
                   "they were built by nvcc {}; the driver is of CUDA {}, "
                   "and a newer one may load them",
                   version_text(toolkit), version_text(driver_.version));
}

// Throws where the context is of no use any more. `said`: of the driver's compiler.
Result CudaKernels::try_to_load(const void* image, std::span<char> said) {
  std::ranges::fill(said, '\0');
  int names[] = {kJitErrorText, kJitErrorTextBytes};
  void* values[] = {said.data(), reinterpret_cast<void*>(said.size() - 1)};
  Module module = nullptr;
  const Result result = driver_.call.module_load(&module, image, 2, names, values);
  if (result == kSuccess) module_ = OwnedModule(context_, module);
  if (breaks_context(result)) throw_driver_error(driver_.call, result, "cuModuleLoadDataEx");
  return result;
}

Function CudaKernels::find(const char* name) const {
  Function function = nullptr;
  check(driver_.call, driver_.call.module_function(&function, module_.get(), name),
        fmt::format("cuModuleGetFunction of {}", name));
  return function;
}

// As many threads as there is work for, and not more than keep the device busy: the kernels go on
// in steps of the grid.
void CudaKernels::launch_with(Function function, Stream stream, std::uint64_t threads,
                              void** parameters) const {
  const auto most = static_cast<std::uint64_t>(std::max(facts_.processors, 1)) *
                    blocks_per_processor(facts_.capability);
  const auto blocks =
      static_cast<unsigned>(std::clamp<std::uint64_t>((threads + kBlock - 1) / kBlock, 1, most));
  check(driver_.call,
        driver_.call.launch(function, blocks, 1, 1, threads > 1 ? kBlock : 1, 1, 1, 0, stream,
                            parameters, nullptr),
        "cuLaunchKernel");
}

void CudaKernels::launch_each_once() {
  const OwnedStream stream = make_owned_stream(context_);
  spin(stream.get(), 0, kGlobalTimer);
  touch_at(stream.get(), sum_.get(), 0, sum_.get());
  RangesParameter ranges{};
  std::uint64_t amount = 0, sum = sum_.get();
  unsigned timer = kGlobalTimer;
  launch(busy_, stream.get(), kBlock, amount, timer, ranges, sum);
  gather(stream.get(), {});
  NormalizationParameter nothing = parameter_of({});
  for (const Function function : normalize_) launch(function, stream.get(), kBlock, nothing);
  finish_stream(context_, stream);
}

void CudaKernels::spin(Stream stream, std::uint64_t amount, unsigned timer) const {
  launch(spin_, stream, 1, amount, timer);
}

void CudaKernels::touch_at(Stream stream, std::uint64_t data, std::uint64_t bytes,
                           std::uint64_t sum) const {
  launch(touch_, stream, threads_for(bytes), data, bytes, sum);
}

void CudaKernels::touch(Stream stream, const std::byte* data, std::size_t bytes, std::byte* sum) {
  touch_at(stream, address_of(data), bytes, address_of(sum));
}

// Views beyond what one kernel takes are read by kernels before it.
void CudaKernels::busy(Stream stream, const DeviceKernel& kernel, std::uint32_t events) {
  std::span<const TensorView> reads = kernel.reads;
  std::uint64_t amount = fit_.amount_for(kernel.time, events);
  std::uint64_t sum = kernel.sum ? address_of(kernel.sum) : sum_.get();
  if (reads.empty()) return spin(stream, amount, timer_);
  for (; reads.size() > kMaxRanges; reads = reads.subspan(1))
    touch_at(stream, address_of(reads[0].data), reads[0].bytes(), sum);
  RangesParameter ranges{};
  std::uint64_t most = 0;
  for (const TensorView& view : reads) {
    ranges.range[ranges.count++] = {address_of(view.data), view.bytes()};
    most = std::max<std::uint64_t>(most, view.bytes());
  }
  launch(busy_, stream, threads_for(most), amount, timer_, ranges, sum);
}

void CudaKernels::gather(Stream stream, const DeviceGather& job) {
  static_assert(kMaxRanges >= kMaxTensors);
  GatherParameter parameter{{}, job.from.size(), job.rows, address_of(job.ids)};
  std::uint64_t most = 0;
  for (std::size_t t = 0; t < job.from.size(); ++t) {
    const std::uint64_t row_bytes = job.from[t].spec.bytes_per_row();
    parameter.table[t] = {address_of(job.from[t].data), address_of(job.to[t]), row_bytes};
    most = std::max(most, job.rows * row_bytes);
  }
  launch(gather_, stream, threads_for(most), parameter);
}

void CudaKernels::normalize(Stream stream, const Normalization& job) {
  require_normalizable(job);
  NormalizationParameter parameter = parameter_of(job);
  const std::size_t which = (job.type == DType::float16 ? 2 : 0) + (job.channels_first ? 0 : 1);
  launch(normalize_[which], stream, std::max<std::uint64_t>(parameter.pixels, 2), parameter);
}

void CudaKernels::resize(Stream stream, const ResizeParameter& job, DType type) {
  ResizeParameter parameter = job;
  const auto side = static_cast<std::uint64_t>(job.size);
  launch(resize_[type == DType::float32], stream,
         std::max<std::uint64_t>(job.count * side * side, 2), parameter);
}

void CudaKernels::load_resize(Stream stream) {
  resize_ = {find("benchbench_resize_uint8"), find("benchbench_resize_float32")};
  for (const DType type : {DType::uint8, DType::float32}) resize(stream, {}, type);
}

// On an idle stream the event would be done at once, and the host's way from its call to the launch
// would be part of the time.
Nanoseconds CudaKernels::timed_train(Stream stream, Event from, Event to, const SpinTrain& train,
                                     unsigned timer) const {
  const DriverTable& call = driver_.call;
  spin(stream, ticks_for(kLead + kLeadOfKernel * train.kernels, timer, facts_.clock_khz), timer);
  check(call, call.event_record(from, stream), "cuEventRecord");
  for (std::uint32_t i = 0; i < train.kernels; ++i) spin(stream, train.amount, timer);
  check(call, call.event_record(to, stream), "cuEventRecord");
  check(call, call.stream_synchronize(stream), "cuStreamSynchronize");
  return time_between(call, from, to);
}

std::vector<SpinTrain> CudaKernels::time_trains(unsigned timer) const {
  const OwnedStream stream = make_owned_stream(context_);
  const OwnedEvent from = make_owned_event(context_, 0), to = make_owned_event(context_, 0);
  std::vector<SpinTrain> trains;
  for (const TrainPlan& plan : kTrains)
    for (int i = 0; i < kRepeats; ++i) {
      SpinTrain train{ticks_for(plan.each, timer, facts_.clock_khz), plan.kernels, {}};
      train.time = timed_train(stream.get(), from.get(), to.get(), train, timer);
      trains.push_back(train);
    }
  return trains;
}

std::vector<std::uint64_t> CudaKernels::time_timer(std::uint32_t changes) const {
  const DriverTable& call = driver_.call;
  std::vector<std::uint64_t> steps(changes);
  const std::size_t bytes = steps.size() * sizeof steps[0];
  const OwnedMemory owned = make_owned_memory(context_, bytes);
  const OwnedStream stream = make_owned_stream(context_);
  DevicePointer data = owned.get();
  launch(find("benchbench_timer_steps"), stream.get(), 1, data, changes);
  check(call, call.copy_to_host(steps.data(), data, bytes, stream.get()), "cuMemcpyDtoHAsync_v2");
  finish_stream(context_, stream);
  return steps;
}

void CudaKernels::wake() const {
  const OwnedStream stream = make_owned_stream(context_);
  spin(stream.get(), ticks_for(kWaking, kClockTimer, facts_.clock_khz), kClockTimer);
  finish_stream(context_, stream);
}

// The global timer first: it does not change with the processors' clock. On devices where its steps
// are too long, the clock. One launch that came late spoils a fit, but not the next one.
void CudaKernels::calibrate(double worst) {
  wake();
  double deviation[2] = {INFINITY, INFINITY};
  for (const unsigned timer : {kGlobalTimer, kClockTimer})
    for (int i = 0; i < kTries; ++i) {
      fit_ = fit_medians(time_trains(timer));
      timer_ = timer;
      deviation[timer] = std::min(deviation[timer], fit_.residual);
      if (fit_.residual > worst) continue;
      if (timer == kClockTimer)
        note_ = fmt::format(
            "steps on {} are timed by its processors' clock, whose changes they follow: with the "
            "global timer a kernel deviates by {:.2g} %, of {:.2g} % allowed",
            facts_.name, 100 * deviation[kGlobalTimer], 100 * worst);
      return;
    }
  throw DeviceError(
      fmt::format("a kernel that is to be busy for a given time on {} is not: it deviates by "
                  "{:.3g} % with the global timer "
                  "and by {:.3g} % with the clock, of {:.2g} % allowed",
                  facts_.name, 100 * deviation[0], 100 * deviation[1], 100 * worst),
      "another program uses the device, or its clock is being throttled: look at nvidia-smi");
}

}  // namespace benchbench::cuda
