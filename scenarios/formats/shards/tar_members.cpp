#include "scenarios/formats/shards/tar_members.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/parse_number.h"

namespace benchbench::tar {
namespace {

constexpr std::uint64_t kLongestText = 1 << 20;  // of a long name, of pax records, of a class

ReadFile open(const std::string& path) try {
  return ReadFile::open(path.c_str());
} catch (const PartError& error) {
  throw ScenarioError(error.message());
}

}  // namespace

Members::Members(const std::string& path) : path_(path), file_(open(path)) {}

std::optional<Member> Members::next() {
  std::string long_name, sparse_name;
  std::optional<std::uint64_t> long_size;
  while (const std::optional<Header> header = header_here()) {
    Member member{*header, at_ + kBlock};
    if (header->regular() && long_size) member.header.size = *long_size;
    require_data(member);
    if (header->type == 'L') {
      const std::string text = text_of(member);
      long_name = text.substr(0, text.find('\0'));
    } else if (header->type == 'x') {
      const std::string records = text_of(member);
      if (auto path = pax_value(records, "path")) long_name = *path;
      if (pax_value(records, "GNU.sparse.major") || pax_value(records, "GNU.sparse.size") ||
          pax_value(records, "GNU.sparse.map"))
        sparse_name = pax_value(records, "GNU.sparse.name").value_or("a member");
      // An empty one leaves the header's.
      if (const auto size = pax_value(records, "size"); size && !size->empty()) {
        long_size = parse_number<std::uint64_t>(*size);
        if (!long_size) refuse(fmt::format("invalid size '{}'", size->substr(0, 40)));
      }
    }
    if (header->type == 'S') sparse_name = long_name.empty() ? header->name : long_name;
    if (!sparse_name.empty() && header->type != 'x' && header->type != 'L')
      refuse_sparse(sparse_name);
    at_ = member.data + padded(member.header.size);
    if (header->type == 'L' || header->type == 'x') continue;
    if (!long_name.empty()) member.header.name = long_name;
    return member;
  }
  return std::nullopt;
}

std::string Members::text_of(const Member& member) const {
  if (member.header.size > kLongestText)
    refuse(fmt::format("a text of {} bytes", member.header.size));
  std::string text(member.header.size, '\0');
  file_.read_at(member.data, std::as_writable_bytes(std::span(text)), path_);
  return text;
}

void Members::refuse(const std::string& what) const {
  throw ScenarioError(fmt::format("'{}', at byte {}: {}", path_, at_, what),
                      "copy or download the file again; `tar tf FILE` lists its contents");
}

void Members::refuse_sparse(const std::string& name) const {
  throw ScenarioError(
      fmt::format("'{}', at byte {}: '{}' is a sparse member: its bytes are stored in pieces",
                  path_, at_, name),
      "pack the files again without --sparse");
}

std::optional<Header> Members::header_here() const {
  const std::uint64_t left = file_.size() - std::min(at_, file_.size());
  if (left == 0) refuse("the tar file has no end marker: it is truncated between two members");
  if (left < kBlock)
    refuse(fmt::format("the tar file is truncated in a header: {} of {} bytes are there", left,
                       kBlock));
  Block block;
  file_.read_at(at_, block, path_);
  if (is_zero(block)) return std::nullopt;
  auto header = parse_header(block);
  if (!header && block[0] == std::byte{0x1F} && block[1] == std::byte{0x8B})
    refuse("compressed with gzip: unpack it first");
  if (!header)
    refuse(at_ == 0 ? "this is not a tar file"
                    : "a member header is missing: the tar file is damaged");
  return header;
}

void Members::require_data(const Member& member) const {
  const std::uint64_t size = member.header.size;
  const std::uint64_t there = file_.size() - member.data;
  if (size <= there && padded(size) <= there) return;
  refuse(fmt::format("the tar file is truncated in the data of '{}': {} of {} bytes are there",
                     member.header.name, std::min(there, size), size));
}

}  // namespace benchbench::tar
