// Kernels by their twins on the host: the calibration of the spin, sums, gathered rows,
// normalisation.
#include <cmath>
#include <numeric>

#include "harness/cuda/link_speed.h"
#include "tests/skip.h"
#include "tests/unit/cuda/scene.h"

namespace benchbench::test::cuda {
namespace kernels_test {

using namespace std::chrono_literals;

CudaOptions with_kernels() {
  CudaOptions options = stub_options();
  options.kernels = true;
  return options;
}

bool is_about(Nanoseconds time, Nanoseconds wanted) {
  return std::chrono::abs(time - wanted) <= 1us;
}

// On the device, from the event before so many kernels to the event behind them.
Nanoseconds time_of(Accelerator& gpu, const DeviceKernel& kernel, int kernels = 1) {
  const auto stream = gpu.make_stream();
  const auto from = gpu.make_event(), to = gpu.make_event();
  gpu.launch(*stream, {20ms, {}});  // until all of the below is queued
  gpu.record(*from, *stream);
  for (int i = 0; i < kernels; ++i) gpu.launch(*stream, kernel);
  gpu.record(*to, *stream);
  to->wait();
  return gpu.between(*from, *to);
}

bool takes(Accelerator& gpu, const DeviceKernel& kernel, Nanoseconds wanted) {
  return is_about(time_of(gpu, kernel), wanted);
}

TensorView view_of(std::byte* data, std::int64_t bytes) {
  TensorView view;
  view.spec.dtype = DType::uint8;
  view.rows = bytes;
  view.data = data;
  return view;
}

// Host bytes on the device and back.
struct Copied {
  Copied(Scene& of, std::size_t size)
      : scene(of),
        bytes(size),
        host(*of.device, size, Memory::pinned),
        there(*of.device, size, Memory::device) {}
  void up() { move(there.data, host.data, DeviceCopy::h2d); }
  void down() { move(host.data, there.data, DeviceCopy::d2h); }
  void move(std::byte* to, const std::byte* from, DeviceCopy way) {
    const auto stream = scene.gpu->make_stream();
    scene.gpu->copy(*stream, to, from, bytes, way, Memory::pinned);
    scene.gpu->synchronize(*stream);
  }
  Scene& scene;
  const std::size_t bytes;
  const Held host, there;
};

TEST_CASE("cuda kernels: a launch is busy for its time, whatever a launch costs", "[unit][cuda]") {
  Scene scene(on_virtual_clock({{"LAUNCH_NS", "7000"}}), with_kernels());
  CudaKernels& kernels = *scene.device->kernels();
  CHECK(kernels.timer() == kGlobalTimer);
  CHECK(std::abs(kernels.fit().slope - 1) < 1e-4);
  CHECK(std::abs(kernels.fit().kernel - 7000) < 10);
  CHECK(std::abs(kernels.fit().event - 1170) < 10);
  CHECK(kernels.fit().residual < 1e-3);
  CHECK(takes(*scene.gpu, {3ms, {}}, 3ms));
  CHECK(takes(*scene.gpu, {50us, {}}, 50us));
  CHECK(takes(*scene.gpu, {0ns, {}}, 8170ns));  // not less than a launch and an event
}

TEST_CASE("cuda kernels: many of them take as long together as one of that time", "[unit][cuda]") {
  Scene scene(on_virtual_clock(), with_kernels());
  for (const Nanoseconds time : {9ms, 90ms})
    for (const int kernels : {1, 8, 64, 400}) {
      CAPTURE(time.count(), kernels);
      const Nanoseconds taken = time_of(*scene.gpu, {.time = time / kernels}, kernels);
      CHECK(to_seconds(taken) == Approx(to_seconds(time)).epsilon(0.0005));
    }
}

TEST_CASE("cuda kernels: the clock is used where the global timer's steps are too long",
          "[unit][cuda]") {
  Scene scene(on_virtual_clock({{"TIMER_STEP_NS", "1000000"}}), with_kernels());
  CudaKernels& kernels = *scene.device->kernels();
  CHECK(kernels.timer() == kClockTimer);
  CHECK(kernels.note().starts_with("steps on cuda:0 are timed by its processors' clock"));
  REQUIRE(scene.device->notes().size() == 1);
  CHECK(scene.device->notes()[0] == kernels.note());
  CHECK(std::abs(kernels.fit().slope - 1 / 1.5) < 1e-4);
  CHECK(takes(*scene.gpu, {1234567ns, {}}, 1234567ns));
}

TEST_CASE(
    "cuda kernels: launches that are late as the device wakes do not cost it the global timer",
    "[unit][cuda]") {
  // The late launches are those of the first train, at least.
  Scene scene(on_virtual_clock({{"SLOW_SPINS", "20"}}), with_kernels());
  const CudaKernels& kernels = *scene.device->kernels();
  CHECK(kernels.timer() == kGlobalTimer);
  CHECK(kernels.fit().residual < 1e-3);
  CHECK(kernels.note() == "");
  CHECK(scene.device->notes().empty());
}

TEST_CASE("cuda kernels: what a calibration is made from can be had raw", "[unit][cuda]") {
  CudaOptions any = with_kernels();
  any.worst_deviation = INFINITY;  // as for a device whose calibration fails
  Scene scene(on_virtual_clock({{"TIMER_STEP_NS", "32"}, {"SPIN_JITTER", "0.05"}}), any);
  const CudaKernels& kernels = *scene.device->kernels();
  const std::vector<SpinTrain> trains = kernels.time_trains(kGlobalTimer);
  CHECK(trains.size() == 30);
  CHECK(trains.front().kernels == 1);
  CHECK(trains.back().kernels == 64);
  CHECK(to_seconds(trains.back().time) == Approx(64 * 27e-6).epsilon(0.01));
  CHECK(kernels.time_timer(3) == std::vector<std::uint64_t>{32, 32, 32});
}

TEST_CASE("cuda kernels: a device whose spins do not keep their time is refused", "[unit][cuda]") {
  const Refusal refusal =
      refused_device(on_virtual_clock({{"SPIN_JITTER", "0.05"}}), with_kernels());
  CHECK(refusal.kind == ErrorKind::device);
  CHECK(refusal.says("is to be busy for a given time on cuda:0 is not"));
  CHECK(refusal.says("of 1 % allowed"));
  CHECK(refusal.hints("another program"));
  CudaOptions lenient = with_kernels();
  lenient.worst_deviation = 0.2;
  CHECK(refused_device(on_virtual_clock({{"SPIN_JITTER", "0.05"}}), lenient).message == "");
}

TEST_CASE("cuda kernels: an image that the driver does not take, and none", "[unit][cuda]") {
  const Refusal old =
      refused_device({{"FAIL", "cuModuleLoadDataEx=222"}, {"DRIVER", "12040"}}, with_kernels());
  CHECK(old.kind == ErrorKind::device);
  CHECK(
      old.says("for Stub GPU (compute capability 9.0): CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)"));
  CHECK(old.says(": stub: cannot compile"));
  CHECK(old.hint ==
        "they were built by nvcc 13.0; the driver is of CUDA 12.4, and a newer one may load them");
  CHECK(refused_device({{"FAIL", "cuModuleLoadDataEx=700"}}, with_kernels()).says("broken"));
  CudaOptions none = with_kernels();
  none.image = KernelImage{};
  CHECK(refused_device({}, none).says("this build has no CUDA kernels"));
}

TEST_CASE("cuda kernels: a driver that does not take the machine code gets the PTX",
          "[unit][cuda]") {
  CudaOptions both = with_kernels();
  both.image->ptx = "any text";
  {
    Scene scene(on_virtual_clock({{"FAIL", "cuModuleLoadDataEx@1=222"}, {"DRIVER", "12040"}}),
                both);
    CHECK(alive("modules") == 1);
    CHECK(takes(*scene.gpu, {50us, {}}, 50us));
  }
  CHECK(alive("modules") == 0);
  CHECK(refused_device({{"FAIL", "cuModuleLoadDataEx=222"}}, both)
            .says("CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)"));
  // It is not tried again.
  CHECK(refused_device({{"FAIL", "cuModuleLoadDataEx@1=700"}}, both).says("broken"));
}

TEST_CASE("cuda kernels: without them a launch is refused", "[unit][cuda]") {
  Scene scene;
  const auto stream = scene.gpu->make_stream();
  CHECK(scene.device->kernels() == nullptr);
  const Refusal refusal = refusal_of([&] { scene.gpu->launch(*stream, {1ms, {}}); });
  CHECK(refusal.kind == ErrorKind::device);
  CHECK(refusal.says("without kernels"));
}

TEST_CASE("cuda kernels: the sum of all bytes of a range, however it is aligned", "[unit][cuda]") {
  Scene scene(on_virtual_clock(), with_kernels());
  Copied data(scene, 100'000), sum(scene, 4);
  std::uint32_t expected = 100;
  for (std::size_t i = 0; i < data.bytes; ++i)
    data.host.data[i] = static_cast<std::byte>(i * 31 >> 3);
  for (std::size_t i = 13; i < 99'990; ++i)
    expected += std::to_integer<std::uint32_t>(data.host.data[i]);
  data.up();
  const std::uint32_t before = 100;
  std::memcpy(sum.host.data, &before, 4);
  sum.up();
  const auto stream = scene.gpu->make_stream();
  scene.device->kernels()->touch(static_cast<Stream>(stream->native()), data.there.data + 13,
                                 99'990 - 13, sum.there.data);
  scene.gpu->synchronize(*stream);
  sum.down();
  std::uint32_t found = 0;
  std::memcpy(&found, sum.host.data, 4);
  CHECK(found == expected);
}

TEST_CASE("cuda kernels: a launch reads the views it is given, as many as they are",
          "[unit][cuda]") {
  Scene scene(on_virtual_clock(), with_kernels());
  const Held there(*scene.device, 60'000, Memory::device);
  std::vector<TensorView> views;
  for (int i = 0; i < 6; ++i) {
    views.push_back(view_of(there.data + 10'000 * i, 10'000));
    CAPTURE(views.size());
    const Nanoseconds time = time_of(*scene.gpu, {2ms, views});
    CHECK(time >= 2ms - 1us);
    CHECK(time <= 2ms + 10us);  // those beyond four are read by kernels of their own
  }
  CHECK(scene.gpu->calls().launches == 12);
}

TEST_CASE("cuda kernels: all bytes that a launch reads are added to the word it is given",
          "[unit][cuda]") {
  Scene scene(on_virtual_clock(), with_kernels());
  Copied data(scene, 6000), sum(scene, 4);
  std::uint32_t expected = 7;
  for (std::size_t i = 0; i < data.bytes; ++i) {
    data.host.data[i] = static_cast<std::byte>(i % 251);
    expected += static_cast<std::uint32_t>(i % 251);
  }
  data.up();
  const std::uint32_t before = 7;
  std::memcpy(sum.host.data, &before, 4);
  sum.up();
  std::vector<TensorView> views;
  for (int i = 0; i < 6; ++i) views.push_back(view_of(data.there.data + 1000 * i, 1000));
  const auto stream = scene.gpu->make_stream();
  scene.gpu->launch(*stream, {.reads = views, .sum = sum.there.data});
  scene.gpu->launch(*stream, {.reads = views});  // into none
  scene.gpu->synchronize(*stream);
  sum.down();
  std::uint32_t found = 0;
  std::memcpy(&found, sum.host.data, 4);
  CHECK(found == expected);
}

TEST_CASE("cuda kernels: a view beyond its memory breaks the context", "[unit][cuda]") {
  Scene scene(on_virtual_clock(), with_kernels());
  const Held there(*scene.device, 1000, Memory::device);
  const TensorView beyond = view_of(there.data, 1001);
  const auto stream = scene.gpu->make_stream();
  scene.gpu->launch(*stream, {10us, {&beyond, 1}});
  const Refusal refusal = refusal_of([&] { scene.gpu->synchronize(*stream); });
  CHECK(refusal.says("CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered"));
  CHECK(refusal.says("the CUDA context of this process is broken"));
}

// A table of `rows` rows of random bytes, and room for `batch` rows of it.
struct Table {
  Table(Scene& scene, std::int64_t rows, std::int64_t row_bytes, std::size_t batch)
      : all(scene, static_cast<std::size_t>(rows * row_bytes)),
        gathered(scene, batch * static_cast<std::size_t>(row_bytes)) {
    for (std::size_t i = 0; i < all.bytes; ++i)
      all.host.data[i] = static_cast<std::byte>((i + gathered.bytes) * 2654435761u >> 13);
    all.up();
    view.spec.row = {{row_bytes}, 1};
    view.rows = rows;
    view.data = all.there.data;
  }
  bool holds(std::size_t i, std::uint64_t id) const {
    const std::size_t bytes = view.spec.bytes_per_row();
    return std::memcmp(gathered.host.data + i * bytes, all.host.data + id * bytes, bytes) == 0;
  }
  Copied all, gathered;
  TensorView view;
};

// Their rows on the device and back, in one launch.
void gather(Scene& scene, std::vector<Table*> tables, const std::vector<std::uint64_t>& ids) {
  Copied there(scene, 8 * ids.size());
  std::memcpy(there.host.data, ids.data(), there.bytes);
  there.up();
  std::vector<TensorView> from;
  std::vector<std::byte*> to;
  for (const Table* table : tables)
    from.push_back(table->view), to.push_back(table->gathered.there.data);
  const auto stream = scene.gpu->make_stream();
  const std::uint64_t before = scene.gpu->calls().launches;
  scene.gpu->gather(*stream, {from, to, there.there.data, ids.size()});
  CHECK(scene.gpu->calls().launches == before + 1);
  scene.gpu->synchronize(*stream);
  for (Table* table : tables) table->gathered.down();
}

TEST_CASE("cuda kernels: rows of tables come to where they are gathered, by their ids",
          "[unit][cuda]") {
  Scene scene(on_virtual_clock(), with_kernels());
  const std::vector<std::uint64_t> ids = {8, 0, 3, 3, 7};
  Table odd(scene, 9, 5, ids.size()), numbers(scene, 9, 8, ids.size()),
      wide(scene, 9, 48, ids.size()), single(scene, 9, 1, ids.size());
  gather(scene, {&odd, &numbers, &wide, &single}, ids);
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (const Table* table : {&odd, &numbers, &wide, &single}) {
      CAPTURE(i, table->view.spec.bytes_per_row());
      CHECK(table->holds(i, ids[i]));
    }
}

TEST_CASE("cuda kernels: an id beyond its table breaks the context", "[unit][cuda]") {
  Scene scene(on_virtual_clock(), with_kernels());
  Table table(scene, 9, 48, 1);
  const Refusal refusal = refusal_of([&] { gather(scene, {&table}, {9}); });
  CHECK(refusal.kind == ErrorKind::part);
  CHECK(refusal.says("CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
  CHECK(refusal.says("the CUDA context of this process is broken"));
}

float from_half(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const float size = exponent == 0
                         ? std::ldexp(static_cast<float>(half & 1023), -24)
                         : std::ldexp(static_cast<float>((half & 1023) | 1024), exponent - 25);
  return half & 0x8000 ? -size : size;
}

TEST_CASE("cuda: images are normalised behind the seam as a step asks for it", "[unit][cuda]") {
  Scene scene(on_virtual_clock(), with_kernels());
  constexpr std::size_t kImages = 2, kHeight = 3, kWidth = 5, kPlane = kHeight * kWidth,
                        kElements = kImages * kPlane * 3;
  Copied from(scene, kElements), to(scene, kElements * 4);
  for (std::size_t i = 0; i < kElements; ++i) from.host.data[i] = static_cast<std::byte>(i * 41);
  from.up();
  const TensorView images{
      {.name = "image", .dtype = DType::uint8, .row = {{kHeight, kWidth, 3}, 3}, .ragged = false},
      kImages,
      from.there.data};
  const auto stream = scene.gpu->make_stream();
  const std::uint64_t before = scene.gpu->calls().launches;
  scene.gpu->normalize(*stream, {images, to.there.data, kImageNet});
  CHECK(scene.gpu->calls().launches == before + 1);
  scene.gpu->synchronize(*stream);
  to.down();
  double worst = 0;
  for (std::size_t i = 0; i < kElements; ++i) {
    const std::size_t c = i % 3, pixel = i / 3;
    float value = 0;
    std::memcpy(&value, to.host.data + 4 * ((pixel / kPlane * 3 + c) * kPlane + pixel % kPlane), 4);
    worst = std::max(worst, std::abs(value - (std::to_integer<int>(from.host.data[i]) / 255.0 -
                                              kImageNet.mean[c]) /
                                                 kImageNet.deviation[c]));
  }
  CHECK(worst < 1e-6);
}

TEST_CASE("cuda kernels: normalisation, to both types and both orders", "[unit][cuda]") {
  Scene scene(on_virtual_clock(), with_kernels());
  constexpr std::int64_t kImages = 3, kHeight = 5, kWidth = 7;
  for (const std::int64_t channels : {1, 3, 4})
    for (const DType type : {DType::float32, DType::float16})
      for (const bool first : {true, false}) {
        CAPTURE(channels, name_of(type), first);
        const auto elements = static_cast<std::size_t>(kImages * kHeight * kWidth * channels);
        Copied from(scene, elements), to(scene, elements * size_of(type));
        for (std::size_t i = 0; i < elements; ++i)
          from.host.data[i] = static_cast<std::byte>(i * 37);
        from.up();
        Normalization job;
        job.from = from.there.data, job.to = to.there.data, job.type = type,
        job.channels_first = first;
        job.images = kImages, job.height = kHeight, job.width = kWidth, job.channels = channels;
        job.mean = {0.485f, 0.456f, 0.406f, 0.5f}, job.deviation = {0.229f, 0.224f, 0.225f, 0.25f};
        const auto stream = scene.gpu->make_stream();
        scene.device->kernels()->normalize(static_cast<Stream>(stream->native()), job);
        scene.gpu->synchronize(*stream);
        to.down();
        double worst = 0;
        for (std::size_t i = 0; i < elements; ++i) {
          const std::size_t c = i % channels, pixel = i / channels, plane = kHeight * kWidth;
          const std::size_t at = first ? (pixel / plane * channels + c) * plane + pixel % plane : i;
          const double wanted =
              (std::to_integer<int>(from.host.data[i]) / 255.0 - job.mean[c]) / job.deviation[c];
          float single = 0;
          std::uint16_t half = 0;
          if (type == DType::float32)
            std::memcpy(&single, to.host.data + 4 * at, 4);
          else
            std::memcpy(&half, to.host.data + 2 * at, 2), single = from_half(half);
          worst = std::max(worst, std::abs(single - wanted));
        }
        // Half a unit of the last place of 2.6.
        CHECK(worst < (type == DType::float32 ? 1e-6 : 1.1e-3));
      }
}

TEST_CASE("cuda kernels: what cannot be normalised is refused", "[unit][cuda]") {
  Scene scene(on_virtual_clock(), with_kernels());
  const auto stream = scene.gpu->make_stream();
  Normalization job;
  job.channels = 5;
  const auto normalize = [&] {
    scene.device->kernels()->normalize(static_cast<Stream>(stream->native()), job);
  };
  CHECK(refusal_of(normalize).says("images of 5 channels"));
  job.channels = 3;
  job.type = DType::bfloat16;
  CHECK(refusal_of(normalize).says("do not normalise to bfloat16"));
}

constexpr const char* kNoKernels = "this build has no CUDA kernels";

TEST_CASE("cuda kernels: those of this build are a fatbin, or there are none", "[unit][cuda]") {
  const KernelImage image = built_in_kernels();
  CHECK(image.bytes.empty() == (image.toolkit == 0));
  CHECK(image.bytes.empty() == (image.ptx == nullptr));
  if (image.bytes.empty()) BENCHBENCH_SKIP(kNoKernels);
  CHECK_THAT(std::string(image.ptx), Catch::Contains("\n.version 7.0\n.target sm_75\n") &&
                                         Catch::Contains(".entry benchbench_gather(") &&
                                         Catch::Contains("benchbench_normalize_float16_last"));
  std::uint32_t magic = 0;
  std::memcpy(&magic, image.bytes.data(), 4);
  CHECK(magic == 0xBA55ED50u);
  CHECK(image.toolkit >= 11000);
}

// Returns how often `what` is in the text.
int count(std::string_view text, std::string_view what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST_CASE("cuda kernels: four reads of a thread that touches memory are under way at once",
          "[unit][cuda]") {
  const KernelImage image = built_in_kernels();
  if (image.bytes.empty()) BENCHBENCH_SKIP(kNoKernels);
  const std::string_view ptx = image.ptx;
  const auto name = GENERATE(as<std::string>{}, "touch", "busy");
  CAPTURE(name);
  const std::size_t begin = ptx.find(".entry benchbench_" + name + "(");
  REQUIRE(begin != ptx.npos);
  const std::string_view touch = ptx.substr(begin);
  const std::string_view body = touch.substr(0, touch.find("\n}"));
  CHECK(count(body, "ld.global.cs.v4") >= 5);  // and one at a time for what is left
  // None of them has the next one wait: the first is used behind the fourth.
  const std::string_view loop = body.substr(body.find("ld.global.cs.v4"));
  CHECK(count(loop.substr(0, loop.find("dp4a")), "ld.global.cs.v4") == 4);
}

TEST_CASE("cuda kernels: the machine code of those of this build is not compressed",
          "[unit][cuda]") {
  const KernelImage image = built_in_kernels();
  if (image.bytes.empty()) BENCHBENCH_SKIP(kNoKernels);
  const std::string_view bytes(reinterpret_cast<const char*>(image.bytes.data()),
                               image.bytes.size());
  CHECK(count(bytes,
              "\x7f"
              "ELF") >= 2);
  CHECK(count(bytes, "benchbench_touch") > 0);
}

SpinTrain make_train(std::uint64_t amount, std::uint32_t kernels) {
  return {amount, kernels, Nanoseconds{700 + kernels * (300 + 2 * amount)}};
}

TEST_CASE("spin fit: what an event takes, and what a kernel takes", "[unit][cuda]") {
  const SpinTrain plane[] = {make_train(100, 1), make_train(1000, 1), make_train(100, 8),
                             make_train(200, 64)};
  const SpinFit fit = fit_spin(plane);
  CHECK(fit.slope == Approx(2));
  CHECK(fit.kernel == Approx(300));
  CHECK(fit.event == Approx(700));
  CHECK(fit.residual < 1e-9);
  CHECK(fit.amount_for(5000ns, 1) == 2000);
  CHECK(fit.amount_for(5000ns, 0) == 2350);
  CHECK(fit.amount_for(5000ns, 3) == 1300);
  CHECK(fit.amount_for(1000ns, 1) == 0);
  CHECK(fit.amount_for(0ns, 0) == 0);
}

TEST_CASE("spin fit: the deviation from the plane, and what is none", "[unit][cuda]") {
  const auto residual = [](std::vector<SpinTrain> trains) { return fit_spin(trains).residual; };
  SpinTrain late = make_train(200, 1);
  late.time += 140ns;
  const double bent = residual({make_train(100, 1), late, make_train(1000, 1), make_train(100, 8)});
  CHECK(bent > 0.03);
  CHECK(bent < 0.1);
  CHECK(residual({{100, 1, 3000ns}, {200, 1, 2000ns}, {100, 8, 9000ns}}) == 1);
  CHECK(residual({make_train(100, 1), make_train(200, 1), make_train(300, 1)}) == 1);
  CHECK(residual({make_train(100, 1), make_train(100, 8), make_train(100, 64)}) == 1);
  CHECK(residual({{100, 1, 0ns}, make_train(200, 1), make_train(100, 8)}) == 1);
  CHECK(SpinFit{}.amount_for(5000ns, 0) == 0);
}

// Its clock is higher the longer the device is at work.
class RampingNvml final : public NvmlProbe {
 public:
  const std::string& absent() const noexcept override { return absent_; }
  const Read<std::string>& driver() const noexcept override { return driver_; }
  NvmlReading read(bool) const override {
    NvmlReading reading;
    reading.clock_mhz.value = std::min(1980u, 1900 + 10 * ++looks);
    const std::uint64_t calls = stub_calls();
    if (looks > 1) least_calls = std::min(least_calls, calls - last_calls_);
    last_calls_ = calls;
    return reading;
  }
  mutable unsigned looks = 0;
  mutable std::uint64_t least_calls = ~std::uint64_t{0};  // between two looks

 private:
  mutable std::uint64_t last_calls_ = 0;
  std::string absent_;
  Read<std::string> driver_;
};

TEST_CASE("cuda link: the clock is the highest while all processors read memory", "[unit][cuda]") {
  Scene scene({{"MEMORY", "83886080"}},
              with_kernels());  // room for 64 MiB and some: little to read
  RampingNvml nvml;
  CHECK(measure_link(*scene.device, nullptr, *scene.runtime).clock == 0);
  const LinkSpeeds speeds = measure_link(*scene.device, &nvml, *scene.runtime);
  CHECK(speeds.clock == 1e6 * std::min(1980u, 1900 + 10 * nvml.looks));  // the last look's
  CHECK(nvml.looks >= 2);
  CHECK(nvml.least_calls > 32);  // many kernels, not one that spins
}

}  // namespace kernels_test
}  // namespace benchbench::test::cuda
