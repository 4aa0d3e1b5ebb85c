// The kernels of harness/cuda/kernels/spin.cu, on the host.
#include <cmath>
#include <cstring>

#include "harness/cuda/kernels/parameters.h"
#include "harness/cuda/kernels/resize.h"
#include "tests/stub_cuda/world.h"

namespace benchbench::stub_cuda {
namespace {

using namespace benchbench::cuda;
using Twin = std::function<std::int64_t()>;

constexpr double kCyclesPerNs = 1.5;  // as the attribute says

template <class T>
T parameter(void** parameters, int which) {
  T value;
  std::memcpy(&value, parameters[which], sizeof value);
  return value;
}

// A kernel that reads or writes what is no memory of the device ends the context.
std::byte* memory_at(std::uint64_t address, std::uint64_t bytes) {
  World& w = world();
  const Locked held(w.lock);
  std::byte* const found = bytes_behind(w, address, bytes);
  if (!found) break_context(w, kIllegalAddress);
  return found;
}

std::int64_t spin_ns(std::uint64_t amount, unsigned timer, const Settings& s,
                     std::uint64_t number) {
  double ns = static_cast<double>(amount);
  if (timer == kClockTimer) ns /= kCyclesPerNs;
  const auto steps = [&](double t) {
    return std::ceil(t / static_cast<double>(s.timer_step_ns)) *
           static_cast<double>(s.timer_step_ns);
  };
  if (timer == kGlobalTimer) ns = steps(ns);
  if (s.slow_from > 0 && number >= s.slow_from) ns *= 1.25;
  const std::int64_t slow_ns = number <= s.slow_spins ? 30'000 : 0;
  return static_cast<std::int64_t>(ns * (1 + (number / 2 % 2 ? s.spin_jitter : -s.spin_jitter))) +
         s.launch_ns + slow_ns;
}

void add_bytes(std::uint64_t data, std::uint64_t bytes, std::uint64_t total) {
  std::byte* const word = memory_at(total, 4);
  const std::byte* const from = bytes ? memory_at(data, bytes) : nullptr;
  if (!word || (bytes && !from)) return;
  std::uint32_t sum = 0;
  std::memcpy(&sum, word, 4);
  for (std::uint64_t i = 0; i < bytes; ++i) sum += std::to_integer<std::uint32_t>(from[i]);
  std::memcpy(word, &sum, 4);
}

// To the nearest, ties to even, as the device does.
std::uint16_t half_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const float size = std::fabs(value);
  if (std::isnan(size)) return static_cast<std::uint16_t>(sign | 0x7e00);
  if (size >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
  if (size == 0) return static_cast<std::uint16_t>(sign);
  int exponent = 0;
  std::frexp(size, &exponent);                    // size in [2^(exponent-1), 2^exponent)
  const int unit = std::max(exponent - 11, -24);  // of the last place, as a power of two
  const auto units =
      static_cast<std::uint32_t>(std::nearbyint(std::ldexp(static_cast<double>(size), -unit)));
  // What overflows the 10 bits carries into the exponent, as it should.
  return static_cast<std::uint16_t>(sign | ((static_cast<std::uint32_t>(unit + 24) << 10) + units));
}

void gather(const GatherParameter& g) {
  for (std::uint64_t i = 0; i < g.rows; ++i)
    for (std::uint64_t t = 0; t < g.count; ++t) {
      const TableParameter& table = g.table[t];
      const std::byte* const id = memory_at(g.ids + 8 * i, 8);
      if (!id) return;
      std::uint64_t row = 0;
      std::memcpy(&row, id, 8);
      const std::byte* const from = memory_at(table.from + row * table.row_bytes, table.row_bytes);
      std::byte* const to = memory_at(table.to + i * table.row_bytes, table.row_bytes);
      if (!from || !to) return;
      std::memcpy(to, from, table.row_bytes);
    }
}

void normalize(const NormalizationParameter& n, bool half, bool first) {
  const std::uint64_t elements = n.pixels * n.channels;
  if (elements == 0) return;
  const std::byte* const from = memory_at(n.from, elements);
  std::byte* const to = memory_at(n.to, elements * (half ? 2 : 4));
  if (!from || !to) return;
  for (std::uint64_t pixel = 0; pixel < n.pixels; ++pixel)
    for (std::uint64_t c = 0; c < n.channels; ++c) {
      const std::uint64_t image = pixel / n.plane;
      const std::uint64_t at = first ? image * n.plane * n.channels + c * n.plane + pixel % n.plane
                                     : pixel * n.channels + c;
      const float value =
          std::fmaf(static_cast<float>(std::to_integer<int>(from[pixel * n.channels + c])),
                    n.scale[c], n.shift[c]);
      const std::uint16_t rounded = half_of(value);
      if (half)
        std::memcpy(to + 2 * at, &rounded, 2);
      else
        std::memcpy(to + 4 * at, &value, 4);
    }
}

void put_pixel(std::byte* to, const float* rgb, const ResizeParameter& r, bool floats) {
  for (std::size_t c = 0; c < 3; ++c) {
    const float value = std::fmaf(rgb[c], r.scale[c], r.shift[c]);
    if (floats)
      std::memcpy(to + 4 * c, &value, 4);
    else
      to[c] = static_cast<std::byte>(rgb[c]);
  }
}

void resize_image(const ResizedImage& image, const ResizeParameter& r, std::byte* row,
                  bool floats) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(image.y + image.height - 1) * image.pitch +
                              static_cast<std::uint64_t>(image.x + image.width) * image.pixel;
  const auto* const from = reinterpret_cast<const unsigned char*>(memory_at(image.from, bytes));
  if (!from) return;
  for (int y = 0; y < r.size; ++y)
    for (int x = 0; x < r.size; ++x) {
      float rgb[3];
      resize_pixel(image, from, r.size, x, y, rgb);
      put_pixel(row + static_cast<std::size_t>(y * r.size + x) * (floats ? 12 : 3), rgb, r, floats);
    }
}

void resize(const ResizeParameter& r, bool floats) {
  const std::uint64_t row_bytes =
      static_cast<std::uint64_t>(r.size) * static_cast<std::uint64_t>(r.size) * (floats ? 12 : 3);
  for (std::uint64_t i = 0; i < r.count; ++i) {
    const std::byte* const found =
        memory_at(r.images + i * sizeof(ResizedImage), sizeof(ResizedImage));
    std::byte* const row = memory_at(r.to + i * row_bytes, row_bytes);
    if (!found || !row) return;
    ResizedImage image;
    std::memcpy(&image, found, sizeof image);
    std::memset(row, 0, row_bytes);
    if (image.from != 0) resize_image(image, r, row, floats);
  }
}

void write_timer_steps(std::uint64_t to, std::uint32_t count, std::uint64_t step) {
  std::byte* const steps = memory_at(to, 8 * std::uint64_t{count});
  for (std::uint32_t i = 0; steps && i < count; ++i) std::memcpy(steps + 8 * i, &step, 8);
}

Twin twin_of_busy(void** p, const Settings& s, std::uint64_t number) {
  const std::int64_t ns =
      spin_ns(parameter<std::uint64_t>(p, 0), parameter<unsigned>(p, 1), s, number);
  return [ns, ranges = parameter<RangesParameter>(p, 2), sum = parameter<std::uint64_t>(p, 3)] {
    for (std::uint64_t i = 0; i < ranges.count && i < kMaxRanges; ++i)
      add_bytes(ranges.range[i].data, ranges.range[i].bytes, sum);
    return ns;
  };
}

}  // namespace

const std::vector<std::string>& names_of_twins() {
  static const std::vector<std::string> names = {"benchbench_spin",
                                                 "benchbench_timer_steps",
                                                 "benchbench_touch",
                                                 "benchbench_busy",
                                                 "benchbench_gather",
                                                 "benchbench_normalize_float32_first",
                                                 "benchbench_normalize_float32_last",
                                                 "benchbench_normalize_float16_first",
                                                 "benchbench_normalize_float16_last",
                                                 "benchbench_resize_uint8",
                                                 "benchbench_resize_float32"};
  return names;
}

Twin twin_of(std::string_view kernel, void** p, const Settings& s, std::uint64_t number) {
  if (kernel == "benchbench_spin")
    return [ns = spin_ns(parameter<std::uint64_t>(p, 0), parameter<unsigned>(p, 1), s, number)] {
      return ns;
    };
  if (kernel == "benchbench_touch")
    return [ns = s.launch_ns, data = parameter<std::uint64_t>(p, 0),
            bytes = parameter<std::uint64_t>(p, 1), sum = parameter<std::uint64_t>(p, 2)] {
      add_bytes(data, bytes, sum);
      return ns;
    };
  if (kernel == "benchbench_timer_steps")
    return [ns = s.launch_ns, to = parameter<std::uint64_t>(p, 0),
            count = parameter<std::uint32_t>(p, 1),
            step = static_cast<std::uint64_t>(s.timer_step_ns)] {
      write_timer_steps(to, count, step);
      return ns;
    };
  if (kernel == "benchbench_busy") return twin_of_busy(p, s, number);
  if (kernel == "benchbench_gather")
    return [g = parameter<GatherParameter>(p, 0), ns = s.launch_ns] {
      gather(g);
      return ns;
    };
  if (kernel.starts_with("benchbench_resize"))
    return [r = parameter<ResizeParameter>(p, 0), ns = s.launch_ns,
            floats = kernel.ends_with("float32")] {
      resize(r, floats);
      return ns;
    };
  return [n = parameter<NormalizationParameter>(p, 0), ns = s.launch_ns,
          half = kernel.find("float16") != kernel.npos, first = kernel.ends_with("first")] {
    normalize(n, half, first);
    return ns;
  };
}

}  // namespace benchbench::stub_cuda
