#include "tests/gpu/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "harness/core/runtime.h"

namespace benchbench::gpu_figures {
namespace {

constexpr std::size_t kBatch = 38'535'168;  // 64 x 224 x 224 x 3 float32
constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kRows = 64, kGathers = 4;
constexpr int kBackToBack = 16, kCalls = 200;

class Bytes {
 public:
  Bytes(CudaDevice& device, std::size_t size, Memory where)
      : device_(device), size_(size), where_(where), data(device.allocate(size, where)) {}
  ~Bytes() { device_.deallocate(data, size_, where_); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

 private:
  CudaDevice& device_;
  const std::size_t size_;
  const Memory where_;

 public:
  std::byte* const data;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Seconds by events round `work`, which puts its work on the stream; the stream is kept busy until
// all of it is queued.
double by_events(Accelerator& on, DeviceStream& stream, const std::function<void()>& work) {
  const auto from = on.make_event(), to = on.make_event();
  on.launch(stream, {.time = std::chrono::milliseconds{1}});
  on.record(*from, stream);
  work();
  on.record(*to, stream);
  on.synchronize(stream);
  return to_seconds(on.between(*from, *to));
}

double seconds_of(Runtime& runtime, const std::function<void()>& work) {
  const TimePoint begin = runtime.now();
  work();
  return to_seconds(runtime.now() - begin);
}

double call_time(CudaDevice& device, Runtime& runtime, Memory where) {
  Accelerator& on = *device.accelerator();
  const Bytes host(device, kMiB, where), there(device, kMiB, Memory::device);
  const auto stream = on.make_stream();
  std::vector<double> times;
  for (int i = 0; i < kCalls; ++i) {
    times.push_back(seconds_of(
        runtime, [&] { on.copy(*stream, there.data, host.data, kMiB, DeviceCopy::h2d, where); }));
    on.synchronize(*stream);
  }
  return median(std::move(times));
}

double copy_seconds(CudaDevice& device, std::size_t bytes) {
  Accelerator& on = *device.accelerator();
  const auto stream = on.make_stream();
  const Bytes host(device, bytes, Memory::pinned), there(device, bytes, Memory::device);
  return by_events(on, *stream, [&] {
    on.copy(*stream, there.data, host.data, bytes, DeviceCopy::h2d, Memory::pinned);
  });
}

// So many kernels that are to take `ms` together: their deviation from it.
Line keeps_time(CudaDevice& device, const Effort& effort, std::string what, double ms,
                int kernels) {
  Accelerator& on = *device.accelerator();
  const auto stream = on.make_stream();
  std::vector<double> times;
  for (int i = 0; i < effort.tries; ++i)
    times.push_back(1e3 * by_events(on, *stream, [&] {
                      for (int k = 0; k < kernels; ++k)
                        on.launch(*stream, {.time = from_seconds(ms * 1e-3 / kernels)});
                    }));
  const double seen = median(std::move(times));
  return {std::move(what), std::abs(seen / ms - 1), 0.005, false, fmt::format("{:.4f} ms", seen)};
}

// Copies back to back without events and with one at each end of each, in turn: their seconds.
struct BackToBack {
  std::vector<double> bare, fed, ratios;
};
BackToBack back_to_back(CudaDevice& device, const Effort& effort, std::size_t bytes) {
  Accelerator& on = *device.accelerator();
  const auto stream = on.make_stream();
  const Bytes host(device, bytes, Memory::pinned), there(device, bytes, Memory::device);
  const auto copy = [&] {
    on.copy(*stream, there.data, host.data, bytes, DeviceCopy::h2d, Memory::pinned);
  };
  std::vector<std::unique_ptr<DeviceEvent>> events;
  for (int i = 0; i < 2 * kBackToBack; ++i) events.push_back(on.make_event());
  BackToBack times;
  for (int i = 0; i < effort.tries; ++i) {
    times.bare.push_back(by_events(on, *stream, [&] {
      for (int k = 0; k < kBackToBack; ++k) copy();
    }));
    times.fed.push_back(by_events(on, *stream, [&] {
      for (std::size_t k = 0; k < kBackToBack; ++k) {
        on.record(*events[2 * k], *stream);
        copy();
        on.record(*events[2 * k + 1], *stream);
      }
    }));
    times.ratios.push_back(times.bare.back() / times.fed.back());
  }
  return times;
}

// A kind of step: besides its kernel it does nothing, makes a copy that the kernel waits for, or
// records a second event; its events may have times.
struct StepKind {
  bool copies = false, records_twice = false, has_times = true;
};

// Seconds a step of `steps`, each of a kernel on `compute`, two of them under way.
double step_seconds(CudaDevice& device, Runtime& runtime, int steps, Nanoseconds kernel,
                    StepKind kind) {
  const auto make_event = [&] {
    return kind.has_times ? device.accelerator()->make_event() : device.make_event_without_time();
  };
  Accelerator& on = *device.accelerator();
  const auto compute = on.make_stream(), copies = on.make_stream();
  const Bytes host(device, kBatch, Memory::pinned), first(device, kBatch, Memory::device),
      second(device, kBatch, Memory::device);
  std::unique_ptr<DeviceEvent> copied[2] = {make_event(), make_event()},
                               done[2] = {make_event(), make_event()};
  const auto run = [&](int count) {
    for (int k = 0; k < count; ++k) {
      done[k % 2]->wait();
      if (kind.copies) {
        on.copy(*copies, k % 2 ? second.data : first.data, host.data, kBatch, DeviceCopy::h2d,
                Memory::pinned);
        on.record(*copied[k % 2], *copies);
        on.wait(*compute, *copied[k % 2]);
      }
      on.launch(*compute, {.time = kernel});
      on.record(*done[k % 2], *compute);
      if (kind.records_twice) on.record(*copied[(k + 1) % 2], *compute);
    }
    on.synchronize(*compute);
  };
  run(10);
  return seconds_of(runtime, [&] { run(steps); }) / steps;
}

// kGathers batches of rows of a table, whose byte b of row r is r + b: more than the device's
// caches hold.
class Table {
 public:
  Table(CudaDevice& device, DeviceStream& stream, std::size_t row_bytes)
      : on_(*device.accelerator()),
        row_bytes_(row_bytes),
        host_(device, kRows * row_bytes, Memory::pinned),
        all_(device, kGathers * kRows * row_bytes, Memory::device),
        batch_(device, kRows * row_bytes, Memory::device) {
    for (std::size_t k = 0; k < kGathers; ++k) {
      for (std::size_t i = 0; i < kRows * row_bytes; ++i)
        host_.data[i] = byte(k * kRows + i / row_bytes, i % row_bytes);
      on_.copy(stream, all_.data + k * kRows * row_bytes, host_.data, kRows * row_bytes,
               DeviceCopy::h2d, Memory::pinned);
      on_.synchronize(stream);
    }
  }
  TensorView view() const {
    TensorView all;
    all.spec.row = {{static_cast<std::int64_t>(row_bytes_)}, 1};
    all.rows = kGathers * kRows;
    all.data = all_.data;
    return all;
  }
  std::byte* batch() const { return batch_.data; }
  // True if the batch holds these rows.
  bool holds(DeviceStream& stream, const SampleId* ids) const {
    on_.copy(stream, host_.data, batch_.data, kRows * row_bytes_, DeviceCopy::d2h, Memory::pinned);
    on_.synchronize(stream);
    for (std::size_t i = 0; i < kRows * row_bytes_; ++i)
      if (host_.data[i] != byte(ids[i / row_bytes_], i % row_bytes_)) return false;
    return true;
  }

 private:
  static std::byte byte(std::size_t row, std::size_t at) {
    return static_cast<std::byte>(row + at);
  }
  Accelerator& on_;
  const std::size_t row_bytes_;
  const Bytes host_, all_, batch_;
};

}  // namespace

std::vector<Line> spins(CudaDevice& device, const Effort& effort) {
  std::vector<Line> lines;
  for (const double ms : {0.2, 1.0, 5.0, 20.0, 100.0})
    lines.push_back(
        keeps_time(device, effort, fmt::format("kernel of {:g} ms by events", ms), ms, 1));
  for (const double ms : {9.0, 90.0})
    lines.push_back(keeps_time(
        device, effort, fmt::format("400 kernels of {:g} us = {:g} ms", ms / 0.4, ms), ms, 400));
  return lines;
}

// Between small copies events cost the most of their time: what they cost there, twice over, is the
// limit.
Line slot_to_device(CudaDevice& device, const Effort& effort) {
  const BackToBack small = back_to_back(device, effort, kMiB),
                   large = back_to_back(device, effort, kBatch);
  const double events = std::max(0.0, median(small.fed) - median(small.bare)),
               bare = median(large.bare), gb = kBackToBack * kBatch * 1e-9;
  return {"pinned slot to device, 38.5 MB, 16 back to back, of bare copies", median(large.ratios),
          bare / (bare + 2 * events) - 0.002, true,
          fmt::format("{:.2f} GB/s, bare {:.2f} GB/s, events {:.2f} us a copy",
                      gb / median(large.fed), gb / bare, 1e6 * events / kBackToBack)};
}

Line copy_call(CudaDevice& device, Runtime& runtime) {
  const double pinned = call_time(device, runtime, Memory::pinned),
               pageable = call_time(device, runtime, Memory::host),
               copy = copy_seconds(device, kMiB);
  return {"host time of one copy call of 1 MiB, pinned, of the copy's own time", pinned / copy, 0.5,
          false,
          fmt::format("{:.2f} us, the copy {:.2f} us; a pageable call {:.2f} us", pinned * 1e6,
                      copy * 1e6, pageable * 1e6)};
}

// A step of 5 ms, or longer where the link is so slow that the copy would not fit behind that.
Line hidden_copy(CudaDevice& device, Runtime& runtime, const Effort& effort) {
  const Nanoseconds step = std::max<Nanoseconds>(std::chrono::milliseconds{5},
                                                 from_seconds(1.5 * copy_seconds(device, kBatch)));
  std::vector<double> with, without, added;
  for (int i = 0; i < effort.tries; ++i) {
    without.push_back(step_seconds(device, runtime, effort.steps, step, {}));
    with.push_back(step_seconds(device, runtime, effort.steps, step, {.copies = true}));
    added.push_back(with.back() / without.back() - 1);
  }
  return {
      fmt::format("copy of 38.5 MB behind a step of {:.3g} ms, own stream: exposed, of the step",
                  to_seconds(step) * 1e3),
      median(added), 0.01, false,
      fmt::format("{:.4f} ms, without {:.4f} ms", 1e3 * median(with), 1e3 * median(without))};
}

// All rows of the tables, a batch a launch. Rows of bytes and of words of 4 and 16 bytes.
Line gather(CudaDevice& device, const Effort& effort) {
  Accelerator& on = *device.accelerator();
  const auto stream = on.make_stream();
  const Table images(device, *stream, kBatch / kRows), labels(device, *stream, 8),
      odd(device, *stream, 5);
  const TensorView from[] = {images.view(), labels.view(), odd.view()};
  std::byte* const to[] = {images.batch(), labels.batch(), odd.batch()};
  constexpr std::size_t kIds = kGathers * kRows;
  const Bytes host(device, kIds * sizeof(SampleId), Memory::pinned),
      there(device, kIds * sizeof(SampleId), Memory::device);
  auto* const ids = reinterpret_cast<SampleId*>(host.data);
  for (std::size_t i = 0; i < kIds; ++i) ids[i] = i * 37 % kIds;
  on.copy(*stream, there.data, host.data, kIds * sizeof(SampleId), DeviceCopy::h2d, Memory::pinned);
  std::vector<double> read, gathered, ratios;
  for (int i = 0; i < effort.tries; ++i) {  // in turn
    read.push_back(by_events(on, *stream, [&] { on.launch(*stream, {.reads = {from, 1}}); }));
    gathered.push_back(by_events(on, *stream, [&] {
      for (std::size_t k = 0; k < kGathers; ++k)
        on.gather(*stream, {from, to, there.data + k * kRows * sizeof(SampleId), kRows});
    }));
    ratios.push_back(2 * read.back() / gathered.back());
  }
  const SampleId* const last = ids + (kGathers - 1) * kRows;
  const bool right =
      images.holds(*stream, last) && labels.holds(*stream, last) && odd.holds(*stream, last);
  const double gb = kGathers * kBatch * 1e-9;
  return {"gather of 38.5 MB, bytes read and written, of the rate of reading",
          right ? median(ratios) : 0, 0.5, true,
          fmt::format("{:.0f} GB/s, reading {:.0f} GB/s{}", 2 * gb / median(gathered),
                      gb / median(read), right ? "" : "; WRONG ROWS")};
}

Line event_times(CudaDevice& device, Runtime& runtime, const Effort& effort) {
  const Nanoseconds step = std::chrono::milliseconds{1};
  const auto seconds = [&](bool has_times) {
    return step_seconds(device, runtime, effort.steps, step,
                        {.records_twice = true, .has_times = has_times});
  };
  std::vector<double> timed, bare, added;
  for (int i = 0; i < effort.tries; ++i) {
    bare.push_back(seconds(false));
    timed.push_back(seconds(true));
    added.push_back(timed.back() / bare.back() - 1);
  }
  return {
      "times of events on, of steps of 1 ms with them off: added", std::abs(median(added)), 0.002,
      false,
      fmt::format("{:.5f} ms, off {:.5f} ms; taken off: {:.2f} us an event", 1e3 * median(timed),
                  1e3 * median(bare), 1e-3 * device.kernels()->fit().event)};
}

}  // namespace benchbench::gpu_figures
