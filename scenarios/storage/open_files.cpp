#include "scenarios/storage/open_files.h"

namespace benchbench {

const ReadFile& OpenFiles::open(std::uint32_t number, ReadFile& own) {
  if (const ReadFile* const there = kept_.find(number)) return *there;
  own = ReadFile::open_at(extents_.folder(), extents_.path(number).data(), more_flags_);
  if (!keeps()) return own;
  auto made = std::make_unique<const ReadFile>(std::move(own));
  own = {};
  return kept_.keep(number, std::move(made));
}

}  // namespace benchbench
