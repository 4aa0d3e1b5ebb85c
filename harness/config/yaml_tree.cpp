#include "harness/config/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "harness/core/contains.h"

namespace benchbench::config {
namespace {

struct TooMuch {};

constexpr std::size_t kMaxNodes = 30000;

int to_line_end(std::string_view line, std::size_t from) {
  const std::size_t last = line.find_last_not_of(" \t");
  return last == std::string_view::npos || last < from ? 1 : static_cast<int>(last - from) + 1;
}

// From an opening quote to its closing one.
int quoted_width(std::string_view line, std::size_t from) {
  const char quote = line[from];
  for (std::size_t i = from + 1; i < line.size(); ++i) {
    if (line[i] == '\\' && quote == '"')
      ++i;
    else if (line[i] == quote)
      return static_cast<int>(i - from) + 1;
  }
  return to_line_end(line, from);
}

// From an opening bracket to its closing one, as far as one line shows it.
int bracket_width(std::string_view line, std::size_t from) {
  int depth = 0;
  for (std::size_t i = from; i < line.size(); ++i) {
    depth += line[i] == '[' || line[i] == '{';
    depth -= line[i] == ']' || line[i] == '}';
    if (depth == 0) return static_cast<int>(i - from) + 1;
  }
  return to_line_end(line, from);
}

int width_at(const Span& at, std::string_view scalar) {
  const std::string_view line = at.source->line(at.line);
  const std::size_t from = static_cast<std::size_t>(at.column) - 1;
  if (from >= line.size()) return 1;
  if (line[from] == '"' || line[from] == '\'') return quoted_width(line, from);
  if (line[from] == '[' || line[from] == '{') return bracket_width(line, from);
  if (!scalar.empty() && line.substr(from).starts_with(scalar))
    return static_cast<int>(scalar.size());
  return to_line_end(line, from);
}

// Builds the tree from the parser's events. The parser recurses only after it has told of the list
// or map it enters, so throwing there bounds its stack.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const Source& source, int column, Diagnostics& diagnostics)
      : source_(source), shift_(column - 1), diagnostics_(diagnostics) {}

  Span place(const YAML::Mark& mark, std::string_view scalar = {}) const {
    Span at{&source_, std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1, 1};
    if (at.line == 1) at.column += shift_;
    at.column = std::max(at.column, 1);
    at.width = width_at(at, scalar);
    return at;
  }
  // False where values are missing: what could be said of them would mislead.
  bool whole() const noexcept { return whole_; }
  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    put({.at = place(mark), .members = {}});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    diagnostics_.add(place(mark), "aliases (*name) are not supported: repeat the value");
    whole_ = false;
    put({.at = place(mark), .members = {}});
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    put({.kind = YamlNode::Kind::scalar,
         .at = place(mark, value),
         .text = value,
         .quoted = tag == "!",
         .members = {}});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::list, mark, tag, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::map, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    YamlNode node{};
    bool has_key = false;
    bool refused = false;  // the key: its value is not taken
    YamlMember member{};
    std::map<std::string, int> lines{};  // of the keys so far
  };

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor)
      diagnostics_.add(place(mark), "anchors (&name) are not supported: repeat the value");
  }
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!")
      diagnostics_.add(place(mark), "tags ({}) are not supported: remove the tag", tag);
  }
  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    if (frames_.size() >= kDeepest) {
      diagnostics_.add(place(mark), "nested deeper than {} levels", kDeepest);
      throw TooMuch{};
    }
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    frames_.push_back({.node = {.kind = kind, .at = place(mark), .members = {}}});
  }
  void close() {
    YamlNode node = std::move(frames_.back().node);
    frames_.pop_back();
    put(std::move(node));
  }
  void put(YamlNode node) {
    if (++nodes_ > kMaxNodes) {
      diagnostics_.add(node.at, "more than {} keys and values, the limit for a scenario",
                       kMaxNodes);
      throw TooMuch{};
    }
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.node.list())
      frame.node.items.push_back(std::move(node));
    else if (frame.has_key)
      put_value(frame, std::move(node));
    else
      put_key(frame, std::move(node));
  }
  void put_key(Frame& frame, YamlNode node) {
    const bool merges = node.scalar() && node.text == "<<" && !node.quoted;
    if (!node.scalar())
      diagnostics_.add(node.at, "a key must be a word");
    else if (merges)
      diagnostics_.add(node.at,
                       "merge keys (<<) are not supported: repeat the keys, or use a variant");
    frame.refused = !node.scalar() || merges;
    frame.member = {.key = node.text, .at = node.at, .value = {}};
    frame.has_key = true;
  }
  void put_value(Frame& frame, YamlNode node) {
    frame.has_key = false;
    if (frame.refused) return;
    frame.member.value = std::move(node);
    const auto [first, is_new] = frame.lines.emplace(frame.member.key, frame.member.at.line);
    if (is_new)
      frame.node.members.push_back(std::move(frame.member));
    else
      diagnostics_.add(frame.member.at, "duplicate key {}: already set in line {}",
                       frame.member.key, first->second);
  }

  const Source& source_;
  int shift_;
  Diagnostics& diagnostics_;
  std::vector<Frame> frames_;
  std::size_t nodes_ = 0;
  bool whole_ = true;
  YamlNode root_;
};

// Throws where a document starts.
struct SecondDocument {
  YAML::Mark mark;
};
class NoDocument final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override { throw SecondDocument{mark}; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

}  // namespace

const YamlMember* YamlNode::find(std::string_view key) const noexcept {
  return find_element(members, key, &YamlMember::key);
}

std::optional<YamlNode> parse_yaml(const Source& source, const std::string& yaml, int column,
                                   Diagnostics& diagnostics) {
  if (!check_text(source, diagnostics)) return std::nullopt;
  TreeBuilder builder(source, column, diagnostics);
  try {
    std::istringstream in(yaml);
    YAML::Parser parser(in);
    parser.HandleNextDocument(builder);
    NoDocument none;  // yaml-cpp would silently leave a second one out
    parser.HandleNextDocument(none);
    if (builder.whole()) return builder.take();
  } catch (const TooMuch&) {
  } catch (const SecondDocument& second) {
    diagnostics.add(builder.place(second.mark),
                    "a second document: a scenario is a single document");
  } catch (const YAML::Exception& e) {
    diagnostics.add(builder.place(e.mark), "not YAML: {}", e.msg);
  }
  return std::nullopt;
}

}  // namespace benchbench::config
