// What every sample format of the catalogue does with damaged files: a new row is under test at
// once. BENCHBENCH_DAMAGE_TABLE in the environment prints how often each damage had which outcome.
#include <sys/stat.h>
#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/contract/parts/damage.h"
#include "tests/sweep.h"

namespace benchbench::test::damage {
namespace {

std::vector<PayloadSpec> damage_payloads_of(const Holds& holds) {
  std::vector<PayloadSpec> payloads;
  if (holds.images) payloads.push_back({});
  if (holds.pixels) payloads.push_back({DataKind::image, DType::uint8, Shape{{21, 23, 3}, 3}});
  if (holds.volumes) payloads.push_back({DataKind::volume, DType::int16, Shape{{7, 8, 9}, 3}});
  if (holds.tokens) payloads.push_back({DataKind::tokens, DType::uint16, {}});
  return payloads;
}

// Each format that is in this program or in a module that is there, with each kind of payload that
// it holds.
template <class Use>
void for_each_damageable(Use use) {
  int formats = 0;
  for (const PartRow& row : built_in_catalog().rows()) {
    if (row.description->kind != PartKind::sample_format) continue;
    const FormatPart* format = nullptr;
    try {
      format = &built_in_catalog().maker(PartKind::sample_format, row.description->name).format;
    } catch (const DeviceError&) {
      continue;
    }
    ++formats;
    for (const PayloadSpec& payload : damage_payloads_of(row.description->holds))
      use(*row.description, *format, payload);
  }
  REQUIRE(formats >= 3);
}

void tell(const Subject& subject, const char* damage, const Outcomes& outcomes) {
  if (std::getenv("BENCHBENCH_DAMAGE_TABLE"))
    std::printf("%-17s kind %d  %-34s %s\n", subject.name.c_str(),
                static_cast<int>(subject.payload.data) * 10 + subject.payload.row.rank, damage,
                words_of(outcomes).c_str());
}

// A third of them in the first 600 bytes, a third in the last 600, a third all over the file.
std::vector<Damage> flips_of(const Subject& subject) {
  std::vector<Damage> damages;
  const std::uint64_t each =
      std::max<std::uint64_t>(9, test::sweep_size(48, 240) / subject.files.size());
  for (std::size_t file = 0; file < subject.files.size(); ++file) {
    const std::uint64_t size = subject.files[file].bytes.size(),
                        edge = std::min<std::uint64_t>(size, 600);
    for (std::uint64_t i = 0; i < each && size > 0; ++i) {
      const std::uint64_t k = i / 3, third = each / 3 + 1;
      const std::uint64_t at = i % 3 == 0   ? k * edge / third
                               : i % 3 == 1 ? size - 1 - k * edge / third
                                            : k * size / third;
      damages.push_back(flip(file, at, static_cast<unsigned>((at * 5 + i) % 8)));
    }
  }
  return damages;
}

TEST_CASE("damage: an archive cut anywhere is refused, or what is left of it reads as it was",
          "[contract][damage]") {
  for_each_damageable(
      [](const PartDescription& description, const FormatPart& format, const PayloadSpec& payload) {
        for (const bool ours : {true, false}) {
          Subject subject(description, format, payload);
          if (!ours) subject.drop_own_index();
          std::vector<Damage> cuts;
          for (std::size_t file = 0; file < subject.files.size(); ++file)
            for (const std::uint64_t percent : {98, 50, 10, 2, 0})
              cuts.push_back(damage::cut(file, subject.files[file].bytes.size() * percent / 100));
          // A file that is its sample is as long as it is: only its decoder, and the digest, can
          // tell.
          const bool may_shrink = description.on_disk.files == FormatFiles::tree_only;
          const Result result = may_shrink ? suffer(subject, cuts, {Outcome::other_bytes})
                                           : suffer(subject, cuts, {});
          INFO(description.name << (ours ? "" : ", without our index") << ", kind "
                                << static_cast<int>(payload.data));
          tell(subject, ours ? "cut" : "cut, no index of ours", result.count);
          CHECK(result.bad == "");
          CHECK(result.count[static_cast<std::size_t>(Outcome::refused_open)] +
                    result.count[static_cast<std::size_t>(Outcome::refused_read)] +
                    result.count[static_cast<std::size_t>(Outcome::other_bytes)] >
                0);
        }
      });
}

TEST_CASE(
    "damage: one flipped bit is told where the format has check sums, and never does worse than "
    "change what it hits",
    "[contract][damage]") {
  for_each_damageable([](const PartDescription& description, const FormatPart& format,
                         const PayloadSpec& payload) {
    for (const bool ours : {true, false}) {
      Subject subject(description, format, payload);
      if (!ours) subject.drop_own_index();
      const auto flips = flips_of(subject);
      const Result result =
          description.on_disk.check_sums
              ? suffer(subject, flips, {Outcome::other_words})
              : suffer(subject, flips, {Outcome::other_words, Outcome::other_bytes});
      INFO(description.name << (ours ? "" : ", without our index") << ", kind "
                            << static_cast<int>(payload.data));
      tell(subject, ours ? "one bit" : "one bit, no index of ours", result.count);
      CHECK(result.bad == "");
      // Flips that nobody noticed at all would mean that nothing was read.
      CHECK(result.count[static_cast<std::size_t>(Outcome::same)] < static_cast<int>(flips.size()));
    }
  });
}

Damage replaced(std::size_t file, const char* by, void (*make)(const fs::path&)) {
  return {file, std::string("replaced by ") + by, [make](const Subject::File& f) {
            fs::remove_all(f.path);
            make(f.path);
          }};
}
void make_pipe(const fs::path& path) { ::mkfifo(path.c_str(), 0600); }
void make_folder(const fs::path& path) { fs::create_directories(path); }
void make_device(const fs::path& path) { fs::create_symlink("/dev/zero", path); }
void make_circle(const fs::path& path) { fs::create_symlink(path, path); }

TEST_CASE(
    "damage: a pipe, a folder, a device or a link to itself instead of a file is refused, and "
    "nobody waits for it",
    "[contract][damage]") {
  for_each_damageable(
      [](const PartDescription& description, const FormatPart& format, const PayloadSpec& payload) {
        Subject subject(description, format, payload);
        std::vector<Damage> damages;
        for (std::size_t file = 0; file < subject.files.size(); ++file) {
          damages.push_back(replaced(file, "a pipe", make_pipe));
          damages.push_back(replaced(file, "a folder", make_folder));
          damages.push_back(replaced(file, "/dev/zero", make_device));
          damages.push_back(replaced(file, "a link to itself", make_circle));
        }
        INFO(description.name);
        const Result result = suffer(subject, damages, {});
        tell(subject, "not a regular file", result.count);
        CHECK(result.bad == "");
        CHECK(result.count[static_cast<std::size_t>(Outcome::refused_open)] +
                  result.count[static_cast<std::size_t>(Outcome::refused_read)] >=
              4);

        const Seen before = see(subject);
        constexpr void (*kMakers[])(const fs::path&) = {make_pipe, make_device, make_circle};
        const auto whole = in_children(
            std::size(kMakers),
            [&](std::size_t i) {
              fs::remove_all(subject.path);
              kMakers[i](subject.path);
              return look(subject, before);
            },
            [] {});
        for (const Outcome outcome : whole)
          CHECK(std::string(kOutcomes[static_cast<int>(outcome)]) == "refused on opening");
      });
}

}  // namespace
}  // namespace benchbench::test::damage
