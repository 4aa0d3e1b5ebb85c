#include "harness/trial/probes/probe.h"

#include "harness/trial/probes/cgroup_files.h"

namespace benchbench {
namespace {

class FileProbe final : public Probe {
 public:
  FileProbe(KernelFiles& files, KernelFile& file, TakeNumber take)
      : files_(files), file_(file), take_(std::move(take)) {}
  std::optional<std::int64_t> sample() override {
    const std::string_view text = file_.text(files_.tick());
    return text.empty() ? std::nullopt : take_(text);
  }
  std::string why() const override { return file_.why(); }

 private:
  KernelFiles& files_;
  KernelFile& file_;
  TakeNumber take_;
};

class AskingProbe final : public Probe {
 public:
  explicit AskingProbe(std::function<std::optional<std::int64_t>()> ask) : ask_(std::move(ask)) {}
  std::optional<std::int64_t> sample() override { return ask_(); }

 private:
  std::function<std::optional<std::int64_t>()> ask_;
};

std::vector<ProbeRow> all_rows() {
  std::vector<ProbeRow> rows;
  for (const auto family : {probes::cpu_time_rows, probes::run_queue_rows, probes::pressure_rows,
                            probes::memory_rows, probes::bytes_moved_rows})
    for (ProbeRow& row : family()) rows.push_back(std::move(row));
  rows.push_back({"cpu_clock", "Hz", ProbeKind::level, ProbeBase::hertz, ProbeScope::machine,
                  "mean clock frequency of the CPUs", probes::cpu_clock});
  return rows;
}

}  // namespace

std::span<const ProbeRow> probe_rows() {
  static const std::vector<ProbeRow> rows = all_rows();
  return rows;
}

Made probe_of(std::function<std::optional<std::int64_t>()> ask) {
  return std::make_unique<AskingProbe>(std::move(ask));
}

Made probe_of_file(ProbeContext& context, const std::string& path, TakeNumber take,
                   std::string& why) {
  KernelFile& file = context.files.at(path);
  auto probe = std::make_unique<FileProbe>(context.files, file, std::move(take));
  if (probe->sample()) return probe;
  why = file.why().empty() ? path + " does not report it" : file.why();
  return nullptr;
}

Made probe_of_files(ProbeContext& context, std::span<const std::string> paths,
                    const TakeNumber& take, std::string& why) {
  std::string all;
  for (const std::string& path : paths) {
    if (auto probe = probe_of_file(context, path, take, why)) return probe;
    all += (all.empty() ? "" : "; ") + why;
  }
  why = paths.empty() ? "this process is in no such cgroup" : all;
  return nullptr;
}

MakeProbe number_in_file(std::string_view path, TakeNumber take) {
  return [path, take = std::move(take)](ProbeContext& context, std::string& why) {
    return probe_of_file(context, context.path(path), take, why);
  };
}

MakeProbe number_in_group(std::string_view file, TakeNumber take, std::string_view controller,
                          std::string_view v1_file) {
  return [=](ProbeContext& context, std::string& why) -> Made {
    const auto paths = cgroup_files(context.root, file, controller, v1_file);
    if (paths.empty() || !in_root_group(paths.front()))
      return probe_of_files(context, paths, take, why);
    why = kRootGroup;
    return nullptr;
  };
}

}  // namespace benchbench
