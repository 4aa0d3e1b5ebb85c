// The members of one tar file, in the order they lie.
#pragma once
#include <optional>
#include <string>

#include "scenarios/formats/shards/tar_header.h"
#include "scenarios/storage/read_file.h"

namespace benchbench::tar {

struct Member {
  Header header;
  std::uint64_t data = 0;  // where its bytes begin
};

// One thread. Every failure is a ScenarioError with the file and the byte where.
class Members {
 public:
  explicit Members(const std::string& path);
  // The next one, long names already in their place; nullopt at the end mark.
  std::optional<Member> next();
  // The data of a small member.
  std::string text_of(const Member& member) const;

 private:
  [[noreturn]] void refuse(const std::string& what) const;
  [[noreturn]] void refuse_sparse(const std::string& name) const;
  std::optional<Header> header_here() const;
  void require_data(const Member& member) const;

  std::string path_;
  ReadFile file_;
  std::uint64_t at_ = 0;
};

}  // namespace benchbench::tar
