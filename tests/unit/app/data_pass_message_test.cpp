#include "harness/process/data_pass_message.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"

namespace benchbench {
namespace data_pass_message_test {

TEST_CASE("verify: what the child found comes over whole, whatever a file is called",
          "[unit][app]") {
  DataPass pass;
  pass.samples = 10;
  pass.seen = 9;
  pass.duplicated = 2;
  pass.labels_wrong = 3;
  pass.totals.payloads = 11;
  pass.totals.payload_bytes = 12345678901;
  pass.totals.content_checked = 8;
  pass.totals.content_wrong = 7;
  pass.totals.decode_errors = 6;
  pass.totals.decode_warnings = 5;
  pass.classes = 12;
  pass.labels_met = 10;
  pass.remark = "passed over 1 file that is not an image: 1 .a\nb";
  pass.workers = 4;
  pass.seconds = 0.25;
  pass.faults = {{3, FaultKind::decode_error, "a b/\tc\nd.jpg", "no picture"},
                 {4, FaultKind::content, "", "the bytes differ"}};
  const DataPass back = data_pass_from(data_pass_payload(pass));
  CHECK(back.samples == 10);
  CHECK(back.seen == 9);
  CHECK(back.duplicated == 2);
  CHECK(back.labels_wrong == 3);
  CHECK(back.totals.payloads == 11);
  CHECK(back.totals.payload_bytes == 12345678901);
  CHECK(back.totals.content_checked == 8);
  CHECK(back.totals.content_wrong == 7);
  CHECK(back.totals.decode_errors == 6);
  CHECK(back.totals.decode_warnings == 5);
  CHECK(back.classes == 12);
  CHECK(back.labels_met == 10);
  CHECK(back.remark == "passed over 1 file that is not an image: 1 .a b");
  CHECK(back.workers == 4);
  CHECK(back.seconds == 0.25);
  REQUIRE(back.faults.size() == 2);
  CHECK(back.faults[0].where == "a b/ c d.jpg");
  CHECK(back.faults[0].what == "no picture");
  CHECK(back.faults[1].id == 4);
  CHECK(back.faults[1].where.empty());
  CHECK_THROWS_AS(data_pass_from("samples 10\nsomething else\n"), PartError);
}

}  // namespace data_pass_message_test
}  // namespace benchbench
