#include "harness/dataset/sample_source.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/spelling.h"

namespace benchbench {
namespace {

constexpr std::string_view kPrefix = "dataset.synthesize.";

// The synthesis whose own keys ("image.mean_width") are among the settings.
std::string synthesis_name(const SettingsMap& settings, const Catalog& catalog) {
  for (const std::string& name : catalog.names(PartKind::synthesis)) {
    const std::string prefix = fmt::format("{}{}.", kPrefix, name);
    const auto first = settings.all().lower_bound(prefix);
    if (first != settings.all().end() && first->first.starts_with(prefix)) return name;
  }
  throw ScenarioError(
      "dataset.synthesize does not say what to synthesise",
      fmt::format("set keys of one of: {}", listed(catalog.names(PartKind::synthesis))));
}

int digits(std::uint64_t n) { return static_cast<int>(std::to_string(n).size()); }

class SynthesisSource final : public SampleSource {
 public:
  SynthesisSource(const DatasetNeed& need, const Catalog& catalog)
      : settings_(need.synthesize), name_(synthesis_name(settings_, catalog)) {
    const PrefixedSettings view(settings_, std::string(kPrefix));
    synthesis_ = catalog.maker(PartKind::synthesis, name_).synthesis(view);
    class_digits_ = std::max(4, digits(synthesis_->classes() - 1));
    sample_digits_ = std::max(6, digits(synthesis_->samples() - 1));
  }
  std::uint64_t samples() const override { return synthesis_->samples(); }
  PayloadSpec payload() const override { return synthesis_->payload(); }
  std::uint64_t bytes_estimate() const override { return synthesis_->bytes_estimate(); }
  std::int64_t label(SampleId id) const override { return synthesis_->label(id); }
  std::string name(SampleId id) const override {
    return fmt::format("n{:0{}}/{:0{}}{}", label(id), class_digits_, id, sample_digits_,
                       synthesis_->extension());
  }
  SampleMaker maker(Runtime&) const override {
    return [this](SampleId id, const PayloadSink& sink) { synthesis_->make(id, sink); };
  }
  std::string text() const override {
    std::string text = fmt::format("synthesis {}", name_);
    for (const auto& [key, value] : settings_.all())
      text += fmt::format(" {}={}", key.substr(kPrefix.size()), value.text());
    return text;
  }

 private:
  SettingsMap settings_;
  std::string name_;
  std::unique_ptr<Synthesis> synthesis_;
  int class_digits_ = 4;
  int sample_digits_ = 6;
};

// Empty where one of the user's files cannot be read; what we made ourselves must be whole.
std::span<const std::byte> payload_of(SampleReader& reader, SampleId id, bool ours) try {
  NullMeter meter;
  return reader.read(id, 0, meter).payload;
} catch (const PartError&) {
  if (ours) throw;
  return {};
}

class ArchiveSource final : public SampleSource {
 public:
  ArchiveSource(const DatasetPlace& place, std::uint64_t bytes, std::optional<Manifest> manifest,
                const Catalog& catalog)
      : text_(fmt::format("{} '{}'", place.format, place.path)),
        bytes_(bytes),
        manifest_(std::move(manifest)),
        archive_(catalog.maker(PartKind::sample_format, place.format)
                     .format.open(place.path, place.columns)) {}
  std::uint64_t samples() const override { return archive_->layout().samples; }
  PayloadSpec payload() const override { return archive_->payload(); }
  std::uint64_t bytes_estimate() const override { return bytes_; }
  std::int64_t label(SampleId id) const override { return archive_->label_of(id); }
  std::string name(SampleId id) const override { return std::string(archive_->name_of(id)); }
  SampleMaker maker(Runtime& runtime) const override {
    const std::shared_ptr<SampleReader> reader = archive_->reader(runtime);
    return [reader, ours = manifest_.has_value()](SampleId id, const PayloadSink& sink) {
      sink(payload_of(*reader, id, ours));
    };
  }
  const Manifest* expected() const override { return manifest_ ? &*manifest_ : nullptr; }
  std::string text() const override { return text_; }
  std::string remark() const override { return std::string(archive_->remark()); }

 private:
  std::string text_;
  std::uint64_t bytes_;
  std::optional<Manifest> manifest_;
  std::unique_ptr<SampleArchive> archive_;
};

}  // namespace

std::unique_ptr<SampleSource> synthesis_source(const DatasetNeed& need, const Catalog& catalog) {
  return std::make_unique<SynthesisSource>(need, catalog);
}

std::unique_ptr<SampleSource> archive_source(const DatasetPlace& place, std::uint64_t bytes,
                                             std::optional<Manifest> manifest,
                                             const Catalog& catalog) {
  return std::make_unique<ArchiveSource>(place, bytes, std::move(manifest), catalog);
}

}  // namespace benchbench
