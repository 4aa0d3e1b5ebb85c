#include "tests/stub_cuda/settings.h"

#include <cstdlib>

namespace benchbench::stub_cuda {
namespace {

std::string text_of(const char* name, const char* otherwise) {
  const char* const value = std::getenv((std::string("BENCHBENCH_STUB_") + name).c_str());
  return value ? value : otherwise;
}

std::uint64_t count_of(const char* name, const char* otherwise) {
  return std::strtoull(text_of(name, otherwise).c_str(), nullptr, 0);
}
double real_of(const char* name) { return std::strtod(text_of(name, "0").c_str(), nullptr); }

}  // namespace

FailingCalls::FailingCalls(std::string_view list) {
  while (!list.empty()) {
    const std::string row(list.substr(0, list.find(',')));
    list.remove_prefix(std::min(list.size(), row.size() + 1));
    const std::size_t equals = row.find('='), at = row.find('@');
    if (equals == std::string::npos) continue;
    Row& added = rows_[row.substr(0, std::min(at, equals))];
    added.result = std::atoi(row.c_str() + equals + 1);
    if (at != std::string::npos) added.at = std::strtoull(row.c_str() + at + 1, nullptr, 10);
  }
}

int FailingCalls::failure_of(std::string_view call) {
  const auto row = rows_.find(call);
  if (row == rows_.end()) return 0;
  const std::uint64_t number = ++row->second.made;
  return row->second.at == 0 || row->second.at == number ? row->second.result : 0;
}

Settings read_settings() {
  Settings s;
  s.devices = static_cast<int>(count_of("DEVICES", "1"));
  s.name = text_of("NAME", "Stub GPU");
  s.memory = count_of("MEMORY", "1073741824");
  s.driver = static_cast<int>(count_of("DRIVER", "13000"));
  s.pinned = real_of("PINNED_GBPS");
  const std::string pageable = text_of("PAGEABLE_GBPS", "0");
  s.pageable = std::strtod(pageable.c_str(), nullptr);
  s.pageable_large = std::strtod(pageable.c_str() + pageable.find(':') + 1, nullptr);
  s.call_ns = static_cast<std::int64_t>(count_of("CALL_NS", "0"));
  s.launch_ns = static_cast<std::int64_t>(count_of("LAUNCH_NS", "2000"));
  s.event_ns = static_cast<std::int64_t>(count_of("EVENT_NS", "1170"));
  s.queue = count_of("QUEUE", "1022");
  s.seen_late_ns = static_cast<std::int64_t>(count_of("SEEN_LATE_NS", "2000"));
  s.timer_step_ns = static_cast<std::int64_t>(count_of("TIMER_STEP_NS", "1"));
  s.spin_jitter = real_of("SPIN_JITTER");
  s.slow_spins = count_of("SLOW_SPINS", "0");
  s.slow_from = count_of("SLOW_FROM", "0");
  s.nvml_driver = text_of("NVML_DRIVER", "580.65.06");
  s.wide = count_of("WIDE", "0") == 1;
  s.failing = FailingCalls(text_of("FAIL", ""));
  s.busy = count_of("BUSY", "87");
  s.clock = count_of("CLOCK", "1980");
  s.memory_used = count_of("MEMORY_USED", "400");
  s.throttle = count_of("THROTTLE", "0x24");
  s.strangers = count_of("STRANGERS", "10");
  s.own = count_of("OWN", "0") == 1;
  s.newcomer_at = count_of("NEWCOMER_AT", "0");
  s.ecc_grows = count_of("ECC_GROWS", "0") == 1;
  s.launch_fails_at = count_of("LAUNCH_FAILS_AT", "0");
  s.lost_at_call = count_of("LOST_AT_CALL", "0");
  s.hang_at_call = count_of("HANG_AT_CALL", "0");
  return s;
}

}  // namespace benchbench::stub_cuda
