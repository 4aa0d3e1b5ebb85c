// The patch pipeline of volumes: what it cuts, turns and smooths.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

#include "scenarios/loaders/volume_transform.h"

namespace benchbench::test::volume_rows {
namespace {

// Element i is i: a value tells where it came from.
std::vector<std::int16_t> counted(const VolumePlan& plan) {
  std::vector<std::int16_t> volume(
      static_cast<std::size_t>(plan.from[0] * plan.from[1] * plan.from[2]));
  std::iota(volume.begin(), volume.end(), std::int16_t{0});
  return volume;
}

VolumePlan plan_of(std::int64_t patch_height, std::int64_t patch_width) {
  VolumePlan plan;
  plan.from[0] = 6, plan.from[1] = 10, plan.from[2] = 12;
  plan.patch[0] = 3, plan.patch[1] = patch_height, plan.patch[2] = patch_width;
  plan.min = 0, plan.max = 1024;
  plan.sigma = 0;
  return plan;
}

std::vector<int> made(const VolumePlan& plan, std::uint64_t seed) {
  const auto volume = counted(plan);
  std::vector<float> row(plan.elements());
  VolumeMaker(plan).make(std::as_bytes(std::span(volume)), seed, row.data());
  std::vector<int> from(row.size());
  std::ranges::transform(row, from.begin(),
                         [](float v) { return static_cast<int>(std::lround(v * 1024)); });
  return from;
}

TEST_CASE("volumes: a patch is a box of the volume, each voxel once, whatever mirror and turn",
          "[unit][native]") {
  for (const auto& [height, width] : {std::pair{5, 5}, std::pair{4, 7}, std::pair{10, 12}}) {
    const VolumePlan plan = plan_of(height, width);
    std::set<std::vector<int>> kinds;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const std::vector<int> from = made(plan, seed);
      CHECK(made(plan, seed) == from);
      kinds.insert(from);
      std::vector<int> sorted = from;
      std::ranges::sort(sorted);
      const int first = sorted.front();
      std::vector<int> box;
      for (int z = 0; z < 3; ++z)
        for (int y = 0; y < height; ++y)
          for (int x = 0; x < width; ++x) box.push_back(first + z * 120 + y * 12 + x);
      REQUIRE(sorted == box);
      REQUIRE(first % 12 + width <= 12);
      REQUIRE(first / 12 % 10 + height <= 10);
    }
    CHECK(kinds.size() > 10);
  }
}

TEST_CASE(
    "volumes: every position is as likely to the last, mirrors and turns come as often as told",
    "[unit][native]") {
  constexpr std::uint64_t kDraws = 20'000;
  const auto near = [](std::uint64_t count, double probability) {  // within four standard errors
    return std::abs(static_cast<double>(count) / kDraws - probability) <=
           4 * std::sqrt(probability * (1 - probability) / kDraws);
  };
  VolumePlan plan = plan_of(2, 2);
  plan.from[0] = 3, plan.from[1] = 4, plan.from[2] = 5;
  plan.patch[0] = 2;
  plan.flip = 0.3, plan.rotate = 0;
  std::uint64_t begins[2][3][4] = {}, mirrored[3] = {}, turned = 0;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    const std::vector<int> from = made(plan, seed);
    const int first = *std::ranges::min_element(from);
    ++begins[first / 20][first / 5 % 4][first % 5];
    mirrored[0] += from[0] > from[4], mirrored[1] += from[0] > from[2],
        mirrored[2] += from[0] > from[1];
  }
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 4; ++x) CHECK(near(begins[z][y][x], 1.0 / 24));
  for (const std::uint64_t count : mirrored) CHECK(near(count, 0.3));
  plan.flip = 0, plan.rotate = 0.3;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    const std::vector<int> from = made(plan, seed);
    turned += from[0] != *std::ranges::min_element(from);
  }
  CHECK(near(turned, 0.3));
}

TEST_CASE("volumes: without chance the patch lies as the volume does, scaled and cut to 0..1",
          "[unit][native]") {
  VolumePlan plan = plan_of(10, 12);
  plan.patch[0] = 6;
  plan.flip = plan.rotate = 0;
  plan.min = 100, plan.max = 300;
  const auto volume = counted(plan);
  std::vector<float> row(plan.elements());
  VolumeMaker(plan).make(std::as_bytes(std::span(volume)), 9, row.data());
  for (std::size_t i = 0; i < row.size(); ++i)
    REQUIRE(row[i] ==
            Approx(std::clamp((static_cast<float>(i) - 100) / 200, 0.f, 1.f)).margin(1e-6));
}

// The definition: the sum over all neighbours with the product of three Gaussians.
float smoothed(const std::vector<float>& voxels, int d, int h, int w, int z, int y, int x,
               const std::vector<double>& g) {
  const int r = static_cast<int>(g.size()) - 1;
  double sum = 0;
  for (int i = -r; i <= r; ++i)
    for (int j = -r; j <= r; ++j)
      for (int k = -r; k <= r; ++k) {
        const int at = (std::clamp(z + i, 0, d - 1) * h + std::clamp(y + j, 0, h - 1)) * w +
                       std::clamp(x + k, 0, w - 1);
        sum += voxels[static_cast<std::size_t>(at)] * g[static_cast<std::size_t>(std::abs(i))] *
               g[static_cast<std::size_t>(std::abs(j))] * g[static_cast<std::size_t>(std::abs(k))];
      }
  return static_cast<float>(sum);
}

TEST_CASE("volumes: smoothing is the Gaussian along all three axes, its ends repeated",
          "[unit][native]") {
  VolumePlan plan = plan_of(5, 7);
  plan.from[0] = 4, plan.from[1] = 5, plan.from[2] = 7;
  plan.patch[0] = 4;
  plan.flip = plan.rotate = 0;
  plan.sigma = 0.25;  // drawn from 0.25 up to 0.25
  plan.min = 0, plan.max = 1000;
  std::vector<std::int16_t> volume(140);
  for (std::size_t i = 0; i < volume.size(); ++i)
    volume[i] = static_cast<std::int16_t>(i * i % 997);
  std::vector<float> plain(140), row(140);
  for (const double sigma : {0.25, 1.3}) {
    VolumePlan bare = plan;
    bare.sigma = 0;
    VolumeMaker(bare).make(std::as_bytes(std::span(volume)), 1, plain.data());
    plan.sigma = sigma;
    VolumeMaker(plan).make(std::as_bytes(std::span(volume)), 1, row.data());
    // The drawn one is between: smoother than the narrowest, and the mean stays within the range.
    if (sigma > 0.25) {
      CHECK(*std::ranges::max_element(row) < *std::ranges::max_element(plain));
      continue;
    }
    std::vector<double> g;
    double all = 0;
    for (int i = 0; i <= 1; ++i)
      g.push_back(std::exp(-0.5 * i * i / (0.25 * 0.25))), all += i ? 2 * g.back() : g.back();
    for (double& weight : g) weight /= all;
    for (int z = 0; z < 4; ++z)
      for (int y = 0; y < 5; ++y)
        for (int x = 0; x < 7; ++x)
          REQUIRE(row[static_cast<std::size_t>((z * 5 + y) * 7 + x)] ==
                  Approx(smoothed(plain, 4, 5, 7, z, y, x, g)).margin(1e-5));
  }
}

}  // namespace
}  // namespace benchbench::test::volume_rows
