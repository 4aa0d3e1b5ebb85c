#include "scenarios/formats/shards/tar_writer.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "harness/core/error.h"
#include "scenarios/formats/folder_scan.h"
#include "scenarios/formats/shards/shard_index.h"
#include "scenarios/formats/shards/tar_header.h"
#include "scenarios/storage/write_file.h"

namespace benchbench::tar {
namespace {

constexpr std::uint64_t kShardBytes = 256ull << 20;

bool is_single(std::string_view path) { return path.ends_with(".tar"); }

class TarWriter final : public SampleWriter {
 public:
  explicit TarWriter(std::string_view path) : place_(std::string(path)), single_(is_single(path)) {
    if (!single_) make_data_folders(place_.beside());
  }

  void add(std::string_view name, std::int64_t label, std::span<const std::byte> payload) override {
    refuse_unsafe_name(name, place_.path());
    if (!file_ || (!single_ && file_->size() >= kShardBytes)) next_shard();
    file_->write(make_header(name, payload.size()));
    const std::uint64_t offset = file_->size();
    put_data(payload);
    const std::string text = std::to_string(label);
    file_->write(make_header(class_member(name), text.size()));
    put_data(std::as_bytes(std::span(text)));
    index_.table.add(name, label, offset, payload.size(),
                     static_cast<std::uint32_t>(index_.shards.size() - 1));
  }

  void finish() override {
    if (!file_) next_shard();  // no samples at all: an empty tar file
    end_shard();
    // The index of a single file lies beside it, and is in place first; it fits no other file.
    index_.made_of = own_stamp(kVersion, shards_);
    if (!write_index(own_index_at(single_ ? place_.path() : place_.beside(), single_), index_)) {
      throw ScenarioError(fmt::format("cannot write the index of '{}'", place_.path()));
    }
    place_.place();
  }

 private:
  // KEY.jpg -> KEY.cls
  static std::string class_member(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    const bool has_extension = dot != std::string_view::npos && dot > name.rfind('/') + 1;
    return fmt::format("{}.cls", has_extension ? name.substr(0, dot) : name);
  }

  void put_data(std::span<const std::byte> bytes) {
    file_->write(bytes);
    file_->write_zeros(padded(bytes.size()) - bytes.size());
  }

  void next_shard() {
    end_shard();
    const std::string name = fmt::format("shard-{:06}.tar", index_.shards.size());
    file_ =
        WriteFile::create(single_ ? place_.beside() : fmt::format("{}/{}", place_.beside(), name));
    index_.shards.push_back(single_ ? std::filesystem::path(place_.path()).filename().string()
                                    : name);
  }

  void end_shard() {
    if (!file_) return;
    file_->write_zeros(2 * kBlock);
    shards_.push_back({index_.shards.back(), file_->size()});
    file_->close(/*sync=*/true);
    file_.reset();
  }

  PendingPlace place_;
  bool single_;
  std::optional<WriteFile> file_;
  ArchiveIndex index_;
  std::vector<WrittenShard> shards_;
};

}  // namespace

std::unique_ptr<SampleWriter> create(const WriteOrder& order) {
  return std::make_unique<TarWriter>(order.path);
}

}  // namespace benchbench::tar
