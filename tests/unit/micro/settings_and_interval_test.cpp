#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "harness/core/error.h"
#include "harness/micro/described_settings.h"
#include "harness/micro/figures/paired.h"

namespace benchbench::micro {

TEST_CASE("described settings: defaults of the description, unless given", "[unit][micro]") {
  const Parameter parameters[] = {
      {.key = "step_time", .type = ParameterType::duration, .standard = "5ms", .help = ""},
      {.key = "size", .type = ParameterType::integer, .standard = "none", .help = ""},
      {.key = "spread", .type = ParameterType::real, .standard = "0.5", .help = ""},
      {.key = "limit", .type = ParameterType::bandwidth, .standard = "1GB/s", .help = ""},
      {.key = "needed", .type = ParameterType::text, .standard = "", .help = ""},
  };
  const PartDescription part{
      .kind = PartKind::trainer, .name = "it", .summary = "", .parameters = parameters};
  const DescribedSettings settings(part, {{"needed", "x"}, {"spread", "2"}});
  CHECK(settings.duration("step_time") == std::chrono::milliseconds{5});
  CHECK_FALSE(settings.has("size"));
  CHECK(settings.has("spread"));
  CHECK(settings.real("spread") == 2.0);
  CHECK(settings.rate("limit") == 1e9);
  CHECK(settings.text("needed") == "x");
  CHECK_THROWS_AS(settings.integer("size"), PartError);
  CHECK_THROWS_AS(settings.integer("another"), PartError);
  CHECK_THROWS_AS(DescribedSettings(part, {}), PartError);
  CHECK_THROWS_AS(DescribedSettings(part, {{"needed", "x"}, {"anoter", "1"}}), PartError);
}

TEST_CASE("ratio interval: by t on the logarithms", "[unit][micro]") {
  // Logarithms -ln 2 and ln 2: mean 0, deviation sqrt(2) ln 2.
  const std::vector<double> ratios = {0.5, 2.0};
  const Interval two = ratio_interval(ratios);
  CHECK(two.middle == Approx(1));
  CHECK(std::log(two.high) == Approx(12.7062 * std::log(2)));
  CHECK(std::log(two.low) == Approx(-12.7062 * std::log(2)));
  const std::vector<double> same(10, 0.97);
  CHECK(ratio_interval(same).low == Approx(0.97));
  CHECK(ratio_interval(same).high == Approx(0.97));
}

}  // namespace benchbench::micro
