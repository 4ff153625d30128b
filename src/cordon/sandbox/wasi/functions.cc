#include "cordon/sandbox/wasi/functions.h"

#include <algorithm>
#include <array>
#include <sched.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cordon/base/random.h"
#include "cordon/sandbox/wasi/poll.h"

namespace cordon::sandbox::wasi {
namespace {

// The numbers of the interface: rights and kinds of files.
constexpr std::uint64_t right_fd_read = std::uint64_t{1} << 1;
constexpr std::uint64_t right_fd_write = std::uint64_t{1} << 6;
constexpr std::uint64_t right_poll = std::uint64_t{1} << 27;
constexpr std::uint8_t filetype_unknown = 0;
constexpr std::uint8_t filetype_character_device = 2;
constexpr std::uint16_t fdflag_nonblock = 4;

// More parts than this make a short count, as the interface allows.
constexpr std::size_t max_parts = 64;

std::uint32_t u32(const RawValue& slot) { return static_cast<std::uint32_t>(slot.i32); }

struct Parts {
  std::array<iovec, max_parts> list;
  std::size_t count = 0;

  std::span<iovec> all() { return {list.data(), count}; }
};

Errno parts_of(Memory memory, std::uint32_t address, std::uint32_t count, Parts& parts) {
  if (!memory.at(address, std::uint64_t{count} * 8)) return Errno::fault;
  // A count is 32 bits wide, so that much is moved at once at most.
  std::uint64_t left = INT32_MAX;
  for (std::uint32_t i = 0; i < count && parts.count < max_parts && left > 0; ++i) {
    const std::uint32_t start = *memory.read<std::uint32_t>(address + 8 * i);
    const std::uint32_t size = *memory.read<std::uint32_t>(address + 8 * i + 4);
    const auto bytes = memory.at(start, size);
    if (!bytes) return Errno::fault;
    if (size == 0) continue;
    const std::size_t taken = std::min<std::uint64_t>(size, left);
    left -= taken;
    parts.list[parts.count++] = {.iov_base = bytes->data(), .iov_len = taken};
  }
  return Errno::success;
}

using Move = Errno (*)(const Stream&, std::span<iovec>, std::uint32_t&);

Errno move_parts(const Stream& stream, Memory memory, const RawValue* arguments, Move move) {
  Parts parts;
  const Errno wrong = parts_of(memory, u32(arguments[1]), u32(arguments[2]), parts);
  if (wrong != Errno::success) return wrong;
  const std::uint32_t count_at = u32(arguments[3]);
  if (!memory.at(count_at, 4)) return Errno::fault;
  std::uint32_t done = 0;
  if (parts.count > 0) {
    const Errno failed = move(stream, parts.all(), done);
    if (failed != Errno::success) return failed;
  }
  memory.write(count_at, done);
  return Errno::success;
}

Errno fd_read(Context& context, Memory memory, const RawValue* arguments) {
  const Stream* const stream = context.streams.find(u32(arguments[0]));
  if (stream == nullptr) return Errno::badf;
  if (!stream->reads) return Errno::notcapable;
  return move_parts(*stream, memory, arguments, read_from);
}

Errno fd_write(Context& context, Memory memory, const RawValue* arguments) {
  const Stream* const stream = context.streams.find(u32(arguments[0]));
  if (stream == nullptr) return Errno::badf;
  if (stream->reads) return Errno::notcapable;
  return move_parts(*stream, memory, arguments, write_to);
}

Errno fd_close(Context& context, Memory, const RawValue* arguments) {
  Stream* const stream = context.streams.find(u32(arguments[0]));
  if (stream == nullptr) return Errno::badf;
  close(stream->descriptor);
  *stream = {};
  return Errno::success;
}

Errno fd_renumber(Context& context, Memory, const RawValue* arguments) {
  return context.streams.renumber(u32(arguments[0]), u32(arguments[1]));
}

std::uint8_t filetype_of(const Stream& stream) {
  return isatty(stream.descriptor) == 1 ? filetype_character_device : filetype_unknown;
}

Errno fd_fdstat_get(Context& context, Memory memory, const RawValue* arguments) {
  const Stream* const stream = context.streams.find(u32(arguments[0]));
  if (stream == nullptr) return Errno::badf;
  const std::uint32_t at = u32(arguments[1]);
  const auto record = memory.at(at, 24);
  if (!record) return Errno::fault;
  std::ranges::fill(*record, std::uint8_t{0});
  memory.write(at, filetype_of(*stream));
  memory.write(at + 2, stream->never_waits ? fdflag_nonblock : std::uint16_t{0});
  memory.write(at + 8, (stream->reads ? right_fd_read : right_fd_write) | right_poll);
  return Errno::success;
}

Errno fd_fdstat_set_flags(Context& context, Memory, const RawValue* arguments) {
  Stream* const stream = context.streams.find(u32(arguments[0]));
  if (stream == nullptr) return Errno::badf;
  const std::uint32_t flags = u32(arguments[1]);
  if ((flags & ~std::uint32_t{fdflag_nonblock}) != 0) return Errno::notsup;
  stream->never_waits = flags != 0;
  return Errno::success;
}

Errno fd_filestat_get(Context& context, Memory memory, const RawValue* arguments) {
  const Stream* const stream = context.streams.find(u32(arguments[0]));
  if (stream == nullptr) return Errno::badf;
  const std::uint32_t at = u32(arguments[1]);
  const auto record = memory.at(at, 64);
  if (!record) return Errno::fault;
  std::ranges::fill(*record, std::uint8_t{0});
  memory.write(at + 16, filetype_of(*stream));
  return Errno::success;
}

Errno clock_time_get(Context& context, Memory memory, const RawValue* arguments) {
  const auto time = context.clocks.now(u32(arguments[0]));
  if (!time) return Errno::inval;
  return memory.write(u32(arguments[2]), *time) ? Errno::success : Errno::fault;
}

Errno clock_res_get(Context&, Memory memory, const RawValue* arguments) {
  const auto resolution = Clocks::resolution(u32(arguments[0]));
  if (!resolution) return Errno::inval;
  return memory.write(u32(arguments[1]), *resolution) ? Errno::success : Errno::fault;
}

Errno random_get(Context&, Memory memory, const RawValue* arguments) {
  const auto bytes = memory.at(u32(arguments[0]), u32(arguments[1]));
  if (!bytes) return Errno::fault;
  return fill_with_randomness(*bytes) ? Errno::success : Errno::io;
}

// No arguments and no environment: two zeros.
Errno nothing_sizes(Context&, Memory memory, const RawValue* arguments) {
  const bool written = memory.write(u32(arguments[0]), std::uint32_t{0}) &&
                       memory.write(u32(arguments[1]), std::uint32_t{0});
  return written ? Errno::success : Errno::fault;
}

Errno nothing(Context&, Memory, const RawValue*) { return Errno::success; }

Errno yield_processor(Context&, Memory, const RawValue*) {
  sched_yield();
  return Errno::success;
}

Errno unsupported(Context&, Memory, const RawValue*) { return Errno::notsup; }

// A function that needs a file. A stream is not a file, and there is nothing else.
template <Errno for_stream>
Errno needs_file(Context& context, Memory, const RawValue* arguments) {
  return context.streams.find(u32(arguments[0])) == nullptr ? Errno::badf : for_stream;
}

// path_link and path_rename name a second directory, and path_symlink names its only one in the
// middle. No directory exists, so checking the first argument is enough.
constexpr auto no_directory = needs_file<Errno::notdir>;
constexpr auto no_position = needs_file<Errno::spipe>;
constexpr auto not_supported = needs_file<Errno::notsup>;
constexpr auto no_socket = needs_file<Errno::notsock>;
// The loop over preopened directories in every libc ends here.
Errno no_preopens(Context&, Memory, const RawValue*) { return Errno::badf; }

Errno symlink_nowhere(Context& context, Memory, const RawValue* arguments) {
  return context.streams.find(u32(arguments[2])) == nullptr ? Errno::badf : Errno::notdir;
}

constexpr Function table[] = {
    {"args_get", "ii", nothing},
    {"args_sizes_get", "ii", nothing_sizes},
    {"clock_res_get", "ii", clock_res_get},
    {"clock_time_get", "iIi", clock_time_get},
    {"environ_get", "ii", nothing},
    {"environ_sizes_get", "ii", nothing_sizes},
    {"fd_advise", "iIIi", no_position},
    {"fd_allocate", "iII", no_position},
    {"fd_close", "i", fd_close},
    {"fd_datasync", "i", not_supported},
    {"fd_fdstat_get", "ii", fd_fdstat_get},
    {"fd_fdstat_set_flags", "ii", fd_fdstat_set_flags},
    {"fd_fdstat_set_rights", "iII", not_supported},
    {"fd_filestat_get", "ii", fd_filestat_get},
    {"fd_filestat_set_size", "iI", not_supported},
    {"fd_filestat_set_times", "iIIi", not_supported},
    {"fd_pread", "iiiIi", no_position},
    {"fd_prestat_dir_name", "iii", no_preopens},
    {"fd_prestat_get", "ii", no_preopens},
    {"fd_pwrite", "iiiIi", no_position},
    {"fd_read", "iiii", fd_read},
    {"fd_readdir", "iiiIi", no_directory},
    {"fd_renumber", "ii", fd_renumber},
    {"fd_seek", "iIii", no_position},
    {"fd_sync", "i", not_supported},
    {"fd_tell", "ii", no_position},
    {"fd_write", "iiii", fd_write},
    {"path_create_directory", "iii", no_directory},
    {"path_filestat_get", "iiiii", no_directory},
    {"path_filestat_set_times", "iiiiIIi", no_directory},
    {"path_link", "iiiiiii", no_directory},
    {"path_open", "iiiiiIIii", no_directory},
    {"path_readlink", "iiiiii", no_directory},
    {"path_remove_directory", "iii", no_directory},
    {"path_rename", "iiiiii", no_directory},
    {"path_symlink", "iiiii", symlink_nowhere},
    {"path_unlink_file", "iii", no_directory},
    {"poll_oneoff", "iiii", poll_oneoff},
    {"proc_raise", "i", unsupported},
    {"random_get", "ii", random_get},
    {"sched_yield", "", yield_processor},
    {"sock_accept", "iii", no_socket},
    {"sock_recv", "iiiiii", no_socket},
    {"sock_send", "iiiii", no_socket},
    {"sock_shutdown", "ii", no_socket},
};

}  // namespace

std::span<const Function> functions() { return table; }

int exit_code_of(std::uint32_t code) {
  // The lowest eight bits are all that a parent sees: 256 must not look like a success.
  return code > 255 ? 255 : static_cast<int>(code);
}

}  // namespace cordon::sandbox::wasi
