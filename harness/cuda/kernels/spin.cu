// The kernels of the CUDA device: work of a known time, work that reads a batch, the gathering of
// rows, the normalisation of images, and their resize. Their names and parameters are those that
// harness/cuda/kernels.cpp passes; the driver used in tests has the same ones on the host.
#include <cuda_fp16.h>

#include <cstdint>

#include "harness/cuda/kernels/parameters.h"
#include "harness/cuda/kernels/resize.h"

namespace {

using namespace benchbench::cuda;

// Nanoseconds since some origin, the same on all processors. Its steps are 32 ns to 1 us, on a few
// devices 1 ms.
__device__ std::uint64_t global_nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__device__ std::uint64_t ticks(unsigned timer) {
  return timer == kGlobalTimer ? global_nanoseconds() : static_cast<std::uint64_t>(clock64());
}

__device__ void spin(std::uint64_t amount, unsigned timer) {
  const std::uint64_t begun = ticks(timer);
  while (ticks(timer) - begun < amount) {
  }
}

__device__ const unsigned char* bytes_at(std::uint64_t address) {
  return reinterpret_cast<const unsigned char*>(address);
}

// The thread's number in the grid, and how many there are.
__device__ std::uint64_t this_thread() {
  return static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ std::uint64_t all_threads() {
  return static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
}

// The bytes of four 32-bit words, added to `sum`.
__device__ unsigned add_bytes(uint4 words, unsigned sum) {
  constexpr unsigned kOnes = 0x01010101u;
  sum = __dp4a(words.y, kOnes, __dp4a(words.x, kOnes, sum));
  return __dp4a(words.w, kOnes, __dp4a(words.z, kOnes, sum));
}

// So many reads of a thread are under way at once. With one each, on an H200, benchbench_touch gave
// 3.75 TB/s as the ceiling of memory, 0.85 of what torch read, and benchbench_busy 2.12 TB/s.
constexpr unsigned kReads = 4;

// This thread's share of the range, in steps of the whole grid: 16 bytes a read, single ones before
// and behind. Each byte is read once, so that none is worth keeping in a cache.
__device__ unsigned sum_share(const unsigned char* data, std::uint64_t bytes) {
  const std::uint64_t thread = this_thread(), threads = all_threads();
  const std::uint64_t away = (16 - reinterpret_cast<std::uintptr_t>(data) % 16) % 16;
  const std::uint64_t head = away < bytes ? away : bytes;
  const std::uint64_t wide = (bytes - head) / 16;
  const auto* const words = reinterpret_cast<const uint4*>(data + head);
  unsigned sum = 0, sums[kReads] = {};
  std::uint64_t i = thread;
  for (; i + (kReads - 1) * threads < wide; i += kReads * threads) {
    uint4 read[kReads];
#pragma unroll
    for (unsigned k = 0; k < kReads; ++k) read[k] = __ldcs(words + i + k * threads);
#pragma unroll
    for (unsigned k = 0; k < kReads; ++k) sums[k] = add_bytes(read[k], sums[k]);
  }
  for (; i < wide; i += threads) sum = add_bytes(__ldcs(words + i), sum);
#pragma unroll
  for (unsigned k = 0; k < kReads; ++k) sum += sums[k];
  for (i = thread; i < head; i += threads) sum += data[i];
  for (i = head + wide * 16 + thread; i < bytes; i += threads) sum += data[i];
  return sum;
}

// Added over each warp first: one atomic for 32 threads.
__device__ void add_to(unsigned* total, unsigned sum) {
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}

// Flat over the words of all rows, so that a few long rows and many short ones use all threads.
template <class Word>
__device__ void gather_words(const TableParameter& t, const GatherParameter& g) {
  const std::uint64_t thread = this_thread(), threads = all_threads();
  const auto* const __restrict__ from = reinterpret_cast<const Word*>(t.from);
  auto* const __restrict__ to = reinterpret_cast<Word*>(t.to);
  const auto* const __restrict__ ids = reinterpret_cast<const std::uint64_t*>(g.ids);
  const std::uint64_t words = t.row_bytes / sizeof(Word);
  for (std::uint64_t i = thread; i < g.rows * words; i += threads) {
    const std::uint64_t row = i / words;
    to[i] = from[ids[row] * words + (i - row * words)];
  }
}

// In the widest words that all of its rows are aligned to.
__device__ void gather(const TableParameter& t, const GatherParameter& g) {
  const std::uint64_t aligned = t.from | t.to | t.row_bytes;
  if (aligned % 16 == 0)
    gather_words<uint4>(t, g);
  else if (aligned % 4 == 0)
    gather_words<unsigned>(t, g);
  else
    gather_words<unsigned char>(t, g);
}

__device__ void store(float* to, float value) { *to = value; }
__device__ void store(__half* to, float value) { *to = __float2half_rn(value); }

template <class Element, bool kChannelsFirst>
__device__ void normalize(const NormalizationParameter& n) {
  const std::uint64_t thread = this_thread(), threads = all_threads();
  const auto* const __restrict__ from = bytes_at(n.from);
  auto* const __restrict__ to = reinterpret_cast<Element*>(n.to);
  for (std::uint64_t pixel = thread; pixel < n.pixels; pixel += threads) {
    const std::uint64_t image = pixel / n.plane;
    const std::uint64_t first = kChannelsFirst
                                    ? image * n.plane * n.channels + (pixel - image * n.plane)
                                    : pixel * n.channels;
    const std::uint64_t stride = kChannelsFirst ? n.plane : 1;
    // Unrolled, the array is indexed by constants: otherwise it goes to local memory.
#pragma unroll
    for (unsigned c = 0; c < kMaxChannels; ++c)
      if (c < n.channels)
        store(to + first + c * stride, fmaf(from[pixel * n.channels + c], n.scale[c], n.shift[c]));
  }
}

__device__ void store_pixel(unsigned char* to, const float* rgb, const ResizeParameter&) {
#pragma unroll
  for (unsigned c = 0; c < 3; ++c) to[c] = static_cast<unsigned char>(rgb[c]);
}
__device__ void store_pixel(float* to, const float* rgb, const ResizeParameter& r) {
#pragma unroll
  for (unsigned c = 0; c < 3; ++c) to[c] = fmaf(rgb[c], r.scale[c], r.shift[c]);
}

template <class Element>
__device__ void resize(const ResizeParameter& r) {
  const std::uint64_t thread = this_thread(), threads = all_threads();
  const std::uint64_t plane = static_cast<std::uint64_t>(r.size) * r.size;
  const auto* const images = reinterpret_cast<const ResizedImage*>(r.images);
  auto* const __restrict__ to = reinterpret_cast<Element*>(r.to);
  for (std::uint64_t i = thread; i < r.count * plane; i += threads) {
    const ResizedImage& image = images[i / plane];
    if (image.from == 0) {
      for (unsigned c = 0; c < 3; ++c) to[3 * i + c] = 0;
      continue;
    }
    const auto pixel = static_cast<int>(i % plane);
    float rgb[3];
    resize_pixel(image, bytes_at(image.from), r.size, pixel % r.size, pixel / r.size, rgb);
    store_pixel(to + 3 * i, rgb, r);
  }
}

}  // namespace

extern "C" {

// Busy for `amount` ticks. One thread is enough: the device's other work goes on.
__global__ void benchbench_spin(std::uint64_t amount, unsigned timer) { spin(amount, timer); }

// The nanoseconds between changes of the global timer, so many of them.
__global__ void benchbench_timer_steps(std::uint64_t* steps, unsigned count) {
  std::uint64_t last = global_nanoseconds();
  for (unsigned i = 0; i < count;) {
    const std::uint64_t now = global_nanoseconds();
    if (now == last) continue;
    steps[i++] = now - last;
    last = now;
  }
}

// Adds all bytes of the range to *sum, modulo 2^32. Blocks of a multiple of 32 threads.
__global__ void benchbench_touch(std::uint64_t data, std::uint64_t bytes, unsigned* sum) {
  add_to(sum, sum_share(bytes_at(data), bytes));
}

// Both at once: the first block spins from its begin to the amount, and all read meanwhile.
__global__ void benchbench_busy(std::uint64_t amount, unsigned timer, RangesParameter ranges,
                                unsigned* sum) {
  const std::uint64_t begun = ticks(timer);
  unsigned mine = 0;
  for (unsigned r = 0; r < kMaxRanges; ++r)
    if (r < ranges.count) mine += sum_share(bytes_at(ranges.range[r].data), ranges.range[r].bytes);
  add_to(sum, mine);
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  while (ticks(timer) - begun < amount) {
  }
}

// Gathers the rows of all tables, one table after the other.
__global__ void benchbench_gather(GatherParameter g) {
#pragma unroll
  for (unsigned t = 0; t < kMaxRanges; ++t)
    if (t < g.count) gather(g.table[t], g);
}

// A thread makes a pixel.
__global__ void benchbench_resize_uint8(ResizeParameter r) { resize<unsigned char>(r); }
__global__ void benchbench_resize_float32(ResizeParameter r) { resize<float>(r); }

__global__ void benchbench_normalize_float32_first(NormalizationParameter n) {
  normalize<float, true>(n);
}
__global__ void benchbench_normalize_float32_last(NormalizationParameter n) {
  normalize<float, false>(n);
}
__global__ void benchbench_normalize_float16_first(NormalizationParameter n) {
  normalize<__half, true>(n);
}
__global__ void benchbench_normalize_float16_last(NormalizationParameter n) {
  normalize<__half, false>(n);
}

}  // extern "C"
