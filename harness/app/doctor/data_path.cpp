#include "harness/app/doctor/data_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/units.h"
#include "harness/trial/probes/probe.h"

namespace benchbench {
namespace {

using enum DoctorVerdict;

// Below it, what was read came from memory, or by a way that the interfaces do not count (RDMA).
constexpr double kLeastReceived = 0.5;

std::string per_second(double bytes_per_second) { return human_bytes(bytes_per_second) + "/s"; }

std::string speed_text(const PathSpeed& s) {
  return fmt::format("{} with {} readers, {} with one, {} to the first byte", per_second(s.many),
                     kReaders, per_second(s.one), human_duration(s.first_byte));
}

void add_network(const PathSpeed& speed, DataPath& out) {
  out.network = std::max(speed.one, speed.many), out.value = speed_text(speed);
}

// Counts the bytes that the interfaces receive while it lives.
class Received {
 public:
  Received() : probe_(probes::network_received(context_, why_)), before_(now()) {}
  std::optional<double> bytes() {
    const auto after = now();
    return before_ && after ? std::optional(static_cast<double>(*after - *before_)) : std::nullopt;
  }

 private:
  std::optional<std::int64_t> now() {
    context_.files.next_tick();
    return probe_ ? probe_->sample() : std::nullopt;
  }
  ProbeContext context_;
  std::string why_;
  std::unique_ptr<Probe> probe_;
  std::optional<std::int64_t> before_;
};

}  // namespace

void refuse_bad_data(const std::string& data) {
  if (looks_like_url(data)) {
    if (!parse_endpoint(data))
      throw UsageError(
          fmt::format("--data {}: only http://HOST[:PORT]/PATH and https can be asked", data));
    return;
  }
  std::error_code ignored;
  if (!std::filesystem::exists(data, ignored))
    throw UsageError(fmt::format(
        "--data {}: there is no such file or folder; a server is http://HOST[:PORT]/PATH", data));
}

DataPath judge_mount(const std::string& path, const Mount& mount, const PathSpeed& speed) {
  const std::string on =
      fmt::format("{} on {} ({})", path, mount.type.empty() ? "an unknown file system" : mount.type,
                  mount.source.empty() ? "source unknown" : mount.source);
  if (!mount.network) return {{{"data", on + ": no network file system that is known here"}}};
  DataPath out{{{"data", on + ", over the network"}}};
  if (!speed.problem.empty())
    out.checks.push_back({"network", "not measured: " + speed.problem, note});
  else if (speed.received_share && *speed.received_share < kLeastReceived)
    out.checks.push_back(
        {"network",
         fmt::format("not measured: {:.0f} % of what was read came over the interfaces",
                     100 * *speed.received_share),
         note, "the rest was in memory, or came by a way that they do not count (RDMA)"});
  else
    add_network(speed, out);
  return out;
}

DataPath judge_endpoint(const std::string& url, const EndpointSpeed& speed) {
  const std::string at = speed.connect.count() > 0
                             ? fmt::format("{}: connects in {}", url, human_duration(speed.connect))
                             : url;
  if (!speed.problem.empty()) return {{{"data", at + "; " + speed.problem, note}}};
  if (speed.loopback)
    return {{{"data",
              fmt::format("{}; {}; this machine itself, over no network", at, speed_text(speed))}}};
  DataPath out{{{"data", at}}};
  add_network(speed, out);
  return out;
}

DataPath examine_data(const std::string& data, Runtime& runtime) {
  if (const auto endpoint = parse_endpoint(data))
    return judge_endpoint(data, measure_endpoint(*endpoint, runtime));
  const Mount mount = find_mount(data);
  if (!mount.network) return judge_mount(data, mount, {});
  Received received;
  PathSpeed speed = measure_files(data, runtime);
  if (const auto bytes = received.bytes(); bytes && speed.bytes > 0)
    speed.received_share = *bytes / static_cast<double>(speed.bytes);
  return judge_mount(data, mount, speed);
}

}  // namespace benchbench
