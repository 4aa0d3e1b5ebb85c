// Every sample format, opened and half read when its files become shorter: each way of reading
// gives right bytes or says so.
#include <catch2/catch.hpp>

#include "harness/record/value.h"
#include "tests/contract/parts/damage.h"

namespace benchbench::test::shrinking {
namespace {

namespace fs = std::filesystem;
using damage::Outcome;
using damage::Seen;
using damage::Subject;

std::unique_ptr<Loader> shrinking_loader(const std::string& io, std::int64_t depth,
                                         const Subject& subject) {
  SettingsMap map;
  for (const Parameter& p :
       built_in_catalog().find(PartKind::loader, "native")->description->parameters) {
    if (p.standard == "none" && p.type != ParameterType::choice) continue;
    map.set("loader." + std::string(p.key), p.type == ParameterType::choice
                                                ? Value{p.type, std::string(p.standard)}
                                                : *Value::parse(p.type, p.standard));
  }
  map.set("loader.payload", {ParameterType::choice, std::string("raw_bytes")});
  map.set("loader.io", {ParameterType::choice, io});
  map.set("loader.io_depth", {ParameterType::integer, depth});
  const PrefixedSettings settings(map, "loader.");
  return built_in_catalog()
      .maker(PartKind::loader, "native")
      .loader({.settings = settings,
               .dataset = {subject.name, subject.path},
               .catalog = &built_in_catalog()});
}

class FaultMeter final : public NullMeter {
 public:
  explicit FaultMeter(const Seen& before) : before_(before) {}
  void payload(SampleId id, std::span<const std::byte> stored) override {
    other |= !std::ranges::equal(stored, before_.bytes[id]);
  }
  void fault(SampleId, SampleFault, std::string_view, std::string_view) override { ++faults; }
  bool other = false;
  int faults = 0;

 private:
  const Seen& before_;
};

void shrink(const Subject& subject) {
  for (const Subject::File& file : subject.files)
    if (!Subject::is_own_index(file.path)) fs::resize_file(file.path, file.bytes.size() / 10);
}

// One sample before, all after. A worker that gives up with the reason in a PartError says so too.
Outcome read_while_shrinking(const Subject& subject, const Seen& before, const std::string& io,
                             std::int64_t depth) try {
  const auto runtime = make_real_runtime();
  const auto loader = shrinking_loader(io, depth, subject);
  const BatchSpec spec = loader->spec();
  std::vector<SampleRef> refs;
  for (SampleId id = 0; id < before.bytes.size(); ++id) refs.push_back({id, id});
  std::vector<std::int64_t> raw(2 * refs.size()), labels(refs.size());
  FaultMeter meter(before);
  const auto worker = loader->worker(0, *runtime);
  const auto fill = [&](std::uint64_t batch, std::size_t count) {
    const std::array<TensorView, 2> views{
        TensorView{spec.tensor[0], static_cast<std::int64_t>(refs.size()),
                   reinterpret_cast<std::byte*>(raw.data())},
        TensorView{spec.tensor[1], static_cast<std::int64_t>(refs.size()),
                   reinterpret_cast<std::byte*>(labels.data())}};
    const BatchRequest request{.epoch = 0,
                               .batch = batch,
                               .samples = std::span(refs).first(count),
                               .rows = RowSpan(views, 0, count)};
    if (depth > 0) loader->expect(request);
    worker->fill(request, meter);
  };
  fill(0, 1);
  if (meter.faults || meter.other) return Outcome::wrong_error;
  shrink(subject);
  fill(1, refs.size());
  return meter.other ? Outcome::other_bytes : meter.faults ? Outcome::refused_read : Outcome::same;
} catch (const DeviceError&) {
  return Outcome::refused_open;  // this engine is not to be had here
} catch (const Error& error) {
  return error.kind() == ErrorKind::part ? Outcome::refused_read : Outcome::wrong_error;
}

// The readers of the archive itself.
Outcome read_by(bool library, const Subject& subject, const Seen& before) {
  const auto runtime = make_real_runtime();
  const auto archive = subject.format.open(subject.path);
  const auto reader = library ? archive->library_reader(*runtime) : archive->reader(*runtime);
  if (!reader) return Outcome::refused_open;
  NullMeter meter;
  reader->read(0, 0, meter);
  shrink(subject);
  return damage::compare(*reader, before);
}

TEST_CASE(
    "shrinking: a file that becomes shorter while it is read is told, by every engine and reader",
    "[contract][damage]") {
  struct Way {
    const char* io;
    std::int64_t depth;
  };
  constexpr Way kWays[] = {{"pread", 0},  {"pread", 4},    {"mmap", 0},
                           {"mmap", 4},   {"io_uring", 0}, {"io_uring", 4},
                           {"direct", 0}, {"direct", 4},   {"library", 0}};
  int told = 0;
  for (const PartRow& row : built_in_catalog().rows()) {
    if (row.description->kind != PartKind::sample_format || !row.maker.format.opens) continue;
    const Holds& holds = row.description->holds;
    const PayloadSpec payload =
        holds.images   ? PayloadSpec{}
        : holds.tokens ? PayloadSpec{DataKind::tokens, DType::uint16, {}}
                       : PayloadSpec{DataKind::volume, DType::int16, Shape{{7, 8, 9}, 3}};
    const Subject subject(*row.description, row.maker.format, payload);
    const Seen before = damage::see(subject);
    const auto outcomes = damage::in_children(
        std::size(kWays) + 2,
        [&](std::size_t i) {
          const Outcome outcome =
              i < std::size(kWays)
                  ? read_while_shrinking(subject, before, kWays[i].io, kWays[i].depth)
                  : read_by(i > std::size(kWays), subject, before);
          subject.restore();
          return outcome;
        },
        [&] { subject.restore(); });
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      INFO(subject.name << " by "
                        << (i < std::size(kWays)   ? kWays[i].io
                            : i > std::size(kWays) ? "its library"
                                                   : "its reader")
                        << ", way " << i << ": "
                        << damage::kOutcomes[static_cast<int>(outcomes[i])]);
      told += outcomes[i] == Outcome::refused_read;
      // A file that is its sample is as long as it is when it is opened.
      const bool may_shrink = row.description->on_disk.files == FormatFiles::tree_only;
      CHECK((outcomes[i] <= Outcome::refused_read ||
             (may_shrink && outcomes[i] == Outcome::other_bytes)));
    }
  }
  CHECK(told > 20);
}

}  // namespace
}  // namespace benchbench::test::shrinking
