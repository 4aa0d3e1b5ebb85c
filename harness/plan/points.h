// The points of a sweep: the base point first, then what the axes make of it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/part/catalog.h"
#include "harness/record/trial.h"

namespace benchbench {

inline constexpr std::uint64_t kMaxPoints = 10000;

// How many points the axes ask for, the base included, before equal ones are merged. Saturates;
// allocates nothing.
std::uint64_t count_points(const Scenario& scenario) noexcept;

// Points in the order of the axes, without trials. Points with equal settings are one, under the
// first one's labels; but a value that its axis holds several times makes as many, labelled "1 #1",
// "1 #2". ScenarioError where there are more than kMaxPoints, or axes of a zip differ in length.
std::vector<Point> make_points(const Scenario& scenario, const Catalog& catalog);

// Of a value that its axis holds several times: "1 #2" the second; 0 counts none.
std::string numbered(const std::string& label, std::uint32_t repeat);

// Adds the second reference: num_workers 0 with intra-op threads = cores, where num_workers: 0 is
// in the sweep, the base's trainer computes (it is in a module) and there are more cores than its
// threads. True where it was added.
bool add_reference_point(std::vector<Point>& points, const Catalog& catalog, std::uint32_t cores);

// "key=value" lines in key order: what digests are taken of.
std::string canonical_text(const SettingsMap& settings);

}  // namespace benchbench
