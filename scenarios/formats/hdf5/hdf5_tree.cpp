#include "scenarios/formats/hdf5/hdf5_tree.h"

#include <fmt/format.h>

#include <set>

#include "harness/core/error.h"
#include "harness/core/spelling.h"
#include "harness/core/units.h"

namespace benchbench::hdf5_format {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::uint64_t kMostEntries = 1'000'000;

class Tree {
 public:
  Tree(const hdf5::File& file, Depth depth) : file_(file), depth_(depth) {}

  DataSets look() {
    enter("/", 0);
    return std::move(found_);
  }

 private:
  void enter(const std::string& group, std::size_t depth) {
    if (depth > kDeepest)
      throw ScenarioError(fmt::format("'{}': {} is nested more than {} groups deep", file_.path(),
                                      group, kDeepest));
    for (const hdf5::File::Entry& entry : file_.entries(group)) {
      if (++entries_ > kMostEntries)
        throw ScenarioError(
            fmt::format("'{}' has more than {} groups and data sets", file_.path(), kMostEntries),
            "name the samples: dataset.columns: {image: PATH}");
      if (!seen_.insert(entry.place).second) continue;  // a link back to a group would have no end
      const std::string path = (group == "/" ? group : group + "/") + entry.name;
      if (!entry.group)
        take(path);
      else if (depth_ == Depth::all)
        enter(path, depth + 1);
    }
  }

  void take(const std::string& path) {
    const hdf5::Dataset data = file_.dataset(path);
    const std::size_t sides = data.extents().size();
    if (sides == 1 && data.variable() == hdf5::Variable::bytes)
      found_.variable.push_back(path);
    else if (sides >= 2 && data.row_elements() > 1)
      found_.arrays.push_back(path);
    else if ((sides == 1 && data.element() == hdf5::Element::uint8) ||
             (data.rows() == 1 && data.opaque_bytes()))
      found_.bytes.push_back(path);
    else
      found_.others.push_back(path);
  }

  const hdf5::File& file_;
  Depth depth_;
  DataSets found_;
  std::set<std::uint64_t> seen_;
  std::uint64_t entries_ = 0;
};

}  // namespace

DataSets data_sets_in(const hdf5::File& file, Depth depth) { return Tree(file, depth).look(); }

std::string find_samples(const hdf5::File& file, const DataSets& sets) {
  std::vector<std::string> candidates = sets.variable;
  if (candidates.size() == 1) return candidates.front();
  candidates.insert(candidates.end(), sets.arrays.begin(), sets.arrays.end());
  if (candidates.empty()) return {};
  if (candidates.size() == 1) return candidates.front();
  throw ScenarioError(
      fmt::format("'{}': {} could hold the samples: {}", file.path(),
                  counted(candidates.size(), "data set"), listed(candidates, kPathsToSay)),
      fmt::format("name one: dataset.columns: {{image: {}}}", candidates.back().substr(1)));
}

}  // namespace benchbench::hdf5_format
