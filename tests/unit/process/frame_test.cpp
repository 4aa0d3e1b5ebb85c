#include <unistd.h>

#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "harness/process/frame.h"
#include "harness/process/framed_child.h"
#include "tests/hang.h"

namespace benchbench {
namespace frame_test {

TEST_CASE("frame: whole frames come out however the bytes are cut", "[unit][trial]") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const std::string binary{"a\nb\0c", 5};
  REQUIRE(write_frame(ends[1], "series", binary));
  REQUIRE(write_frame(ends[1], "done", ""));
  char bytes[256];
  const auto n = ::read(ends[0], bytes, sizeof bytes);
  ::close(ends[0]);
  ::close(ends[1]);
  for (int cut = 1; cut < n; ++cut) {
    FrameReader reader;
    std::vector<Frame> frames;
    for (const std::string_view piece :
         {std::string_view(bytes, cut), std::string_view(bytes + cut, n - cut)}) {
      reader.feed(piece);
      while (auto f = reader.next()) frames.push_back(*f);
    }
    REQUIRE(frames.size() == 2);
    CHECK((frames[0].kind == "series" && frames[0].payload == binary));
    CHECK((frames[1].kind == "done" && frames[1].payload.empty()));
  }
}

TEST_CASE("frame: bytes that are no frames are refused, not waited on", "[unit][trial]") {
  FrameReader reader;
  reader.feed("a part printed this into the wrong file\n");
  CHECK_THROWS_AS(reader.next(), PartError);
  FrameReader endless;
  endless.feed(std::string(100, 'x'));
  CHECK_THROWS_AS(endless.next(), PartError);
  for (const char* size :
       {"-1", "1 ", "0x10", "", "99999999999999999999", "18446744073709551615", "1073741825"}) {
    INFO(size);
    FrameReader wrong;
    wrong.feed("record " + std::string(size) + "\n");
    CHECK_THROWS_AS(wrong.next(), PartError);
  }
}

TEST_CASE("frame: a header that is too long is refused whether it comes whole or in pieces",
          "[unit][trial]") {
  FrameReader whole;
  whole.feed(std::string(64, 'x') + " 1\ny");
  CHECK_THROWS_AS(whole.next(), PartError);
  FrameReader longest;
  longest.feed(std::string(62, 'x') + " 1\ny");
  CHECK(longest.next()->payload == "y");
}

TEST_CASE("child process: how it ended is told in words", "[unit][trial]") {
  const auto ending = [](const std::string& script) {
    FramedChild child("/bin/sh", {"-c", script});
    return child.finish(test::kHang);
  };
  CHECK(ending("exit 0") == "");
  CHECK(ending("exit 3") == "exited with status 3");
  CHECK_THAT(ending("kill -SEGV $$"), Catch::StartsWith("killed by SIGSEGV"));
  CHECK_THAT(ending("kill -KILL $$"), Catch::StartsWith("killed by SIGKILL"));
  CHECK_THROWS_WITH(FramedChild("/nonexistent/program", {}),
                    "/nonexistent/program cannot be started: No such file or directory");
}

TEST_CASE("child process: a child that ignores the end of its pipe is killed with its group",
          "[unit][trial]") {
  FramedChild child("/bin/sh", {"-c", "exec sleep 1000"});
  CHECK_THAT(child.finish(std::chrono::milliseconds{300}), Catch::Contains("killed"));
}

TEST_CASE(
    "child process: answers come over descriptor 3, its standard output goes to standard error",
    "[unit][trial]") {
  FramedChild child("/bin/sh", {"-c", "echo noise; printf 'hello 2\\nhi' >&3"});
  Frame frame;
  REQUIRE(child.receive(frame, test::kHang) == FramedChild::Heard::frame);
  CHECK((frame.kind == "hello" && frame.payload == "hi"));
}

}  // namespace frame_test
}  // namespace benchbench
