// What loader mocks are beside their workers.
#pragma once
#include <optional>

#include "mocks/loaders/made_images.h"

namespace benchbench {

// A loader of made-up images. Its workers share a Work, which is made of the loader's context, has
// `images` and outlives them; each is a Worker made of that and its runtime.
template <class Work, class Worker>
class ImageLoader : public Loader {
 public:
  explicit ImageLoader(const LoaderContext& context) : work_(context) {}
  Layout layout() const override { return work_.images.layout(); }
  BatchSpec spec() const override { return work_.images.spec(); }
  std::uint32_t classes() const override { return work_.images.classes(); }
  std::optional<std::int64_t> find_label(SampleId id) const override {
    if constexpr (requires { work_.images.find_label(id); })
      return work_.images.find_label(id);
    else
      return std::nullopt;
  }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime& runtime) override {
    return std::make_unique<Worker>(work_, runtime);
  }
  MockTime mock_time() const noexcept override {
    if constexpr (requires { work_.mock_time; })
      return work_.mock_time.get();
    else
      return {};
  }

 protected:
  Work work_;
};

}  // namespace benchbench
