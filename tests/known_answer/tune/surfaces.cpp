#include "tests/known_answer/tune/surfaces.h"

#include <functional>
#include <numeric>

namespace benchbench::test {
namespace {

Knob numbers(std::string name, KnobKind kind, const std::vector<double>& values,
             bool needs_workers = false) {
  Knob k{std::move(name), kind, {}, needs_workers};
  for (std::size_t i = 0; i < values.size(); ++i)
    k.values.push_back(
        {std::to_string(static_cast<int>(values[i])), values[i], static_cast<std::uint32_t>(i)});
  return k;
}

Knob choice_of(std::string name, KnobKind kind, std::uint32_t values) {
  Knob k{std::move(name), kind, {}, false};
  for (std::uint32_t i = 0; i < values; ++i) k.values.push_back({std::to_string(i), 0, i});
  return k;
}

template <class T>
const T& one_of(const std::vector<T>& all, Random& random) {
  return all[random.below(all.size())];
}

// Workers, depth, pinned memory, and one more of batch size, io_depth and a category; 60 to 200
// points.
Space random_space(Random& random, bool batch, bool io) {
  static const std::vector<std::vector<double>> workers = {
      {0, 1, 2, 4, 6, 8, 12, 16},
      {0, 2, 4, 8, 12, 16, 24, 32},
      {0, 1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24},
      {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};
  static const std::vector<std::vector<double>> depths = {
      {1, 2, 4, 8}, {2, 4, 8}, {2, 4}, {1, 2, 4, 8, 16}};
  for (;;) {
    std::vector<Knob> knobs = {
        numbers("num_workers", KnobKind::workers, one_of(workers, random)),
        numbers("prefetch_factor", KnobKind::depth, one_of(depths, random), true)};
    if (random.uniform() < 0.8) knobs.push_back(choice_of("pin_memory", KnobKind::flag, 2));
    if (batch) knobs.push_back(numbers("batch_size", KnobKind::batch_size, {32, 64, 128}));
    if (io) knobs.push_back(numbers("io_depth", KnobKind::count, {1, 4, 16, 64}));
    if (random.uniform() < 0.2)
      knobs.push_back(choice_of("multiprocessing_context", KnobKind::category, 2));
    Space space(std::move(knobs));
    if (space.points().size() >= 60 && space.points().size() <= 200) return space;
  }
}

// The machine behind a surface.
struct Machine {
  // Samples/s; one worker's rate is `one`.
  double one = 100, serial = 0.02, crosstalk = 0, cores = 8, trainer = 800;
  double variation = 0.4;   // coefficient of variation of both sides' batch times
  double copy = 0.05;       // of the step, hidden by pinned memory
  double contention = 0.1;  // of the trainer, where workers take every core
  double switching = 0.05;  // of the loader, for each `cores` of workers too many
  double context = 0.02;    // what the second start method costs
  double parent = 1e9, worker = 3e8, sample = 6e5;  // bytes
};

Machine random_machine(Random& random) {
  Machine m;
  m.one = 100 * std::exp(0.5 * random.normal());
  m.serial = random.uniform(0, 0.06);
  m.crosstalk = random.uniform() < 0.5 ? 0 : random.uniform(0.0002, 0.004);
  m.cores = one_of<double>({4, 8, 12, 16, 24}, random);
  m.trainer = m.one * std::exp(random.uniform(std::log(2.0), std::log(20.0)));
  m.variation = random.uniform(0, 1);
  m.copy = random.uniform(0, 0.08);
  m.contention = random.uniform(0, 0.25);
  m.switching = random.uniform(0, 0.15);
  m.context = random.uniform(-0.05, 0.05);
  return m;
}

double number_of(const Space& space, PointId p, const char* name, double otherwise) {
  for (std::size_t k = 0; k < space.knobs().size(); ++k)
    if (space.knobs()[k].name == name) return space.value(p, k).number;
  return otherwise;
}

std::uint32_t digit_of(const Space& space, PointId p, const char* name) {
  for (std::size_t k = 0; k < space.knobs().size(); ++k)
    if (space.knobs()[k].name == name) return space.index(p, k);
  return 0;
}

constexpr std::size_t kBatches = 300, kSkipped = 60;

// Factors of batch times about their mean, alike at all points.
struct Times {
  std::vector<double> make, step;
};

Times drawn_times(double variation, std::uint64_t seed) {
  Random random(seed);
  const double sigma = std::sqrt(std::log1p(variation * variation));
  Times t;
  for (std::size_t k = 0; k < kBatches; ++k) {
    t.make.push_back(std::exp(sigma * random.normal() - 0.5 * sigma * sigma));
    t.step.push_back(std::exp(sigma * random.normal() - 0.5 * sigma * sigma));
  }
  return t;
}

// Round robin, in order, by the recurrence. In units of `make` and `step`, the mean times.
double line_rate(std::size_t workers, std::size_t credits, double make, double step,
                 const Times& times) {
  std::vector<double> ready(kBatches), get(kBatches);
  double before = 0;
  for (std::size_t k = 0; k < kBatches; ++k) {
    const double free =
        std::max(k >= workers ? ready[k - workers] : 0, k >= credits ? get[k - credits] : 0);
    ready[k] = free + make * times.make[k];
    get[k] = std::max(before, ready[k]);
    before = get[k] + step * times.step[k];
  }
  return (kBatches - kSkipped) / (before - get[kSkipped - 1]);
}

struct Shape {
  double loader = 1, trainer = 1;  // factors on the machine's rates, of a family
};

double machine_rate(const Machine& m, const Space& space, PointId p, const Shape& shape,
                    const Times& times) {
  const double w = space.workers(p);
  const double pinned = 1 - m.copy * (digit_of(space, p, "pin_memory") ? 0 : 1);
  const double busy = std::clamp((w - 0.5 * m.cores) / m.cores, 0.0, 1.0);
  const double trainer = m.trainer * shape.trainer * pinned * (1 - m.contention * busy);
  const double one =
      m.one * shape.loader * (1 - m.context * digit_of(space, p, "multiprocessing_context"));
  if (w == 0) return 1 / (1 / one + 1 / trainer);
  double loader = one * w / (1 + m.serial * (w - 1) + m.crosstalk * w * (w - 1));
  loader = std::min(loader, one * m.cores) / (1 + m.switching * std::max(0.0, w / m.cores - 1));
  const auto workers = static_cast<std::size_t>(w),
             credits = static_cast<std::size_t>(w * space.depth(p));
  return line_rate(workers, credits, w / loader, 1 / trainer, times);
}

double machine_memory(const Machine& m, const Space& space, PointId p) {
  const double w = space.workers(p);
  return m.parent + w * m.worker +
         w * space.depth(p) * number_of(space, p, "batch_size", 64) * m.sample;
}

using ShapeOf = std::function<Shape(const Space&, PointId)>;

SurfaceCase machine_case(const Machine& m, Space space, const ShapeOf& shape_of, Random& random) {
  SurfaceCase c;
  const Times times = drawn_times(m.variation, random.next());
  c.rate.resize(space.combinations());
  c.memory.resize(space.combinations());
  c.cpu.resize(space.combinations());
  for (const PointId p : space.points()) {
    c.rate[p] = machine_rate(m, space, p, shape_of(space, p), times);
    c.memory[p] = machine_memory(m, space, p);
    c.cpu[p] = std::min(1 / m.one, m.cores / c.rate[p]);
  }
  c.problem.space = std::move(space);
  return c;
}

Shape as_it_is(const Space&, PointId) { return {}; }

// About this share of the points need less; no point is within 3 % of it, so that measured memory
// is on its true side.
double memory_quantile(const SurfaceCase& c, double share) {
  std::vector<double> all;
  for (const PointId p : c.problem.space.points()) all.push_back(c.memory[p]);
  std::sort(all.begin(), all.end());
  std::size_t i = static_cast<std::size_t>(share * static_cast<double>(all.size() - 1));
  while (i + 1 < all.size() && all[i + 1] < 1.06 * all[i]) ++i;
  return 1.03 * all[i];
}

SurfaceCase scaling_case(Random& random) {
  return machine_case(random_machine(random), random_space(random, false, random.uniform() < 0.3),
                      as_it_is, random);
}

// Beyond the page cache's share of memory every read goes to the disk.
SurfaceCase memory_cliff_case(Random& random) {
  Machine m = random_machine(random);
  m.trainer *= 2;
  SurfaceCase c =
      machine_case(m, random_space(random, random.uniform() < 0.5, false), as_it_is, random);
  const double edge = memory_quantile(c, random.uniform(0.35, 0.85)),
               fall = random.uniform(0.25, 0.7);
  for (const PointId p : c.problem.space.points())
    if (c.memory[p] > edge) c.rate[p] *= fall;
  return c;
}

SurfaceCase memory_limit_case(Random& random) {
  Machine m = random_machine(random);
  m.trainer *= 2;
  SurfaceCase c =
      machine_case(m, random_space(random, random.uniform() < 0.5, false), as_it_is, random);
  const double limit = memory_quantile(c, random.uniform(0.4, 0.85));
  if (random.uniform() < 0.5) c.problem.limits.memory_bytes = limit;
  for (const PointId p : c.problem.space.points())
    if (c.memory[p] > limit * (c.problem.limits.memory_bytes ? 1.3 : 1)) c.rate[p] = 0;
  return c;
}

// Shards that do not divide among the workers, and a second socket that is slower to reach.
SurfaceCase several_peaks_case(Random& random) {
  Machine m = random_machine(random);
  m.trainer *= 2;
  m.crosstalk = 0;
  const double shards = one_of<double>({6, 8, 12, 16, 24}, random), far = random.uniform(0.4, 0.9);
  const double socket = one_of<double>({4, 8, 16}, random);
  return machine_case(
      m, random_space(random, false, random.uniform() < 0.3),
      [=](const Space& space, PointId p) {
        const double w = std::max(1.0, space.workers(p));
        return Shape{
            shards / (std::ceil(shards / w) * w) * (w > socket && w < 2 * socket ? far : 1), 1};
      },
      random);
}

SurfaceCase flat_case(Random& random) {
  Machine m = random_machine(random);
  m.trainer = m.one * random.uniform(0.3, 1.8);
  m.contention *= 0.2;
  m.switching *= 0.2;
  SurfaceCase c =
      machine_case(m, random_space(random, false, random.uniform() < 0.3), as_it_is, random);
  if (random.uniform() < 0.5) c.problem.trainer_rate = m.trainer;
  return c;
}

// Reads in flight: workers × io_depth has an optimum; larger batches suit the trainer and crowd the
// caches.
SurfaceCase interactions_case(Random& random) {
  Machine m = random_machine(random);
  m.trainer *= 1.5;
  const bool io = random.uniform() < 0.5;
  const double flight = std::exp(random.uniform(std::log(8.0), std::log(128.0))),
               crowd = random.uniform(200, 1500);
  return machine_case(
      m, random_space(random, !io, io),
      [=](const Space& space, PointId p) {
        const double w = std::max(1.0, space.workers(p)),
                     batch = number_of(space, p, "batch_size", 64);
        const double reads = w * number_of(space, p, "io_depth", 4);
        const double storage = io ? 1 / (1 + 0.15 * std::pow(std::log2(reads / flight), 2)) : 1;
        return Shape{storage / (1 + std::pow(w * batch / crowd, 2)), io ? 1 : batch / (batch + 25)};
      },
      random);
}

// No machine: bumps anywhere, each one to three values wide.
SurfaceCase random_peaks_case(Random& random) {
  SurfaceCase c = machine_case(random_machine(random),
                               random_space(random, random.uniform() < 0.3, random.uniform() < 0.3),
                               as_it_is, random);
  const Space& space = c.problem.space;
  struct Bump {
    std::vector<double> centre, width;
    double height;
  };
  std::vector<Bump> bumps(3 + random.below(4));
  for (Bump& b : bumps) {
    b.height = random.uniform(0.3, 1.2);
    for (const Knob& k : space.knobs()) {
      b.centre.push_back(random.uniform(0, static_cast<double>(k.values.size() - 1)));
      b.width.push_back(random.uniform(0.8, 2.2));
    }
  }
  for (const PointId p : space.points()) {
    double log = std::log(300);
    for (const Bump& b : bumps) {
      double far = 0;
      for (std::size_t k = 0; k < b.centre.size(); ++k)
        far += std::pow((space.index(p, k) - b.centre[k]) / b.width[k], 2);
      log += b.height * std::exp(-0.5 * far);
    }
    c.rate[p] = std::exp(log);
    c.cpu[p] = 1e-6;
  }
  return c;
}

// The loader never reaches the trainer, every knob matters, and a step beyond the best is a fall.
SurfaceCase few_good_case(Random& random) {
  Machine m = random_machine(random);
  m.trainer = m.one * 40;
  m.serial = random.uniform(0, 0.01);
  m.crosstalk = 0;
  m.cores = 64;
  const double edge = one_of<double>({6, 8, 12, 16}, random), fall = random.uniform(0.3, 0.7),
               third = random.uniform(0.05, 0.12);
  return machine_case(
      m, random_space(random, random.uniform() < 0.4, random.uniform() < 0.6),
      [=](const Space& space, PointId p) {
        const double w = space.workers(p), io = std::log2(number_of(space, p, "io_depth", 16));
        const double pin = digit_of(space, p, "pin_memory") ? 1 : 1 - third;
        const double depth = 1 - third * std::abs(std::log2(space.depth(p) / 4)) / 2;
        const double batch =
            1 - third * std::abs(std::log2(number_of(space, p, "batch_size", 64) / 128));
        return Shape{(w > edge ? fall : 1) * pin * depth * batch * (1 - 0.04 * std::abs(io - 4)),
                     1};
      },
      random);
}

PointId first_with(const Space& space, double workers) {
  for (const PointId p : space.points())
    if (space.workers(p) >= workers) return p;
  return 0;
}

// As a user comes: a few workers, else the defaults.
void ask(SurfaceCase& c) {
  TuneProblem& p = c.problem;
  p.present = first_with(p.space, 2);
  p.references = {first_with(p.space, 0), first_with(p.space, 0)};
  p.budget_runs = c.grid_cost() / 4;
  p.floor = 2.77 * c.noise;
}

}  // namespace

SurfaceCase surface_of(std::size_t family, std::uint64_t seed) {
  static constexpr SurfaceCase (*kMakers[])(Random&) = {
      scaling_case, memory_cliff_case, memory_limit_case, several_peaks_case,
      flat_case,    interactions_case, random_peaks_case, few_good_case};
  Random random(mix_seed(seed, family));
  SurfaceCase c = kMakers[family](random);
  c.family = kFamilies[family];
  ask(c);
  c.problem.seed = random.next();
  return c;
}

}  // namespace benchbench::test
