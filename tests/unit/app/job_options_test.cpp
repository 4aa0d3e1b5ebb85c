// --job-samples and its kin: what is refused, and what they come to.
#include "harness/app/preparation/job_options.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"

namespace benchbench::job_options_test {

Arguments given(std::initializer_list<std::pair<const char*, const char*>> options) {
  Arguments arguments;
  for (const auto& [name, value] : options) arguments.add(name, {value});
  return arguments;
}

std::string refusal(std::initializer_list<std::pair<const char*, const char*>> options) {
  try {
    job_asked(given(options));
  } catch (const UsageError& e) {
    return std::string(e.message());
  }
  return "accepted";
}

TEST_CASE("job: a length above 0, as one number", "[unit][app]") {
  CHECK_FALSE(job_asked(given({})));
  const auto epochs = job_asked(given({{"--job-epochs", "90"}, {"--price", "3.20"}}));
  REQUIRE(epochs);
  CHECK(epochs->unit == JobUnit::epochs);
  CHECK(epochs->amount == 90);
  CHECK(epochs->price == 3.2);
  CHECK(job_asked(given({{"--job-samples", "1e9"}}))->amount == 1e9);
  CHECK(job_asked(given({{"--job-samples", "1e9"}}))->unit == JobUnit::samples);
  CHECK(job_asked(given({{"--job-hours", "0.5"}}))->unit == JobUnit::hours);
  CHECK_FALSE(job_asked(given({{"--job-hours", "0.5"}}))->price);
  for (const char* wrong : {"0", "-1", "", "ten", "3h", "1 000", "nan", "inf", "0x10"}) {
    INFO(wrong);
    CHECK(refusal({{"--job-samples", wrong}}) ==
          std::string("--job-samples ") + wrong + ": expected a number above 0");
    CHECK(refusal({{"--job-hours", "1"}, {"--price", wrong}}) ==
          std::string("--price ") + wrong + ": expected a number above 0");
  }
}

TEST_CASE("job: what is too large is refused with the limit", "[unit][app]") {
  CHECK(job_asked(given({{"--job-samples", "1e15"}}))->amount == 1e15);
  for (const char* large : {"1.1e15", "1e30", "1e308", "1e400", "10000000000000000"})
    for (const char* option : {"--job-samples", "--job-epochs", "--job-hours"})
      CHECK(refusal({{option, large}}) ==
            std::string(option) + " " + large + ": expected a number of at most 10^15");
}

TEST_CASE("job: one length, and a price only with it", "[unit][app]") {
  CHECK(refusal({{"--job-samples", "1"}, {"--job-epochs", "1"}}) ==
        "--job-samples and --job-epochs exclude each other");
  CHECK(refusal({{"--job-epochs", "1"}, {"--job-hours", "1"}}) ==
        "--job-epochs and --job-hours exclude each other");
  CHECK(refusal({{"--price", "3"}}) == "--price needs the length of a job");
}

TEST_CASE("job: epochs need a data set, before anything is run", "[unit][app]") {
  Plan plan;
  const auto check = [&](JobUnit unit) { check_job(JobAsked{unit, 1, {}}, plan); };
  CHECK_THROWS_AS(check(JobUnit::epochs), UsageError);
  CHECK_NOTHROW(check(JobUnit::samples));
  CHECK_NOTHROW(check(JobUnit::hours));
  CHECK_NOTHROW(check_job({}, plan));
  plan.datasets.emplace_back();
  CHECK_NOTHROW(check(JobUnit::epochs));
}

TEST_CASE("job: is among the findings where it was asked for", "[unit][app]") {
  Findings f;
  add_job({}, {}, f);
  CHECK_FALSE(f.conclusion.job);
  add_job(JobAsked{JobUnit::samples, 5, 2.0}, {}, f);
  REQUIRE(f.conclusion.job);
  CHECK(f.conclusion.job->samples == 5.0);
  CHECK_FALSE(f.conclusion.job->hours);
}

}  // namespace benchbench::job_options_test
