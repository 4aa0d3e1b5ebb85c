// Bytes: asked for by the process, fetched from the device, over the network.
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "harness/trial/probes/probe.h"

namespace benchbench::probes {
namespace {

constexpr std::int64_t kSector = 512;  // of the kernel's counters, whatever the device's own are

Made process_io(ProbeContext& context, std::string_view key, std::string& why) {
  return probe_of_file(
      context, context.path("proc/self/io"),
      [key](std::string_view text) -> std::optional<std::int64_t> {
        const auto bytes = number_of(text, key);
        return bytes ? std::optional(static_cast<std::int64_t>(*bytes)) : std::nullopt;
      },
      why);
}

// "reads merged sectors ms writes merged sectors ms ...": the sectors read are word 2, those
// written word 6.
Made device_io(ProbeContext& context, unsigned column, std::string& why) {
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
      [column](std::string_view text) -> std::optional<std::int64_t> {
        const auto sectors = first_number(word(text, column));
        return sectors ? std::optional(static_cast<std::int64_t>(*sectors) * kSector)
                       : std::nullopt;
      },
      why);
}

// Two lines of heading, then "eth0: bytes packets ..." with 8 words received before those sent.
Made network(ProbeContext& context, unsigned column, std::string& why) {
  return probe_of_file(
      context, context.path("proc/net/dev"),
      [column](std::string_view text) -> std::optional<std::int64_t> {
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
          const auto bytes = first_number(word(line.substr(colon + 1), column));
          if (!bytes) return std::nullopt;
          sum += static_cast<std::int64_t>(*bytes);
        }
        return any ? std::optional(sum) : std::nullopt;
      },
      why);
}

}  // namespace

Made bytes_asked(ProbeContext& context, std::string& why) {
  return process_io(context, "rchar:", why);
}
Made bytes_read(ProbeContext& context, std::string& why) {
  return process_io(context, "read_bytes:", why);
}
Made bytes_written(ProbeContext& context, std::string& why) {
  return process_io(context, "write_bytes:", why);
}
Made device_read(ProbeContext& context, std::string& why) { return device_io(context, 2, why); }
Made device_written(ProbeContext& context, std::string& why) { return device_io(context, 6, why); }
Made network_received(ProbeContext& context, std::string& why) { return network(context, 0, why); }
Made network_sent(ProbeContext& context, std::string& why) { return network(context, 8, why); }

}  // namespace benchbench::probes
