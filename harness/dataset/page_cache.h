// The page cache of a data set's files.
#pragma once
#include <string>
#include <vector>

#include "harness/dataset/residency.h"
#include "harness/part/cache_control.h"

namespace benchbench {

// Over a folder (all regular files below it) or one file. The list of files is made at the first
// call that needs it; a file that has gone since, or that nobody here may read, is left out. Which
// way of asking tells the truth is tried on a file of the set, by reading it, dropping it and
// reading it again: the user's own data is only ever read, so no file of our own is written beside
// it.
class PageCache final : public CacheControl {
 public:
  explicit PageCache(std::string path) : path_(std::move(path)) {}

  std::string why_not() override;
  std::string method() override;
  std::uint64_t bytes() override;
  double resident(bool exact, const Alive& alive) override;
  void evict(const Alive& alive) override;
  void warm(const Alive& alive) override;

 private:
  struct Sampling {
    std::size_t stride;  // of the files
    std::uint64_t max;   // pages of each
  };

  Sampling sampling_for(bool exact) const noexcept;
  void look();
  void list_files();
  void find_method();
  bool tells_the_truth(const ResidencyMethod& method, const std::string& file) const;

  std::string path_;
  bool looked_ = false;
  std::string why_not_;
  const ResidencyMethod* method_ = nullptr;
  std::vector<std::string> files_;
  std::uint64_t bytes_ = 0;
};

// The name of a file system on which nothing can be proven or evicted, with why; empty for others.
// By statfs's f_type.
std::string unprovable_file_system(long type);

}  // namespace benchbench
