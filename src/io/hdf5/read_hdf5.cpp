#include <algorithm>
#include <vector>

#include <saltus/core/text.hpp>

#include "io/hdf5/handle.hpp"
#include "io/hdf5/hdf5.hpp"

namespace saltus::detail {

namespace {

/// Reads below one group and throws FileError naming what is missing or of another shape.
class Hdf5Source {
 public:
  Hdf5Source(hid_t at, std::string prefix, const std::string& path)
      : at_(at), prefix_(std::move(prefix)), path_(path) {}

  bool has(const char* name) const { return H5Lexists(at_, name, H5P_DEFAULT) > 0; }
  Hdf5Handle group(const char* name) const {
    Hdf5Handle opened(H5Gopen2(at_, name, H5P_DEFAULT), H5Gclose);
    if (!opened.ok()) refuse(name, "is missing");
    return opened;
  }
  std::string below(const char* name) const { return prefix_ + name + "/"; }
  const std::string& path() const { return path_; }

  std::vector<double> numbers(const char* name) const { return list<double>(name, 1); }
  std::vector<double> matrix(const char* name, std::size_t rows, std::size_t columns) const {
    return shaped<double>(name, rows, columns);
  }
  std::vector<std::uint64_t> counts(const char* name) const { return list<std::uint64_t>(name, 1); }
  std::vector<std::uint8_t> truths(const char* name) const { return list<std::uint8_t>(name, 1); }
  std::vector<std::uint8_t> truths(const char* name, std::size_t rows, std::size_t columns) const {
    return shaped<std::uint8_t>(name, rows, columns);
  }
  std::vector<std::string> texts(const char* name) const {
    const Hdf5Handle set = open(name);
    const std::vector<hsize_t> shape = extent(set, name);
    return texts_of(set, shape.empty() ? 1 : shape[0], name);
  }
  std::string text(const char* name) const {
    const std::vector<std::string> all = texts(name);
    return all.empty() ? std::string{} : all.front();
  }
  std::string text_attribute(const char* name) const {
    const Hdf5Handle attribute(H5Aopen(at_, name, H5P_DEFAULT), H5Aclose);
    if (!attribute.ok()) refuse(name, "is missing");
    const Hdf5Handle stored(H5Aget_type(attribute), H5Tclose);
    const std::size_t size = text_size(stored, name);
    const Hdf5Handle space(H5Aget_space(attribute), H5Sclose);
    std::string out(size, '\0');
    if (H5Sget_simple_extent_npoints(space) != 1 ||
        H5Aread(attribute, hdf5_text_type(size), out.data()) < 0)
      refuse(name, "is not a text");
    out.resize(std::min(out.find('\0'), out.size()));
    return out;
  }
  double number_attribute(const char* name) const {
    const Hdf5Handle attribute(H5Aopen(at_, name, H5P_DEFAULT), H5Aclose);
    double out = 0.0;
    if (!attribute.ok() || H5Aread(attribute, H5T_NATIVE_DOUBLE, &out) < 0)
      refuse(name, "is missing");
    return out;
  }
  bool has_attribute(const char* name) const { return H5Aexists(at_, name) > 0; }

  [[noreturn]] void refuse(std::string_view name, const std::string& why) const {
    throw FileError(path_, quote(prefix_ + std::string(name)) + " " + why);
  }

 private:
  Hdf5Handle open(const char* name) const {
    Hdf5Handle set(H5Dopen2(at_, name, H5P_DEFAULT), H5Dclose);
    if (!set.ok()) refuse(name, "is missing");
    return set;
  }
  std::vector<hsize_t> extent(hid_t set, const char* name) const {
    const Hdf5Handle space(H5Dget_space(set), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 0) refuse(name, "has no extent");
    std::vector<hsize_t> shape(static_cast<std::size_t>(rank));
    if (rank > 0) H5Sget_simple_extent_dims(space, shape.data(), nullptr);
    // A file says what it likes; memory is taken for what it holds. A chunk that was never written counts
    // as held: compressed files can be larger when read, within reason.
    hsize_t n = 1;
    for (const hsize_t one : shape) {
      if (n > 0 && one > (hsize_t{1} << 40) / n) refuse(name, "is too large");
      n *= one;
    }
    const Hdf5Handle type(H5Dget_type(set), H5Tclose);
    const hsize_t size = H5Tget_size(type);
    if (n * (size >> 20) > (hsize_t{1} << 20) ||
        (n * size > 1000000 && n * size > 2000 * (H5Dget_storage_size(set) + 1)))
      refuse(name, "claims to be larger than the data in the file");
    return shape;
  }
  template <class T>
  std::vector<T> read(hid_t set, std::size_t n, const char* name) const {
    std::vector<T> out(n);
    Hdf5Handle type;
    hid_t memory = H5T_NATIVE_DOUBLE;
    if constexpr (std::is_same_v<T, std::uint64_t>) memory = H5T_NATIVE_UINT64;
    if constexpr (std::is_same_v<T, std::uint8_t>) {
      type = hdf5_truth_type();
      memory = type;
    }
    if (n > 0 && H5Dread(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data()) < 0)
      refuse(name, "cannot be read");
    return out;
  }
  template <class T>
  std::vector<T> list(const char* name, std::size_t rank) const {
    const Hdf5Handle set = open(name);
    const std::vector<hsize_t> shape = extent(set, name);
    if (shape.size() != rank) refuse(name, "does not have one dimension");
    return read<T>(set, shape[0], name);
  }
  template <class T>
  std::vector<T> shaped(const char* name, std::size_t rows, std::size_t columns) const {
    const Hdf5Handle set = open(name);
    if (extent(set, name) != std::vector<hsize_t>{rows, columns})
      refuse(name, "is not of size " + std::to_string(rows) + " times " + std::to_string(columns));
    return read<T>(set, rows * columns, name);
  }
  std::size_t text_size(hid_t type, const char* name) const {
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
      refuse(name, "is not a list of texts of a fixed length");
    const std::size_t size = H5Tget_size(type);
    if (size == 0 || size > (std::size_t{1} << 30)) refuse(name, "has texts of an invalid length");
    return size;
  }
  std::vector<std::string> texts_of(hid_t set, std::size_t n, const char* name) const {
    const Hdf5Handle stored(H5Dget_type(set), H5Tclose);
    const std::size_t size = text_size(stored, name);
    std::string all(n * size, '\0');
    if (n > 0 && H5Dread(set, hdf5_text_type(size), H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0)
      refuse(name, "cannot be read");
    std::vector<std::string> out;
    for (std::size_t k = 0; k < n; ++k) {
      std::string text = all.substr(k * size, size);
      text.resize(std::min(text.find('\0'), text.size()));
      out.push_back(std::move(text));
    }
    return out;
  }

  hid_t at_;
  std::string prefix_;
  const std::string& path_;
};

std::vector<std::string> relations_of(const std::string& lines) {
  std::vector<std::string> out;
  for (std::size_t at = 0; !lines.empty() && at != std::string::npos;) {
    const std::size_t end = lines.find('\n', at);
    out.push_back(lines.substr(at, end == std::string::npos ? end : end - at));
    at = end == std::string::npos ? end : end + 1;
  }
  return out;
}

/// All lists must be of one length.
template <class... Lists>
std::size_t common_size(const Hdf5Source& from, const char* what, const Lists&... lists) {
  const std::vector<std::size_t> sizes{lists.size()...};
  for (const std::size_t size : sizes)
    if (size != sizes[0]) from.refuse(what, "has lists of different length");
  return sizes[0];
}

ResultTable take_hdf5_table(const Hdf5Source& from) {
  ResultTable table;
  table.times = from.numbers("time");
  const auto names = from.texts("names"), units = from.texts("units");
  const auto descriptions = from.texts("descriptions");
  const std::size_t n = common_size(from, "names", names, units, descriptions);
  const std::size_t rows = table.times.size();
  const std::vector<double> values = from.matrix("values", n, rows);
  std::vector<std::uint8_t> present;
  if (from.has("present")) present = from.truths("present", n, rows);
  for (std::size_t i = 0; i < n; ++i) {
    ResultColumn column{names[i], units[i], descriptions[i]};
    const auto begin = static_cast<std::ptrdiff_t>(i * rows);
    const auto end = static_cast<std::ptrdiff_t>((i + 1) * rows);
    column.values.assign(values.begin() + begin, values.begin() + end);
    if (!present.empty()) {
      column.present.assign(present.begin() + begin, present.begin() + end);
      for (std::size_t r = 0; r < rows; ++r)
        if (!column.present[r]) column.values[r] = 0.0;
      if (std::find(column.present.begin(), column.present.end(), 0) == column.present.end())
        column.present.clear();
    }
    table.columns.push_back(std::move(column));
  }

  const Hdf5Handle group = from.group("segments");
  const Hdf5Source in(group, from.below("segments"), from.path());
  const auto mode = in.texts("mode"), sliding = in.texts("sliding");
  const auto t_begin = in.numbers("t_begin"), t_end = in.numbers("t_end");
  const auto first = in.counts("first_row"), n_rows = in.counts("n_rows");
  const std::size_t n_segments =
      common_size(in, "mode", mode, sliding, t_begin, t_end, first, n_rows);
  std::uint64_t next = 0;
  for (std::size_t s = 0; s < n_segments; ++s) {
    if (first[s] != next || n_rows[s] > rows - next)
      in.refuse("first_row", "does not number the rows one after the other");
    next += n_rows[s];
    table.segments.push_back(
        {mode[s], relations_of(sliding[s]), t_begin[s], t_end[s], first[s], n_rows[s]});
  }
  if (next != rows) in.refuse("n_rows", "does not number the rows one after the other");
  return table;
}

void take_hdf5_parameters(const Hdf5Source& from, ResultFile& out) {
  const auto names = from.texts("names"), units = from.texts("units");
  const auto descriptions = from.texts("descriptions");
  const auto values = from.numbers("values");
  const std::size_t n = common_size(from, "names", names, units, descriptions, values);
  for (std::size_t i = 0; i < n; ++i)
    out.parameters.push_back({names[i], units[i], descriptions[i], values[i]});
}

EventKind event_kind_named(const Hdf5Source& from, const std::string& text) {
  for (std::size_t k = 0; k < n_event_kinds; ++k)
    if (name(static_cast<EventKind>(k)) == text) return static_cast<EventKind>(k);
  from.refuse("kind", "has the unknown word " + quote(text));
}

Guarantee guarantee_named(const Hdf5Source& from, const std::string& text) {
  if (text == "exact" || text == "-") return Guarantee::proven;  // nothing was looked for
  for (const Guarantee g : {Guarantee::proven, Guarantee::heuristic, Guarantee::marginal})
    if (name(g) == text) return g;
  from.refuse("guarantee", "has the unknown word " + quote(text));
}

void take_hdf5_events(const Hdf5Source& from, ResultFile& out) {
  const auto t = from.numbers("t"), direction = from.numbers("direction");
  const auto width = from.numbers("time_width"), hysteresis = from.numbers("hysteresis");
  const auto instant = from.counts("instant"), micro = from.counts("micro_step");
  const auto kind = from.texts("kind"), names = from.texts("name"), text = from.texts("text");
  const auto guarantee = from.texts("guarantee"), cause = from.texts("cause");
  const auto waited = from.truths("waited"), terminal = from.truths("terminal");
  const auto note = from.texts("note"), changes = from.texts("changes");
  const auto explanation = from.texts("explanation");
  const std::size_t n =
      common_size(from, "t", t, direction, width, hysteresis, instant, micro, kind, names, text,
                  guarantee, cause, waited, terminal, note, changes, explanation);
  for (std::size_t i = 0; i < n; ++i) {
    ResultEvent event;
    event.what = {static_cast<std::uint32_t>(instant[i]),
                  static_cast<std::uint32_t>(micro[i]),
                  event_kind_named(from, kind[i]),
                  t[i],
                  names[i],
                  direction[i] > 0   ? 1
                  : direction[i] < 0 ? -1
                                     : 0,
                  guarantee_named(from, guarantee[i]),
                  cause[i],
                  text[i],
                  width[i],
                  hysteresis[i],
                  waited[i] != 0,
                  terminal[i] != 0,
                  note[i]};
    event.changes = changes[i];
    event.explanation = explanation[i];
    out.events.push_back(std::move(event));
  }
}

void take_hdf5_instants(const Hdf5Source& from, ResultFile& out) {
  const auto t = from.numbers("t");
  const auto before = from.texts("mode_before"), after = from.texts("mode_after");
  const auto sliding_before = from.texts("sliding_before");
  const auto sliding_after = from.texts("sliding_after");
  const auto first = from.counts("first_event"), n_events = from.counts("n_events");
  const auto restarted = from.truths("restarted");
  const std::size_t n = common_size(from, "t", t, before, after, sliding_before, sliding_after,
                                    first, n_events, restarted);
  const std::size_t columns = out.table.columns.size();
  const auto x_minus = from.matrix("x_minus", n, columns);
  const auto x_plus = from.matrix("x_plus", n, columns);
  const auto minus_present = from.truths("minus_present", n, columns);
  const auto plus_present = from.truths("plus_present", n, columns);
  for (std::size_t i = 0; i < n; ++i) {
    if (first[i] > out.events.size() || n_events[i] > out.events.size() - first[i])
      from.refuse("first_event", "leads outside the list of events");
    ResultInstant instant{t[i],
                          before[i],
                          after[i],
                          relations_of(sliding_before[i]),
                          relations_of(sliding_after[i]),
                          static_cast<std::uint32_t>(first[i]),
                          static_cast<std::uint32_t>(n_events[i]),
                          restarted[i] != 0};
    for (std::size_t k = i * columns; k < (i + 1) * columns; ++k) {
      instant.minus_present.push_back(minus_present[k]);
      instant.plus_present.push_back(plus_present[k]);
      instant.x_minus.push_back(minus_present[k] ? x_minus[k] : 0.0);
      instant.x_plus.push_back(plus_present[k] ? x_plus[k] : 0.0);
    }
    out.instants.push_back(std::move(instant));
  }
  for (const ResultEvent& event : out.events)
    if (event.what.instant >= n) from.refuse("t", "has fewer entries than events say");
}

void take_hdf5_derivatives(const Hdf5Source& from, ResultDerivatives& out) {
  out.parameters = from.texts("parameters");
  out.table = take_hdf5_table(from);
  const Hdf5Handle group = from.group("event_times");
  const Hdf5Source in(group, from.below("event_times"), from.path());
  const auto t = in.numbers("t");
  const auto relation = in.texts("relation");
  const std::size_t n = common_size(in, "t", t, relation), columns = out.parameters.size();
  const auto derivatives = in.matrix("derivatives", n, columns);
  for (std::size_t i = 0; i < n; ++i) {
    const auto begin = derivatives.begin() + static_cast<std::ptrdiff_t>(i * columns);
    out.event_times.push_back(
        {t[i], relation[i], {begin, begin + static_cast<std::ptrdiff_t>(columns)}});
  }
  if (from.has_attribute("end_t"))
    out.ends = NoDerivative{from.number_attribute("end_t"), from.text_attribute("end_why")};
}

}  // namespace

ResultFile read_hdf5(const std::string& path) {
  const Hdf5Session session;
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.ok()) throw FileError(path, "is not an HDF5 file that can be opened");
  const Hdf5Source root(file, "/", path);
  if (!root.has_attribute("format") || root.text_attribute("format") != "saltus result")
    throw FileError(path, "is an HDF5 file, but not a result of Saltus");
  if (root.number_attribute("version") > hdf5_layout_version)
    throw FileError(path, "was written by a newer version of Saltus: update Saltus to read it");
  ResultFile out;
  out.model = root.text_attribute("model");
  out.table = take_hdf5_table(root);
  const auto below = [&](const char* name, auto take, auto& to) {
    const Hdf5Handle group = root.group(name);
    take(Hdf5Source(group, root.below(name), path), to);
  };
  below("parameters", take_hdf5_parameters, out);
  below("events", take_hdf5_events, out);
  below("instants", take_hdf5_instants, out);
  if (root.has("sensitivities")) below("sensitivities", take_hdf5_derivatives, out.derivatives);
  out.report_json = root.text("report");
  out.report_text = root.text("report_text");
  out.analysis_json = root.text("analysis");
  out.analysis_text = root.text("analysis_text");
  return out;
}

}  // namespace saltus::detail
