// The index of a history that somebody means harm with, its lines sealed: lines are taken or
// counted as damaged, and what was taken comes back from what is written of it.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "harness/core/error.h"
#include "harness/store/history_index.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/sealed_lines.h"

namespace benchbench {
namespace {

bool same(const KeptHistory& a, const KeptHistory& b) {
  if (a.series != b.series || a.runs.size() != b.runs.size()) return false;
  for (std::size_t i = 0; i < a.runs.size(); ++i)
    if (a.runs[i].folder != b.runs[i].folder || a.runs[i].values != b.runs[i].values ||
        a.runs[i].labels != b.runs[i].labels)
      return false;
  return true;
}

}  // namespace
}  // namespace benchbench

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace benchbench;
  static const fuzz::InputFile input(".index.jsonl"), written(".written.jsonl");
  const std::string lines = fuzz::sealed_lines(data, size);
  const std::string& path =
      input.hold(reinterpret_cast<const std::uint8_t*>(lines.data()), lines.size());
  const HistoryIndex index = read_history_index(path);
  const std::string& again = written.hold(nullptr, 0);
  try {
    write_history_index(again, index.kept);
  } catch (const StoreError&) {
    std::abort();
  }
  const HistoryIndex back = read_history_index(again);
  if (back.damaged != 0 || !same(index.kept, back.kept)) std::abort();
  return 0;
}
