#include "scenarios/python/output_tail.h"

#include <catch2/catch.hpp>

namespace benchbench::python_part {
namespace output_tail_test {

struct Printed {
  std::unique_ptr<Runtime> runtime = make_real_runtime(Nanoseconds{0});
  Pipe pipe = make_pipe();
  OutputTail tail{std::move(pipe.read), *runtime};
  void print(std::string_view text) {
    while (!text.empty()) {
      const ssize_t n = ::write(pipe.write.get(), text.data(), text.size());
      REQUIRE(n > 0);
      text.remove_prefix(static_cast<std::size_t>(n));
    }
  }
};

TEST_CASE("output: the last lines are kept, whoever still has the pipe open", "[unit][python]") {
  Printed printed;
  printed.print("one\ntwo\n\nthree\nfour");
  printed.tail.stop();
  CHECK(printed.tail.last_lines(2) == "three\nfour");
  CHECK(printed.tail.last_lines(3) == "\nthree\nfour");
  CHECK(printed.tail.last_lines(10) == "one\ntwo\n\nthree\nfour");
}

TEST_CASE("output: nothing printed is no line", "[unit][python]") {
  Printed printed;
  printed.tail.stop();
  CHECK(printed.tail.last_lines(10).empty());
  Printed breaks;
  breaks.print("\n\n\n");
  breaks.tail.stop();
  CHECK(breaks.tail.last_lines(10).empty());
}

// The writer would stand still here if it were not read: a pipe holds 64 KiB.
TEST_CASE("output: noise without end makes no one wait, and only its end is kept",
          "[unit][python]") {
  Printed printed;
  const std::string line(99, 'x');
  for (int i = 0; i < 20000; ++i) printed.print(line + "\n");
  printed.print("the end\n");
  printed.pipe.write.close();
  printed.tail.stop();
  const std::string all = printed.tail.last_lines(100000);
  CHECK(all.size() <= OutputTail::kKept);
  CHECK(all.size() > OutputTail::kKept / 2);
  CHECK(all.ends_with(line + "\nthe end"));
}

TEST_CASE("output: what a terminal or a record could not take is replaced", "[unit][python]") {
  Printed printed;
  printed.print("\x1b[31mred\x1b[0m \xc3\xbc \xff \xed\xa0\x80 tab\there\n");
  printed.print("10%\r50%\r100%\r\n");
  printed.print(std::string(5000, 'y') + "\n");
  printed.tail.stop();
  const std::string text = printed.tail.last_lines(3);
  CHECK(text.starts_with("?[31mred?[0m \xc3\xbc ? ??? tab\there\n100%\nyyy"));
  CHECK(text.size() < 300);
}

}  // namespace output_tail_test
}  // namespace benchbench::python_part
