// The goals of the hand-over: a loader in the trial's pool against the same work in a bare loop,
// made-up batches against memcpy.
#include <fmt/format.h>

#include <cstring>

#include "harness/core/error.h"
#include "harness/micro/benchmarks.h"
#include "harness/micro/figures/figure.h"
#include "harness/micro/figures/paired.h"
#include "harness/micro/pool_and_loop.h"

namespace benchbench::micro {
namespace {

constexpr int kWorkRounds = 21;

// The JPEG work of the table: bytes in memory to uint8 rows of 224 x 224.
WorkOrder jpeg_work(Workbench& bench, std::uint32_t workers) {
  return {.loader = "native",
          .settings = {{"residency", "host"}, {"transform.random_resized_crop", "224"}},
          .dataset = bench.data({.kind = DataKind::image, .samples = 256}),
          .workers = workers,
          .batch_size = 32,
          .batches = 4 * workers};
}

FigureResult pool_against_loop(PoolAndLoop& pool, PoolAndLoop& loop) {
  return measure_in_rounds(
      kWorkRounds, [&] { return pool.pool(); }, [&] { return loop.loop(); },
      samples_a_second(pool.samples()));
}

template <std::uint32_t workers>
FigureResult jpeg_pool(Workbench& bench) {
  PoolAndLoop work(bench, jpeg_work(bench, workers));
  return pool_against_loop(work, work);
}

// Our own gain from a second worker over the bare loop's, all four in each round.
FigureResult jpeg_scaling(Workbench& bench) {
  if (usable_cores() < 2) throw PartError("cannot scale on a single core");
  PoolAndLoop one(bench, jpeg_work(bench, 1));
  PoolAndLoop two(bench, jpeg_work(bench, 2));
  const Side sides[] = {[&] { return one.pool(); }, [&] { return two.pool(); },
                        [&] { return one.loop(); }, [&] { return two.loop(); }};
  const auto times = in_rounds(kWorkRounds, sides);
  const double more = two.samples() / one.samples();  // two workers are given as many batches each
  const auto gain = [&](std::size_t at) {
    std::vector<double> gains = ratios_of(times[at], times[at + 1]);
    for (double& g : gains) g *= more;
    return gains;
  };
  const auto ours = gain(0);
  const auto bare = gain(2);
  return {ratios_of(ours, bare),
          fmt::format("{:.3f} times one worker", median_interval(ours).middle),
          fmt::format("{:.3f}", median_interval(bare).middle)};
}

// Copies one sample into each row: what delivering samples costs at the least.
class CopyLoader final : public Loader {
 public:
  explicit CopyLoader(const Loader& like)
      : spec_(like.spec()), layout_(like.layout()), sample_(spec_.bytes_per_row()) {}
  Layout layout() const override { return layout_; }
  BatchSpec spec() const override { return spec_; }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime&) override {
    return std::make_unique<Worker>(sample_);
  }

 private:
  class Worker final : public LoaderWorker {
   public:
    explicit Worker(const std::vector<std::byte>& sample) : sample_(sample) {}
    void fill(const BatchRequest& request, StageMeter&) override {
      for (std::size_t t = 0; t < request.rows.tensors().size(); ++t) {
        const std::size_t bytes = request.rows.tensors()[t].spec.bytes_per_row();
        for (std::size_t i = 0; i < request.rows.count(); ++i)
          std::memcpy(request.rows.row(t, i), sample_.data(), bytes);
      }
    }

   private:
    const std::vector<std::byte>& sample_;
  };
  BatchSpec spec_;
  Layout layout_;
  std::vector<std::byte> sample_;
};

template <std::uint32_t workers>
FigureResult mock_delivered(Workbench& bench) {
  PoolAndLoop mock(bench, mock_work(workers));
  CopyLoader copying(mock.loader());
  PoolAndLoop copies(bench, mock_work(workers), copying);
  return pool_against_loop(mock, copies);
}

constexpr Figure kWorkFigures[] = {
    {"jpeg_pool/workers:1", "the bare loop's rate", 0.99, jpeg_pool<1>},
    {"jpeg_pool/workers:2", "the bare loop's rate", 0.99, jpeg_pool<2>},
    {"jpeg_scaling/workers:1to2", "the bare loop's own scaling", 0.985, jpeg_scaling},
    {"mock_150KBx256/workers:1", "memcpy into recycled buffers", 0.95, mock_delivered<1>},
    {"mock_150KBx256/workers:2", "memcpy into recycled buffers", 0.95, mock_delivered<2>},
};

}  // namespace

void register_figures_at_work(Workbench& bench) { register_figures(bench, kWorkFigures); }

}  // namespace benchbench::micro
