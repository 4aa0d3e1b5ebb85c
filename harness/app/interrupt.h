// SIGINT and SIGTERM: the first asks for an orderly end (finished trials kept, the partial report
// printed), the second ends at once and says so; the same one within 0.1 s is the first once more,
// since `timeout` sends it twice. SIGHUP, which a terminal sends as it is closed, ends nothing:
// standard error has a word of it.
#pragma once
#include <atomic>

namespace benchbench {

void listen_for_interrupts();
const std::atomic<bool>& interrupted() noexcept;
// 130 after SIGINT, 143 after SIGTERM, 0 where there was none.
int interrupt_exit_code() noexcept;

}  // namespace benchbench
