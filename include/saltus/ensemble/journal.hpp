// The results of a sweep so far, on disk: segments to which one worker each appends records with
// checksums. A segment is readable at any moment, even if its worker crashed. A record is valid as
// a whole or not at all.
//
//   segment  "SALTUSJ1", fingerprint of the sweep (8 bytes), CRC-32 of both
//   record   marker "RUN." (4), length of the content (4), run (8), outcome (4),
//            CRC-32 of all that and the content (4), content
//
// Numbers are little-endian. The content of a complete run is its kept values (8 bytes each); the
// content of any other run is the reason. If a run has several records, the first final record
// counts (run_block.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/core/result.hpp>

namespace saltus {

/// Outcomes decided by the model are final. Out of time means that the machine was too slow or too
/// busy (limits.max_wall_time_s): the run counts as failed until another attempt has ended.
enum class RunOutcome : std::uint32_t { complete = 0, failed = 1, out_of_time = 2 };

struct JournalRecord {
  std::uint64_t run = 0;
  RunOutcome outcome = RunOutcome::complete;
  std::span<const double> values;  // if complete
  std::string_view reason;         // otherwise
};

/// Appends records to a segment of its own.
class JournalWriter {
 public:
  /// Creates a segment in a folder, under a new name.
  static Result<JournalWriter> create(const std::filesystem::path& folder,
                                      std::uint64_t fingerprint);
  ~JournalWriter();
  JournalWriter(JournalWriter&&) noexcept;
  JournalWriter& operator=(JournalWriter&&) noexcept;

  /// Adds a record. Records stay in memory until there are enough of them, or until flush().
  Result<void> add(const JournalRecord& record);
  /// Writes to the file. If that fails (a full disk), the segment ends with the last record that
  /// fits.
  Result<void> flush();
  const std::filesystem::path& path() const;

 private:
  struct File;
  explicit JournalWriter(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

/// The number of valid records in a segment, and its damage.
struct SegmentReport {
  std::filesystem::path path;
  std::uint64_t n_records = 0;
  std::uint64_t n_bytes_lost = 0;  // damaged records and an incomplete end
  std::string problem;             // empty: none
};

/// Reads the valid records of a segment, in the order of writing. Records behind a damaged one are
/// found by their marker and verified by their checksum.
class SegmentReader {
 public:
  SegmentReader(const std::filesystem::path& path, std::uint64_t fingerprint);
  ~SegmentReader();
  SegmentReader(SegmentReader&&) noexcept;
  SegmentReader& operator=(SegmentReader&&) noexcept;

  /// Returns false at the end. The data that a record refers to are valid until the next call.
  bool next(JournalRecord& record);
  /// Returns the position in the file behind the last record.
  std::uint64_t position() const;
  /// Continues at such a position, up to another one.
  void read_between(std::uint64_t begin, std::uint64_t end);
  /// Returns the report on everything read so far.
  SegmentReport report() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads a whole segment and passes each valid record to `record`.
SegmentReport scan_segment(const std::filesystem::path& path, std::uint64_t fingerprint,
                           const std::function<void(const JournalRecord&)>& record);

/// Returns the segments of a folder, by name.
std::vector<std::filesystem::path> journal_segments(const std::filesystem::path& folder);

}  // namespace saltus
