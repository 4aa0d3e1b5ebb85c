#include "harness/report/html/html_text.h"

#include <fmt/format.h>

#include <cstdint>

#include "harness/report/machines/clean_text.h"

namespace benchbench {
namespace {

// Rows. The style does not lay out a longer table before it is near the window, and the script
// shows it by portions.
constexpr std::size_t kLongTable = 500;

std::string_view entity_of(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return "";
  }
}

std::string heading(const HtmlTable& table, std::size_t at) {
  const HtmlColumn& column = table.columns[at];
  const std::string unit =
      column.unit.empty() ? "" : fmt::format(" <span class=\"unit\">{}</span>", html(column.unit));
  const std::string term = column.meaning.empty() ? "" : fmt::format("term-{}-{}", table.id, at);
  const std::string described = term.empty() ? "" : fmt::format(" aria-describedby=\"{}\"", term);
  std::string text = html(column.title) + unit;
  if (table.sortable)
    text = fmt::format("<button type=\"button\" class=\"sort\"{}>{}</button>", described, text);
  else if (!term.empty())
    text = fmt::format("<button type=\"button\" class=\"term\"{}>{}</button>", described, text);
  if (!term.empty())
    text += fmt::format("<span role=\"tooltip\" id=\"{}\">{}</span>", term, html(column.meaning));
  return fmt::format("<th scope=\"col\"{}>{}</th>", column.number ? " class=\"number\"" : "", text);
}

std::string cell(const HtmlTable& table, const HtmlCell& c, std::size_t at) {
  const HtmlColumn& column = table.columns[at];
  std::string attributes = at == 0 ? " scope=\"row\"" : "";
  if (column.number) attributes += " class=\"number\"";
  if (table.sortable && column.number)
    attributes += c.sort ? fmt::format(" data-sort=\"{}\"", *c.sort) : " data-sort=\"\"";
  const std::string text = c.status.empty() ? html(c.text)
                                            : fmt::format("<span class=\"status {}\">{}</span>",
                                                          html(c.status), html(c.text));
  return fmt::format("<{0}{1}>{2}</{0}>", at == 0 ? "th" : "td", attributes, text);
}

std::string body_of(const HtmlTable& table) {
  std::string out;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    out += table.row_ids.empty() ? "<tr>" : fmt::format("<tr id=\"{}\">", table.row_ids[row]);
    for (std::size_t at = 0; at < table.columns.size(); ++at)
      out += cell(table, table.rows[row][at], at);
    out += "</tr>\n";
  }
  return out;
}

}  // namespace

std::string html(std::string_view text) {
  std::string out;
  for (const char c : clean_text(text)) {
    const std::string_view entity = entity_of(c);
    if (entity.empty())
      out += c;
    else
      out += entity;
  }
  return out;
}

std::string json_in_html(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0);
    for (std::size_t i = 0; i < 4; ++i)
      out += i <= bytes.size() - at ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

std::string html_table(const HtmlTable& table) {
  std::string head;
  for (std::size_t at = 0; at < table.columns.size(); ++at) head += heading(table, at);
  const std::string id = table.id.empty() ? "" : fmt::format(" id=\"{}\"", table.id);
  return fmt::format(
      "<div class=\"scroll{5}\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{0}\"><table{1}{2}>\n<caption>{0}</caption>\n<thead><tr>{3}</tr></"
      "thead>\n<tbody>\n{4}</tbody></table></div>\n",
      html(table.name), id, table.sortable ? " class=\"sortable\"" : "", head, body_of(table),
      table.rows.size() > kLongTable ? " long" : "");
}

std::string html_figure(const HtmlFigure& f) {
  const std::string id = f.sub == 0 ? fmt::format("chart-{}-{}", f.kind, f.index)
                                    : fmt::format("chart-{}-{}-{}", f.kind, f.index, f.sub);
  return fmt::format(
      "<figure class=\"chart\" data-chart=\"{0}\" data-index=\"{1}\" data-sub=\"{2}\" id=\"{3}\" "
      "aria-labelledby=\"{3}-name\">\n"
      "<figcaption id=\"{3}-name\"><strong>{4}</strong> <span>{5}</span></figcaption>\n<div "
      "class=\"plot\"></div>\n"
      "<details><summary>Values</summary>{6}</details>\n</figure>\n",
      f.kind, f.index, f.sub, id, html(f.question), html(f.how), html_table(f.values));
}

std::string html_absent(std::string_view why) {
  return fmt::format("<p class=\"absent\">{}</p>\n", html(why));
}

std::string html_section(std::string_view id, std::string_view title, const std::string& body) {
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 "
      "id=\"{0}-title\">{1}</h2>\n{2}</section>\n",
      id, html(title), body);
}

}  // namespace benchbench
