#include "harness/process/data_pass_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "harness/core/error.h"

namespace benchbench {
namespace {

// A name may hold anything; a line and its fields must stay what they are.
std::string plain(std::string text) {
  std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

// The members that travel, by name, for both ways.
void visit_counts(auto& p, auto&& visit) {
  visit("samples", p.samples);
  visit("seen", p.seen);
  visit("duplicated", p.duplicated);
  visit("labels_wrong", p.labels_wrong);
  visit("payloads", p.totals.payloads);
  visit("payload_bytes", p.totals.payload_bytes);
  visit("content_checked", p.totals.content_checked);
  visit("content_wrong", p.totals.content_wrong);
  visit("decode_errors", p.totals.decode_errors);
  visit("decode_warnings", p.totals.decode_warnings);
  visit("classes", p.classes);
  visit("labels_met", p.labels_met);
  visit("workers", p.workers);
  visit("seconds", p.seconds);
}

FaultySample fault_from(const std::string& line) {
  std::istringstream fields(line);
  FaultySample fault;
  std::string id;
  std::getline(fields, id, '\t');
  fault.id = std::strtoull(id.c_str(), nullptr, 10);
  std::string kind;
  std::getline(fields, kind, '\t');
  fault.kind = from_name<FaultKind>(kind).value_or(fault.kind);
  std::getline(fields, fault.where, '\t');
  std::getline(fields, fault.what, '\t');
  return fault;
}

void take_count(const std::string& line, DataPass& pass) {
  std::istringstream fields(line);
  std::string name;
  bool known = false;
  fields >> name;
  visit_counts(pass, [&](std::string_view member, auto& value) {
    if (member == name) known = static_cast<bool>(fields >> value);
  });
  if (!known)
    throw PartError(fmt::format("unexpected \"{}\" in the child's answer", line.substr(0, 80)));
}
}  // namespace

std::string data_pass_payload(const DataPass& pass) {
  std::string text;
  visit_counts(pass, [&](std::string_view name, const auto& value) {
    text += fmt::format("{} {}\n", name, value);
  });
  if (!pass.remark.empty()) text += fmt::format("remark {}\n", plain(pass.remark));
  for (const FaultySample& f : pass.faults)
    text +=
        fmt::format("fault {}\t{}\t{}\t{}\n", f.id, name_of(f.kind), plain(f.where), plain(f.what));
  return text;
}

DataPass data_pass_from(std::string_view payload) {
  DataPass pass;
  std::istringstream lines{std::string(payload)};
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("fault "))
      pass.faults.push_back(fault_from(line.substr(6)));
    else if (line.starts_with("remark "))
      pass.remark = line.substr(7);
    else
      take_count(line, pass);
  return pass;
}

}  // namespace benchbench
