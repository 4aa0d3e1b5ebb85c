// What a tune may choose from: knobs, each with its values, and the points that they make.
#pragma once
#include <cstdint>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace benchbench {

enum class KnobKind : std::uint8_t { workers, depth, count, batch_size, flag, category };

struct KnobValue {
  std::string text;        // as it is written in the settings
  double number = 0;       // of workers, depths, counts and batch sizes
  std::uint32_t cost = 0;  // its rank: of two equally fast values the one of lower cost is kept
};

struct Knob {
  std::string name;
  KnobKind kind = KnobKind::count;
  std::vector<KnobValue> values;  // at least one; numbers ascend
  bool needs_workers = false;     // without effect where num_workers is 0
  // Returns the index of the value that is written so; 0 where none is.
  std::uint32_t index_of(std::string_view text) const noexcept;
};

// One value of each knob: the values' indexes as the digits of one number, the last knob's first.
using PointId = std::uint32_t;

// All combinations of values. Immutable. Points that differ only in what has no effect are one: the
// canonical one.
class Space {
 public:
  // At most one knob of kind workers; throws std::invalid_argument where a knob has no value or two
  // count workers.
  explicit Space(std::vector<Knob> knobs);

  const std::vector<Knob>& knobs() const noexcept { return knobs_; }
  const std::vector<PointId>& points() const noexcept { return points_; }  // canonical, ascending
  auto knob_indexes() const noexcept { return std::views::iota(std::size_t{0}, knobs_.size()); }
  std::uint32_t combinations() const noexcept { return combinations_; }  // ids are below

  std::uint32_t index(PointId point, std::size_t knob) const noexcept {
    return point / stride_[knob] % static_cast<std::uint32_t>(knobs_[knob].values.size());
  }
  const KnobValue& value(PointId point, std::size_t knob) const noexcept {
    return knobs_[knob].values[index(point, knob)];
  }
  // One index for each knob.
  PointId point_of(const std::vector<std::uint32_t>& indexes) const noexcept;
  PointId canonical(PointId point) const noexcept;
  // The same point with another value of a knob, made canonical.
  PointId with(PointId point, std::size_t knob, std::uint32_t index) const noexcept;

  // A knob that needs workers has none where there is none.
  bool has_effect(PointId point, std::size_t knob) const noexcept {
    return !knobs_[knob].needs_workers || !has_workers() || value(point, workers_knob_).number > 0;
  }

  bool has_workers() const noexcept { return workers_knob_ < knobs_.size(); }
  std::size_t workers_knob() const noexcept { return workers_knob_; }
  double workers(PointId point) const noexcept;  // 1 where no knob counts them
  // Batches asked for ahead of each worker: the product of all depths.
  double depth(PointId point) const noexcept;
  double batch_size(PointId point) const noexcept;  // 1 where no knob sets it

 private:
  double product_of(KnobKind kind, PointId point) const noexcept;

  std::vector<Knob> knobs_;
  std::vector<std::uint32_t> stride_;
  std::vector<PointId> points_;
  std::uint32_t combinations_ = 1;
  std::size_t workers_knob_ = 0;
};

}  // namespace benchbench
