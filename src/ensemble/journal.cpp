#include <saltus/ensemble/journal.hpp>

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>

#include <saltus/core/text.hpp>

namespace saltus {

namespace {

static_assert(std::endian::native == std::endian::little, "segments are little-endian");

constexpr std::string_view title = "SALTUSJ1";
constexpr std::uint32_t marker = 0x2E4E5552;  // "RUN."
constexpr std::size_t head_size = 20;         // of a segment
constexpr std::size_t record_head = 24;
constexpr std::size_t enough = 1 << 16;  // bytes kept in memory

template <class T>
void append(std::vector<char>& to, T value) {
  const auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

template <class T>
T read(std::span<const char> from, std::size_t at) {
  std::array<char, sizeof(T)> bytes;
  std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(at), sizeof(T), bytes.begin());
  return std::bit_cast<T>(bytes);
}

std::uint32_t checksum(std::span<const char> bytes, std::uint32_t before = 0) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

std::uint32_t checksum_of_record(std::span<const char> from, std::size_t at, std::size_t length) {
  return checksum(from.subspan(at + record_head, length),
                  checksum(from.subspan(at, record_head - 4)));
}

}  // namespace

struct JournalWriter::File {
  std::filesystem::path path;
  int descriptor = -1;
  std::vector<char> waiting;
  std::vector<std::size_t> ends;  // of waiting records
  std::uint64_t written = 0;
  bool broken = false;

  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }

  Failure failure(int error) const {
    return {FailureCode::not_certified,
            "cannot write " + quote(path.string()) + ": " + std::strerror(error)};
  }

  Result<void> write_waiting() {
    if (broken) return failure(EIO);
    std::size_t done = 0;
    int error = 0;
    while (done < waiting.size() && error == 0) {
      const ssize_t n = ::write(descriptor, waiting.data() + done, waiting.size() - done);
      if (n > 0)
        done += static_cast<std::size_t>(n);
      else if (n < 0 && errno != EINTR)
        error = errno;
    }
    if (error != 0) {
      // What was written of a record is taken back: nobody has to look for its end.
      std::size_t whole = 0;
      for (const std::size_t end : ends)
        if (end <= done) whole = end;
      written += whole;
      if (::ftruncate(descriptor, static_cast<off_t>(written)) != 0) broken = true;
      broken = true;
      return failure(error);
    }
    written += done;
    waiting.clear();
    ends.clear();
    return {};
  }
};

JournalWriter::JournalWriter(std::unique_ptr<File> file) : file_(std::move(file)) {}
JournalWriter::~JournalWriter() {
  if (file_) (void)flush();
}
JournalWriter::JournalWriter(JournalWriter&&) noexcept = default;
JournalWriter& JournalWriter::operator=(JournalWriter&&) noexcept = default;
const std::filesystem::path& JournalWriter::path() const { return file_->path; }

Result<JournalWriter> JournalWriter::create(const std::filesystem::path& folder,
                                            std::uint64_t fingerprint) {
  auto file = std::make_unique<File>();
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {'h', 'o', 's', 't'};
  for (int number = 0; file->descriptor < 0; ++number) {
    file->path = folder / (std::string(host.data()) + "-" + std::to_string(::getpid()) + "-" +
                           std::to_string(number) + ".journal");
    file->descriptor = ::open(file->path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0644);
    if (file->descriptor < 0 && errno != EEXIST) return file->failure(errno);
  }
  file->waiting.insert(file->waiting.end(), title.begin(), title.end());
  append(file->waiting, fingerprint);
  append(file->waiting, checksum(file->waiting));
  file->ends.push_back(file->waiting.size());
  if (auto written = file->write_waiting(); !written) return written.failure();
  return JournalWriter(std::move(file));
}

Result<void> JournalWriter::add(const JournalRecord& record) {
  std::vector<char>& to = file_->waiting;
  const std::size_t begin = to.size();
  const bool complete = record.outcome == RunOutcome::complete;
  const std::size_t length = complete ? record.values.size_bytes() : record.reason.size();
  append(to, marker);
  append(to, static_cast<std::uint32_t>(length));
  append(to, record.run);
  append(to, static_cast<std::uint32_t>(record.outcome));
  append(to, std::uint32_t{0});
  const char* content =
      complete ? reinterpret_cast<const char*>(record.values.data()) : record.reason.data();
  to.insert(to.end(), content, content + length);
  const auto sum = std::bit_cast<std::array<char, 4>>(checksum_of_record(to, begin, length));
  std::ranges::copy(sum, to.begin() + static_cast<std::ptrdiff_t>(begin + record_head - 4));
  file_->ends.push_back(to.size());
  return to.size() >= enough ? file_->write_waiting() : Result<void>();
}

Result<void> JournalWriter::flush() { return file_->write_waiting(); }

std::vector<std::filesystem::path> journal_segments(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (entry.path().extension() == ".journal") found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

namespace detail {

/// A part of a segment in memory; more is read where it is needed.
class SegmentWindow {
 public:
  explicit SegmentWindow(const std::filesystem::path& path) : in_(path, std::ios::binary) {}
  bool is_open() const { return in_.is_open(); }

  /// From the place where reading goes on; shorter at the end.
  std::span<const char> next(std::size_t at_least) {
    const std::size_t had = bytes_.size() - begin_;
    if (had < at_least && in_) {
      bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(begin_));
      begin_ = 0;
      const std::uint64_t left = end_ - std::min(end_, position_ + had);
      const auto more = static_cast<std::size_t>(
          std::min<std::uint64_t>(left, std::max(at_least, std::size_t{1} << 20)));
      bytes_.resize(had + more);
      in_.read(bytes_.data() + had, static_cast<std::streamsize>(more));
      bytes_.resize(had + static_cast<std::size_t>(in_.gcount()));
    }
    return std::span<const char>(bytes_).subspan(begin_);
  }
  void pass(std::size_t n) {
    begin_ += n;
    position_ += n;
  }
  std::uint64_t position() const { return position_; }
  void read_between(std::uint64_t begin, std::uint64_t end) {
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(begin));
    bytes_.clear();
    begin_ = 0;
    position_ = begin;
    end_ = end;
  }

 private:
  std::ifstream in_;
  std::vector<char> bytes_;
  std::size_t begin_ = 0;
  std::uint64_t position_ = 0, end_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace detail

namespace {

using detail::SegmentWindow;

/// The record at the begin of the window and its size; 0: none that can be believed.
std::size_t good_record(SegmentWindow& window, JournalRecord& record, std::vector<double>& values) {
  constexpr std::uint32_t most = 1u << 28;  // bytes of one record
  auto from = window.next(record_head);
  if (from.size() < record_head || read<std::uint32_t>(from, 0) != marker) return 0;
  const auto length = read<std::uint32_t>(from, 4);
  if (length > most) return 0;
  from = window.next(record_head + length);
  if (from.size() < record_head + length) return 0;
  if (read<std::uint32_t>(from, record_head - 4) != checksum_of_record(from, 0, length)) return 0;
  record = {
      read<std::uint64_t>(from, 8), static_cast<RunOutcome>(read<std::uint32_t>(from, 16)), {}, {}};
  const auto content = from.subspan(record_head, length);
  if (record.outcome == RunOutcome::complete) {
    if (length % sizeof(double) != 0) return 0;
    values.resize(length / sizeof(double));
    std::memcpy(values.data(), content.data(), length);
    record.values = values;
  } else {
    record.reason = {content.data(), content.size()};
  }
  return record_head + length;
}

}  // namespace

struct SegmentReader::State {
  SegmentReport report;
  detail::SegmentWindow window;
  std::vector<double> values;
  bool is_good = false;  // as a whole
  bool lost_last = false;

  State(const std::filesystem::path& path, std::uint64_t fingerprint) : window(path) {
    report.path = path;
    if (!window.is_open()) {
      report.problem = "cannot be read";
      return;
    }
    const auto head = window.next(head_size);
    if (head.size() < head_size || !std::equal(title.begin(), title.end(), head.begin()) ||
        read<std::uint32_t>(head, head_size - 4) != checksum(head.first(head_size - 4))) {
      report.problem = "does not begin like a segment";
      report.n_bytes_lost = head.size();
    } else if (read<std::uint64_t>(head, title.size()) != fingerprint) {
      report.problem =
          "belongs to another sweep: the manifest, the model or the version of Saltus has changed";
    } else {
      is_good = true;
      window.pass(head_size);
    }
  }
};

SegmentReader::SegmentReader(const std::filesystem::path& path, std::uint64_t fingerprint)
    : state_(std::make_unique<State>(path, fingerprint)) {}
SegmentReader::~SegmentReader() = default;
SegmentReader::SegmentReader(SegmentReader&&) noexcept = default;
SegmentReader& SegmentReader::operator=(SegmentReader&&) noexcept = default;

bool SegmentReader::next(JournalRecord& record) {
  State& s = *state_;
  while (s.is_good && !s.window.next(1).empty()) {
    const std::size_t size = good_record(s.window, record, s.values);
    s.lost_last = size == 0;
    s.window.pass(std::max<std::size_t>(size, 1));
    if (size > 0) {
      ++s.report.n_records;
      return true;
    }
    ++s.report.n_bytes_lost;
  }
  return false;
}

std::uint64_t SegmentReader::position() const { return state_->window.position(); }

void SegmentReader::read_between(std::uint64_t begin, std::uint64_t end) {
  state_->window.read_between(begin, end);
}

SegmentReport SegmentReader::report() const {
  SegmentReport report = state_->report;
  if (state_->is_good && report.n_bytes_lost > 0)
    report.problem =
        (state_->lost_last ? "ends with a record that is not complete: " : "has broken records: ") +
        std::to_string(report.n_bytes_lost) + " bytes are ignored and their runs are repeated";
  return report;
}

SegmentReport scan_segment(const std::filesystem::path& path, std::uint64_t fingerprint,
                           const std::function<void(const JournalRecord&)>& record) {
  SegmentReader reader(path, fingerprint);
  JournalRecord found;
  while (reader.next(found)) record(found);
  return reader.report();
}

}  // namespace saltus
