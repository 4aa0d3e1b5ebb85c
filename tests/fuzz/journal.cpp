// A journal that somebody means harm with, its lines sealed: every line is read, or a StoreError
// names one; only the last may be torn.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "harness/core/error.h"
#include "harness/store/journal_file.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/sealed_lines.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace benchbench;
  static const fuzz::InputFile input(".jsonl");
  const std::string lines = fuzz::sealed_lines(data, size);
  const std::string& path =
      input.hold(reinterpret_cast<const std::uint8_t*>(lines.data()), lines.size());
  try {
    const JournalText journal = read_journal(path);
    if (journal.good_bytes + journal.torn_bytes != lines.size()) std::abort();
    for (std::size_t i = 0; i < journal.records.size(); ++i)
      if (journal.records[i].sequence != i) std::abort();
  } catch (const StoreError& e) {
    if (std::string(e.what()).find(path) == std::string::npos &&
        std::string(e.context()).find(path) == std::string::npos)
      std::abort();
  }
  return 0;
}
