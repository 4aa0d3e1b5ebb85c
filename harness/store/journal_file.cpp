#include "harness/store/journal_file.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/files/whole_file.h"
#include "harness/store/record_reader.h"
#include "harness/store/sealed_line.h"

namespace benchbench {
namespace {

// The bytes of a million trials, several times over.
constexpr std::uint64_t kMostOfAJournal = std::uint64_t{1} << 36;

[[noreturn]] void damaged(const std::string& path, std::size_t line, std::string_view what) {
  constexpr std::string_view why = "the file was modified or the disk is failing";
  throw StoreError(
      fmt::format("{}:{}: {}", path, line, what),
      line == 1
          ? std::string(why)
          : fmt::format("{}; the lines before it are intact: keep a copy, leave its first {} in "
                        "place (head -n {}), and `run --resume` measures the others again",
                        why, line == 2 ? "line" : fmt::format("{} lines", line - 1), line - 1));
}

TrialRecord record_of(RecordReader& reader, const std::string& path, std::size_t line,
                      std::string_view text) {
  try {
    return reader.read(text);
  } catch (StoreError& e) {
    e.add_context(fmt::format("{}:{}", path, line));
    throw;
  }
}

void check_sequence(const std::string& path, std::size_t line, std::uint64_t sequence) {
  if (sequence != line - 1)
    damaged(path, line,
            fmt::format("this line has sequence number {}, expected {}: lines are missing or out "
                        "of order",
                        sequence, line - 1));
}

// Whether a write that was cut off may have left it: no line feed, or zeros, which a line has none
// of, where power was lost before some of its blocks were written. A flipped bit makes one zero at
// most, and none of a line's first byte.
bool is_torn(std::string_view rest) {
  return rest.find('\n') == std::string_view::npos || rest.starts_with('\0') ||
         rest.find(std::string_view("\0\0", 2)) != std::string_view::npos;
}

}  // namespace

JournalText read_journal(const std::string& path) {
  const std::string text = read_whole(path, kMostOfAJournal);
  JournalText journal;
  RecordReader reader;
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    const std::size_t line = journal.records.size() + 1;
    const bool last = end == std::string_view::npos || end + 1 == rest.size();
    if (end == std::string_view::npos || !is_whole(rest.substr(0, end))) {
      if (!last || !is_torn(rest)) damaged(path, line, "this line is damaged: wrong checksum");
      journal.torn_bytes = rest.size();
      break;
    }
    journal.records.push_back(record_of(reader, path, line, rest.substr(0, end)));
    check_sequence(path, line, journal.records.back().sequence);
    journal.good_bytes += end + 1;
    rest.remove_prefix(end + 1);
  }
  return journal;
}

}  // namespace benchbench
