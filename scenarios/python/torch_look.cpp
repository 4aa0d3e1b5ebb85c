#include "scenarios/python/torch_look.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/core/error.h"
#include "scenarios/python/interpreter.h"
#include "scenarios/python/python_child.h"

namespace benchbench::python_part {
namespace {

namespace fs = std::filesystem;

// When a file was changed, in the file system's own count; null where it is not there.
Json changed_at(const std::string& path) {
  std::error_code failed;
  const auto at = fs::last_write_time(path, failed);
  return failed ? Json(nullptr) : Json(at.time_since_epoch().count());
}

std::string kept_file(const ExternalCudaOrder& order) {
  return order.kept_in + "/python_cuda.json";
}

// All that is kept, by interpreter; a file that is damaged keeps nothing.
Json read_kept(const std::string& path) {
  std::ifstream file(path);
  Json kept = Json::parse(std::string(std::istreambuf_iterator<char>(file), {}), nullptr, false);
  return kept.is_object() ? kept : Json::object();
}

// In one step, so that another run reads all of it or nothing. Where it cannot be written, torch is
// asked again the next time.
void write_kept(const std::string& path, const Json& kept) {
  std::error_code failed;
  fs::create_directories(fs::path(path).parent_path(), failed);
  const std::string part = fmt::format("{}.{}", path, ::getpid());
  std::ofstream(part) << kept.dump(1) << "\n";
  fs::rename(part, path, failed);
}

// The members of `cuda`.
Json ask(const std::string& interpreter, const ExternalCudaOrder& order) {
  const Patience patience{order.timeout, order.look};
  PythonChild child({interpreter, child_script()}, patience);
  Message answer = child.ask({{"type", "cuda"}}, "cuda", "was importing torch", patience);
  child.be_idle();
  answer.body["changed"] = changed_at(interpreter);
  answer.body["file_changed"] = changed_at(text_in(answer.body, "file"));
  return answer.body;
}

bool is_as_it_was(const Json& known, const std::string& interpreter) {
  return known.is_object() && known.value("changed", Json()) == changed_at(interpreter) &&
         known.value("file_changed", Json()) == changed_at(text_in(known, "file"));
}

bool is_kept(const Json& answer) {
  return answer.contains("file") && !answer["file"].is_null() &&
         (member_or<bool>(answer, "available", false) || !member_or<bool>(answer, "built", false));
}

ExternalCuda cuda_from(const Json& answer, const std::string& interpreter) {
  if (member_or<bool>(answer, "available", false)) return {true, ""};
  const auto why = text_in(answer, "why");
  if (!why.empty()) return {false, fmt::format("{} has no torch: {}", interpreter, why)};
  return {false, fmt::format("torch {} of {} finds no CUDA device", text_in(answer, "torch"),
                             interpreter)};
}

}  // namespace

// An interpreter that dies or hangs meanwhile finds none; the look at the user's code says more.
ExternalCuda look_for_cuda(const ExternalCudaOrder& order) try {
  const std::string interpreter = interpreter_named(order.interpreter);
  Json kept = read_kept(kept_file(order));
  if (!is_as_it_was(kept.value(interpreter, Json()), interpreter)) {
    kept[interpreter] = ask(interpreter, order);
    if (is_kept(kept[interpreter])) write_kept(kept_file(order), kept);
  }
  return cuda_from(kept[interpreter], interpreter);
} catch (const PartError& error) {
  return {false, std::string(error.message())};
}

}  // namespace benchbench::python_part
