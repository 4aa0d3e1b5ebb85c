// What a wrapped script was measured to do, as a plan and its records; in the store's folder
// already while it runs.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/app/wrap/kept_search.h"
#include "harness/core/error.h"

namespace benchbench {

// StoreError where a record could not be kept there, before minutes are spent. Nothing of the look
// stays.
void check_folder(const std::string& path);

// One thread.
class WrapKept {
 public:
  WrapKept(const WrapRequest& request, Environment environment)
      : request_(request), environment_(std::move(environment)), search_(request, environment_) {}
  WrapKept(const WrapKept&) = delete;
  WrapKept& operator=(const WrapKept&) = delete;

  // Writes what has come since the last time. What cannot be written is said once; the script and
  // the measuring go on.
  void keep(WrapRun& run) noexcept;
  // Returns true where another round could change the answer though the rates settle its side, by
  // what has come so far: stretches of a kind are all INVALID, or another advice may come first.
  bool is_answer_open(WrapRun& run) noexcept;
  // Once the script has ended: the same records with what was seen only then, `at_end` and the
  // sentence `early` too. Of a script without a stretch there is one, ABORTED, if anything is known
  // of it. False: there is none. Throws ScenarioError; a record that cannot be written is said, and
  // folder() is empty.
  bool finish(const WrapRun& run, const std::vector<ExternalNoticed>& at_end = {},
              const std::string& early = {});

  // After finish().
  const Plan& plan() const { return *plan_; }
  const std::vector<TrialRecord>& records() const noexcept { return records_; }
  // Returns how many have a stretch of each kind, which was measured.
  std::uint32_t rounds() const;
  const std::string& folder() const noexcept { return folder_path_; }
  // Returns the search for other settings, by its records; nullopt: there was none.
  std::optional<ScriptSearch> search() const;

 private:
  // Begins the record of a loop; drops what is kept of a loop before, which was another one.
  void begin(const WrapHello& process, const WrapPlanned& planned, TimePoint planned_at);
  void begin_if_other(const WrapProcess& process);
  bool keep_ending(const WrapRun& run, const std::vector<ExternalNoticed>& at_end,
                   const std::string& early);
  void write_what_is_there();
  TrialRecord record(const SeenStretch& seen, const WrapEnd* end) const;
  void write(TrialRecord& record);
  void write_all();
  void tell_not_written(const Error& error, const char* what_goes_on);

  const WrapRequest& request_;
  const Environment environment_;
  std::optional<Plan> plan_;
  WrapPlanned planned_;
  TimePoint planned_at_{};
  std::vector<TrialRecord> records_;
  std::string folder_path_;
  std::optional<Session> session_;  // that stores them in that folder
  KeptSearch search_;
  // Stretches that were heard; records in the folder, the first ones of records_.
  std::size_t heard_ = 0, written_ = 0;
  bool told_ = false, waits_ = false;  // that it cannot be written; for the end, with what there is
};

}  // namespace benchbench
