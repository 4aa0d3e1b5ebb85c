// Prints what `benchbench contract` shows: a line for each statement of the contract, whether the
// part keeps it, and where it does not, what was looked at.
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include <catch2/catch.hpp>

#include "tests/contract/parts/catalogue_rows.h"

namespace benchbench::test {
namespace {

class ContractReporter final : public Catch::StreamingReporterBase<ContractReporter> {
 public:
  explicit ContractReporter(const Catch::ReporterConfig& config) : StreamingReporterBase(config) {
    m_reporterPrefs.shouldReportAllAssertions = true;
  }
  static std::string getDescription() { return "One line for each statement of the contract"; }

  void assertionStarting(const Catch::AssertionInfo&) override {}
  bool assertionEnded(const Catch::AssertionStats& stats) override {
    const Catch::AssertionResult& result = stats.assertionResult;
    if (result.isOk())
      note_aside(std::string(result.getMessage()));
    else
      note_broken(stats);
    return true;
  }
  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    StreamingReporterBase::testCaseStarting(info);
    broken_.clear();
    aside_.clear();
  }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    const bool failed = stats.totals.assertions.failed > 0;
    const char* const word = failed ? "BROKEN   " : aside_.empty() ? "kept     " : "set aside";
    ++(failed ? failed_ : aside_.empty() ? kept_ : set_aside_);
    stream << word << "  " << stats.testInfo.name;
    if (!failed && !aside_.empty()) stream << ": " << aside_;
    stream << '\n' << broken_ << std::flush;
    StreamingReporterBase::testCaseEnded(stats);
  }
  void testRunEnded(const Catch::TestRunStats& stats) override {
    stream << kept_ << " kept, " << failed_ << " broken, " << set_aside_ << " set aside\n";
    StreamingReporterBase::testRunEnded(stats);
  }

 private:
  // Keeps the reason for which for_each_row() sets a row aside.
  void note_aside(const std::string& message) {
    static const std::string kMark = " set aside: ";
    if (const std::size_t at = message.find(kMark); at != message.npos)
      aside_ = message.substr(at + kMark.size());
  }
  void note_broken(const Catch::AssertionStats& stats) {
    const Catch::AssertionResult& result = stats.assertionResult;
    if (broken_.size() > kMost) return;
    const auto& line = result.getSourceInfo();
    broken_ += std::string("    ") + line.file + ":" + std::to_string(line.line) + ": " +
               (result.hasExpression() ? result.getExpressionInMacro() : "") + '\n';
    if (result.hasExpandedExpression())
      broken_ += "      was: " + result.getExpandedExpression() + '\n';
    for (const Catch::MessageInfo& message : stats.infoMessages)
      broken_ += "      " + message.message + '\n';
    if (result.hasMessage()) broken_ += "      " + std::string(result.getMessage()) + '\n';
  }

  static constexpr std::size_t kMost = 2000;  // characters of one statement's failures
  std::string broken_, aside_;
  int kept_ = 0, failed_ = 0, set_aside_ = 0;
};
CATCH_REGISTER_REPORTER("contract", ContractReporter)

}  // namespace
}  // namespace benchbench::test
