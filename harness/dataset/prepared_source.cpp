// The images of another source, prepared ahead of time.
#include <vector>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/dataset/sample_source.h"

namespace benchbench {
namespace {

// By id, each entry written by the one thread that makes the sample; read by who has been handed
// it.
struct Seen {
  explicit Seen(std::uint64_t samples) : digests(samples), undecodable(samples) {}
  std::vector<Digest> digests;  // of what the source stores
  std::vector<unsigned char> undecodable;
};

class PreparedSource final : public SampleSource {
 public:
  PreparedSource(std::unique_ptr<SampleSource> source, const DatasetNeed& need,
                 const Catalog& catalog)
      : source_(std::move(source)),
        name_(need.prepare),
        size_(static_cast<int>(need.prepare_size)),
        factory_(catalog.maker(PartKind::preparation, need.prepare).preparation),
        one_(factory_(size_)),
        seen_(source_->samples()) {
    if (!source_->payload().encoded_image())
      throw ScenarioError(fmt::format("dataset.prepare: {} needs encoded images, and {} holds none",
                                      name_, source_->text()),
                          "leave dataset.prepare out for volumes, tokens and pixels");
  }
  std::uint64_t samples() const override { return source_->samples(); }
  std::uint64_t bytes_estimate() const override { return one_->bytes_estimate() * samples(); }
  std::int64_t label(SampleId id) const override { return source_->label(id); }
  std::string name(SampleId id) const override { return source_->name(id); }
  PayloadSpec payload() const override { return one_->payload(); }
  SampleMaker maker(Runtime& runtime) const override {
    const std::shared_ptr<Preparation> preparation = factory_(size_);
    return [this, source = source_->maker(runtime), preparation](SampleId id,
                                                                 const PayloadSink& sink) {
      source(id, [&](std::span<const std::byte> stored) {
        seen_.digests[id] = digest_of(stored);
        seen_.undecodable[id] = !preparation->make(stored, sink);
      });
    };
  }
  bool blank(SampleId id) const override { return seen_.undecodable.at(id) != 0; }
  std::string origin() const override {
    Digester digester;
    for (const Digest& digest : seen_.digests) digester.add(digest.text());
    return digester.finish().text();
  }
  std::string remark() const override { return source_->remark(); }
  std::string text() const override {
    return fmt::format("{} of {} pixels, from {}", name_, size_, source_->text());
  }

 private:
  std::unique_ptr<SampleSource> source_;
  std::string name_;
  int size_;
  PreparationFactory factory_;
  std::unique_ptr<Preparation> one_;
  mutable Seen seen_;  // filled by the makers
};

}  // namespace

std::unique_ptr<SampleSource> prepared_source(std::unique_ptr<SampleSource> source,
                                              const DatasetNeed& need, const Catalog& catalog) {
  return std::make_unique<PreparedSource>(std::move(source), need, catalog);
}

}  // namespace benchbench
