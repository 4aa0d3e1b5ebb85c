// A sweep of where samples are kept: in their storage, in memory, on the device.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/golden/program/program.h"

namespace benchbench::test {
namespace residency_test {

using nlohmann::json;

TEST_CASE("run: data on a device make the job as fast as its slower side", "[golden][app]") {
  Scratch s;
  s.write(
      "where.yaml",
      "name: where\nquestion: Do the data belong on the device?\n"
      "dataset: {synthesize: {samples: 128, image: {mean_width: 40, mean_height: 40}}, storage: "
      "{like: sata_hdd}}\n"
      "loader: {use: native, num_workers: 2, batch_size: 16, transform: {center_crop: 32, "
      "resize: 32, normalize: none}}\n"
      "trainer: {use: timed, device: emulated, step_time: 1ms}\n"
      "sweep: {loader.residency: [storage, host, device]}\n"
      "measure: {rounds: 1, class: selftest, isolation: none}\n");
  const Ran ran =
      run_program(s, {"run", "where.yaml", "--clock", "simulated", "--quiet", "--json", "-"});
  INFO(ran.err << ran.out);
  REQUIRE(ran.code == 0);
  const json points = json::parse(ran.out).at("points");
  REQUIRE(points.size() == 3);
  const auto rate = [&](std::size_t point, const char* of) {
    return points.at(point).at(std::string(of) + "_samples_per_second").at("value").get<double>();
  };
  CHECK(rate(0, "pipeline_rate") < 8000);
  // A step of 1 ms, and ahead of it the list (3 us to call, 18 ns) and its gather.
  CHECK(rate(2, "trainer_rate") == Approx(16000).epsilon(0.005));
  CHECK(rate(2, "pipeline_rate") <= rate(2, "trainer_rate"));
  CHECK(rate(2, "pipeline_rate") > 15800);
  CHECK(rate(2, "loader_rate") > 1e6);
  const Ran refused = run_program(s, {"validate", "where.yaml", "--set", "loader.use=libtorch"});
  CHECK(refused.code == 2);
  CHECK_THAT(on_one_line(refused.err + refused.out),
             Catch::Contains("\"device\" is not allowed") && Catch::Contains("storage, host"));
}

}  // namespace residency_test
}  // namespace benchbench::test
