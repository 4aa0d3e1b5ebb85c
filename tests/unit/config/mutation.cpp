// Damaged scenarios: refused or read, never a crash.
#include <fstream>
#include <iterator>

#include "harness/core/random.h"
#include "tests/places.h"
#include "tests/sweep.h"
#include "tests/unit/config/loading.h"

namespace benchbench::test {
namespace config_mutation {

std::vector<std::string> all_configs() {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_path("configs"))) {
    if (entry.path().extension() != ".yaml") continue;
    std::ifstream file(entry.path());
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

constexpr std::string_view kPieces[] = {"[",
                                        "]",
                                        "{",
                                        "}",
                                        ":",
                                        "- ",
                                        "\n",
                                        "\t",
                                        "&a ",
                                        "*a",
                                        "<<: ",
                                        "---\n",
                                        "? ",
                                        "|",
                                        ">",
                                        "\"",
                                        "'",
                                        "#",
                                        "!!x ",
                                        "%",
                                        "010",
                                        "-1",
                                        "auto",
                                        "none",
                                        "\xff",
                                        "~",
                                        ",",
                                        "  ",
                                        "99999999999999999999",
                                        "use: ",
                                        "sweep: ",
                                        "loader",
                                        ".",
                                        "e",
                                        "0x",
                                        "\\"};

std::string mutated(std::string text, const std::vector<std::string>& others, Random& random) {
  const std::uint64_t changes = 1 + random.below(6);
  for (std::uint64_t i = 0; i < changes; ++i) {
    const std::size_t at = random.below(text.size() + 1);
    const std::size_t length = std::min<std::size_t>(text.size() - at, 1 + random.below(20));
    switch (random.below(5)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, kPieces[random.below(std::size(kPieces))]);
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(random.next());
        break;
      case 3:
        text.insert(at, text.substr(at, length));
        break;
      default: {
        const std::string& other = others[random.below(others.size())];
        const std::size_t from = random.below(other.size());
        text.replace(at, length, other.substr(from, 1 + random.below(60)));
      }
    }
  }
  return text;
}

TEST_CASE("scenario file: thousands of damaged files are read or refused with a place",
          "[unit][config]") {
  const std::vector<std::string> texts = all_configs();
  REQUIRE(texts.size() >= 4);
  Random random(2026);
  int read = 0, told = 0;
  const int files = static_cast<int>(sweep_size(600, 3000));
  for (int i = 0; i < files; ++i) {
    const std::string text =
        mutated(texts[static_cast<std::size_t>(i) % texts.size()], texts, random);
    try {
      load_text(text, request_for(""), built_in_catalog());
      ++read;
    } catch (const ScenarioDiagnostics& e) {
      ++told;
      for (const Diagnostic& d : e.all())
        if (d.line < 1 || d.column < 1 || d.message.empty())
          FAIL("no place: " << d.message << "\n" << text);
      if (e.text().empty()) FAIL("nothing told");
    }
  }
  CHECK(read > 0);
  CHECK(told > files / 3);
}

}  // namespace config_mutation
}  // namespace benchbench::test
