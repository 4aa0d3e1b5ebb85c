// Sequences of tokens end to end in a flat file.
//
// A folder with pairs NAME.idx and NAME.bin, in the order of their names, or one of the two files:
// the .bin holds the elements and nothing else, the .idx where each sequence lies (token_index.h:
// Megatron-LM's own). What we write is tokens.idx, tokens.bin and, in .benchbench-index, the names
// and labels that a token file has no place for; without it labels are 0. A .bin without an index
// is one stream, cut into blocks: nanoGPT's (uint16 tokens and nothing else) or llm.c's (the same
// behind its header of 1024 bytes).
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "harness/core/error.h"
#include "scenarios/formats/folder_scan.h"
#include "scenarios/formats/format_maker.h"
#include "scenarios/formats/placed_writer.h"
#include "scenarios/formats/sample_folder.h"
#include "scenarios/formats/token_index.h"
#include "scenarios/storage/read_file.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMadeOf = "tokens 1";
// Tokens: the context of GPT-2 and of nanoGPT's own configurations.
constexpr std::uint64_t kBlock = 1024;
constexpr std::uint64_t kHeaderBytes = 1024;     // of llm.c
constexpr std::int32_t kHeaderMagic = 20240520;  // of llm.c, GPT-2's tokens

[[noreturn]] void refuse(const std::string& path, std::string_view what) {
  throw ScenarioError(fmt::format("'{}': {}", path, what),
                      "expected: a folder with NAME.idx and NAME.bin, one of the two files, or a "
                      ".bin of uint16 tokens");
}

std::vector<std::byte> index_bytes(const std::string& path) {
  const ReadFile file = ReadFile::open(path.c_str());
  if (file.size() > kMaxTokenIndexBytes) refuse(path, "too large for a token index");
  std::vector<std::byte> bytes(file.size());
  file.read_at(0, bytes, path);
  return bytes;
}

bool lie_alike(const SampleTable& a, const SampleTable& b) {
  if (a.size() != b.size()) return false;
  for (SampleId id = 0; id < a.size(); ++id)
    if (a.offset(id) != b.offset(id) || a.length(id) != b.length(id) || a.shard(id) != b.shard(id))
      return false;
  return true;
}

// What lies at a path, in order.
class Gathering {
 public:
  void add_pair(const std::string& stem) {
    const std::string bin = stem + ".bin", idx = stem + ".idx";
    const auto bytes = index_bytes(idx);
    const TokenIndex index = parse_token_index(bytes, ReadFile::open(bin.c_str()).size(), idx);
    take_type(index.dtype, idx);
    for (std::size_t i = 0; i < index.lengths.size(); ++i)
      add(index.offsets[i], index.lengths[i] * size_of(index.dtype));
    parts_.files.push_back(bin);
  }

  void add_stream(const std::string& bin) {
    const ReadFile file = ReadFile::open(bin.c_str());
    const std::uint64_t begin = stream_begin(file, bin);
    if (file.size() == begin || (file.size() - begin) % sizeof(std::uint16_t) != 0)
      refuse(bin, fmt::format("it has no index, and its {} bytes are not a stream of uint16 tokens",
                              file.size()));
    take_type(DType::uint16, bin);
    for (std::uint64_t at = begin; at < file.size(); at += kBlock * sizeof(std::uint16_t))
      add(at, std::min(kBlock * sizeof(std::uint16_t), file.size() - at));
    parts_.files.push_back(bin);
    parts_.remark =
        fmt::format("a stream of uint16 tokens without an index, cut into blocks of {}", kBlock);
  }

  // Names and labels, where we wrote them and nobody has changed the tokens since.
  void take_names(const std::string& folder) {
    auto kept = read_only_index(folder + kFolderIndex, kMadeOf);
    if (!kept || !lie_alike(kept->table, parts_.table)) return;
    refuse_unsafe_names(kept->table, folder);
    refuse_bad_labels(kept->table, folder);
    parts_.table = std::move(kept->table);
  }

  std::unique_ptr<SampleArchive> archive() && {
    return std::make_unique<TableArchive>(std::move(parts_));
  }

 private:
  void add(std::uint64_t offset, std::uint64_t bytes) {
    const auto file = static_cast<std::uint32_t>(parts_.files.size());
    parts_.table.add(fmt::format("{:08}.tok", parts_.table.size()), 0, offset, bytes, file);
  }

  void take_type(DType type, const std::string& path) {
    if (!parts_.files.empty() && parts_.payload.dtype != type)
      refuse(path, fmt::format("its tokens are {}, the previous ones are {}", name_of(type),
                               name_of(parts_.payload.dtype)));
    parts_.payload = {.data = DataKind::tokens, .dtype = type};
  }

  static std::uint64_t stream_begin(const ReadFile& file, const std::string& path) {
    if (file.size() < kHeaderBytes) return 0;
    std::int32_t head[3];  // magic, version, tokens
    file.read_at(0, std::as_writable_bytes(std::span(head)), path);
    const bool ours = head[0] == kHeaderMagic && head[1] == 1 &&
                      static_cast<std::uint64_t>(static_cast<std::uint32_t>(head[2])) * 2 ==
                          file.size() - kHeaderBytes;
    return ours ? kHeaderBytes : 0;
  }

  TableArchive::Parts parts_;
};

std::vector<std::string> stems_in(const std::string& folder) {
  std::vector<std::string> stems;
  std::error_code error;
  for (auto at = fs::directory_iterator(folder, error); !error && at != fs::end(at);
       at.increment(error))
    if (at->path().extension() == ".idx")
      stems.push_back(at->path().parent_path() / at->path().stem());
  if (error) refuse(folder, error.message());
  if (stems.empty()) refuse(folder, "no .idx in this folder");
  std::ranges::sort(stems);  // bytes, not locale
  return stems;
}

std::unique_ptr<SampleArchive> open_tokens(const std::string& text, const ColumnNames&) {
  const fs::path path(text);
  Gathering found;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    for (const std::string& stem : stems_in(path)) found.add_pair(stem);
    found.take_names(path);
    return std::move(found).archive();
  }
  if (!fs::exists(path, ignored)) refuse(path, "it does not exist");
  if (path.extension() != ".bin" && path.extension() != ".idx")
    refuse(path, "not a token file: neither .bin nor .idx");
  const std::string stem = path.parent_path() / path.stem();
  if (path.extension() == ".idx" || fs::exists(stem + ".idx", ignored))
    found.add_pair(stem);
  else
    found.add_stream(path);
  return std::move(found).archive();
}

class TokensWriter final : public PlacedWriter {
 public:
  explicit TokensWriter(const WriteOrder& order) : PlacedWriter(order) {
    if (order.payload.data != DataKind::tokens || !is_token_type(order.payload.dtype))
      throw ScenarioError(
          fmt::format("'{}': format tokens holds only sequences of whole numbers", order.path));
    index_.dtype = order.payload.dtype;
    make_data_folders(place_.beside());
    bin_ = WriteFile::create(place_.beside() + "/tokens.bin");
    names_.made_of = kMadeOf;
  }

 private:
  void write(std::string_view name, std::int64_t label, ByteSpan payload) override {
    const std::size_t element = size_of(index_.dtype);
    if (payload.size() % element != 0 || payload.size() / element > 0x7FFFFFFF)
      throw ScenarioError(fmt::format("'{}': the {} bytes of '{}' are not a sequence of {}",
                                      place_.path(), payload.size(), name, name_of(index_.dtype)));
    index_.offsets.push_back(bin_.size());
    index_.lengths.push_back(static_cast<std::uint32_t>(payload.size() / element));
    names_.table.add(name, label, bin_.size(), payload.size());
    bin_.write(payload);
  }

  void complete() override {
    bin_.close(/*sync=*/false);
    WriteFile idx = WriteFile::create(place_.beside() + "/tokens.idx");
    idx.write(token_index_bytes(index_));
    idx.close(/*sync=*/false);
    write_folder_index(place_.beside(), names_);
  }

  WriteFile bin_;
  TokenIndex index_;
  ArchiveIndex names_;
};

}  // namespace

namespace parts {

extern const PartDescription sample_format_tokens_description{
    .kind = PartKind::sample_format,
    .name = "tokens",
    .summary =
        "Token sequences end to end in a flat file with an index, as Megatron-LM writes them; also "
        "reads nanoGPT's and llm.c's .bin.",
    .data = DataKind::tokens,
    .stages = kReadStage,
    .holds = {.tokens = true},
    .on_disk = {.files = FormatFiles::shards,
                .weak_extensions = {".bin"},
                .signature = kTokenIndexMagic,
                .standard_of = {.tokens = true}},
};

PartMaker sample_format_tokens_maker() { return format_maker<open_tokens, TokensWriter>(); }

}  // namespace parts
}  // namespace benchbench
