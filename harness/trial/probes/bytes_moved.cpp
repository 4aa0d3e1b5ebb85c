// Bytes: asked for by the process, fetched from the device, over the network.
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <cstring>

#include "harness/trial/probes/probe.h"

namespace benchbench::probes {
namespace {

constexpr std::int64_t kSector = 512;  // of the kernel's counters, whatever the device's own are

MakeProbe process_io(std::string_view key) {
  return number_in_file("proc/self/io",
                        [key](std::string_view text) { return scaled(number_of(text, key)); });
}

// "" where there is one, with what `about` says of it.
std::string why_no_device(const std::string& dataset, struct stat& about) {
  if (dataset.empty()) return "no dataset is read";
  if (::stat(dataset.c_str(), &about) != 0) return dataset + ": " + std::strerror(errno);
  if (major(about.st_dev) != 0) return {};
  return "the dataset is not on a block device of this machine (memory, network or an overlay)";
}

// "reads merged sectors ms writes merged sectors ms ...": the sectors read are word 2, those
// written word 6.
template <unsigned column>
Made device_io(ProbeContext& context, std::string& why) {
  struct stat about{};
  why = why_no_device(context.dataset, about);
  if (!why.empty()) return nullptr;
  const std::string path = context.path(
      fmt::format("sys/dev/block/{}:{}/stat", major(about.st_dev), minor(about.st_dev)));
  return probe_of_file(
      context, path,
      [](std::string_view text) { return scaled(first_number(word(text, column)), kSector); }, why);
}

// Two lines of heading, then "eth0: bytes packets ..." with 8 words received before those sent.
std::optional<std::int64_t> sum_interfaces(std::string_view text, unsigned column) {
  std::optional<std::int64_t> sum;
  for_each_line(text, [&](std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos) return true;
    if (!sum) sum = 0;
    if (word(line.substr(0, colon), 0) == "lo") return true;
    const auto its = scaled(first_number(word(line.substr(colon + 1), column)));
    sum = its ? std::optional(*sum + *its) : std::nullopt;
    return its.has_value();
  });
  return sum;
}

MakeProbe network(unsigned column) {
  return number_in_file("proc/net/dev",
                        [column](std::string_view text) { return sum_interfaces(text, column); });
}
}  // namespace

Made network_received(ProbeContext& context, std::string& why) { return network(0)(context, why); }

std::vector<ProbeRow> bytes_moved_rows() {
  return {
      {"bytes_asked", "bytes/s", counter, bytes, process, "requested by read calls of the process",
       process_io("rchar:")},
      {"bytes_read", "bytes/s", counter, bytes, process,
       "fetched from block devices for the process", process_io("read_bytes:")},
      {"bytes_written", "bytes/s", counter, bytes, instrument, "written by the process to storage",
       process_io("write_bytes:")},
      {"device_read", "bytes/s", counter, bytes, machine,
       "read from the dataset's device by all processes", device_io<2>},
      {"device_written", "bytes/s", counter, bytes, machine,
       "written to the dataset's device by all processes", device_io<6>},
      {"network_received", "bytes/s", counter, bytes, machine,
       "received on all interfaces except loopback", network_received},
      {"network_sent", "bytes/s", counter, bytes, machine, "sent on all interfaces except loopback",
       network(8)},
  };
}

}  // namespace benchbench::probes
