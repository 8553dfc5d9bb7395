// What a sweep has done so far, on disk: segments to which one worker each appends records with checksums. A segment is
// readable at any moment, whatever has happened to its worker; a record is believed as a whole or not at all.
//
//   segment  "SALTUSJ1", fingerprint of the sweep (8 bytes), CRC-32 of both
//   record   marker "RUN." (4), length of the content (4), run (8), outcome (4), CRC-32 of all that and the content (4),
//            content
//
// Numbers are little-endian. The content of a run that succeeded are its kept values (8 bytes each), of others the reason.
// Of a run that is there several times the first record that is final counts (run_block.hpp).
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

/// What the model decides is final. Out of time is a run that the machine was too slow or too busy for
/// (limits.max_wall_time_s): it counts as failed until another try has ended.
enum class RunOutcome : std::uint32_t { complete = 0, failed = 1, out_of_time = 2 };

struct JournalRecord {
  std::uint64_t run = 0;
  RunOutcome outcome = RunOutcome::complete;
  std::span<const double> values;  // complete,
  std::string_view reason;         // or not
};

/// Appends to a segment of its own.
class JournalWriter {
 public:
  /// In a folder, under a name that no other segment has.
  static Result<JournalWriter> create(const std::filesystem::path& folder,
                                      std::uint64_t fingerprint);
  ~JournalWriter();
  JournalWriter(JournalWriter&&) noexcept;
  JournalWriter& operator=(JournalWriter&&) noexcept;

  /// Kept in memory until there is enough of it, or until flush().
  Result<void> add(const JournalRecord& record);
  /// To the file. If that fails (a full disk), the segment ends with the last record that fits.
  Result<void> flush();
  const std::filesystem::path& path() const;

 private:
  struct File;
  explicit JournalWriter(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

/// What a segment holds beside good records.
struct SegmentReport {
  std::filesystem::path path;
  std::uint64_t n_records = 0;
  std::uint64_t n_bytes_lost = 0;  // records that are broken, a torn tail
  std::string problem;             // empty: none
};

/// Good records of a segment, in the order of writing. Records behind a broken one are found by their marker and believed
/// by their checksum.
class SegmentReader {
 public:
  SegmentReader(const std::filesystem::path& path, std::uint64_t fingerprint);
  ~SegmentReader();
  SegmentReader(SegmentReader&&) noexcept;
  SegmentReader& operator=(SegmentReader&&) noexcept;

  /// False: there are no more. What a record refers to is good until the next call.
  bool next(JournalRecord& record);
  /// Of the file: behind the record that came last.
  std::uint64_t position() const;
  /// Goes on at such a place, up to another one.
  void read_between(std::uint64_t begin, std::uint64_t end);
  /// Of all that was read.
  SegmentReport report() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// All of a segment.
SegmentReport scan_segment(const std::filesystem::path& path, std::uint64_t fingerprint,
                           const std::function<void(const JournalRecord&)>& record);

/// Segments of a folder, by name.
std::vector<std::filesystem::path> journal_segments(const std::filesystem::path& folder);

}  // namespace saltus
