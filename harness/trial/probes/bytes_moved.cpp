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

// "reads merged sectors ms writes merged sectors ms ...": the sectors read are word 2, those
// written word 6.
template <unsigned column>
Made device_io(ProbeContext& context, std::string& why) {
  struct stat about{};
  if (context.dataset.empty()) {
    why = "no dataset is read";
    return nullptr;
  }
  if (::stat(context.dataset.c_str(), &about) != 0) {
    why = context.dataset + ": " + std::strerror(errno);
    return nullptr;
  }
  if (major(about.st_dev) == 0) {
    why = "the dataset is not on a block device of this machine (memory, network or an overlay)";
    return nullptr;
  }
  const std::string path = context.path(
      fmt::format("sys/dev/block/{}:{}/stat", major(about.st_dev), minor(about.st_dev)));
  return probe_of_file(
      context, path,
      [](std::string_view text) { return scaled(first_number(word(text, column)), kSector); }, why);
}

// Two lines of heading, then "eth0: bytes packets ..." with 8 words received before those sent.
MakeProbe network(unsigned column) {
  return number_in_file(
      "proc/net/dev", [column](std::string_view text) -> std::optional<std::int64_t> {
        std::int64_t sum = 0;
        bool any = false;
        for (std::size_t at = 0; at < text.size();) {
          const std::size_t end = std::min(text.find('\n', at), text.size());
          const std::string_view line = text.substr(at, end - at);
          at = end + 1;
          const std::size_t colon = line.find(':');
          if (colon == line.npos) continue;
          any = true;
          if (word(line.substr(0, colon), 0) == "lo") continue;
          const auto its = scaled(first_number(word(line.substr(colon + 1), column)));
          if (!its) return std::nullopt;
          sum += *its;
        }
        return any ? std::optional(sum) : std::nullopt;
      });
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
