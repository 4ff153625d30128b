#include "cordon/transport/http/body_sources.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <boost/asio/posix/stream_descriptor.hpp>

namespace cordon::transport::http {
namespace {

constexpr std::size_t piece_bytes = std::size_t{64} << 10;

Result<Bytes> read_piece(int descriptor) {
  Bytes piece(piece_bytes);
  ssize_t size = 0;
  do {
    size = ::read(descriptor, piece.data(), piece.size());
  } while (size < 0 && errno == EINTR);
  if (size < 0) return fail(ErrorCode::io, std::generic_category().message(errno));
  piece.resize(static_cast<std::size_t>(size));
  return piece;
}

// A file is always ready: reading it waits for the disk alone.
class FileSource : public ByteSource {
 public:
  explicit FileSource(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  void read(Next next) override {
    next(descriptor_ ? read_piece(descriptor_.number())
                     : Result<Bytes>(fail(ErrorCode::cancelled, "closed")));
  }
  void close() override { descriptor_.close(); }

 private:
  Descriptor descriptor_;
};

// A pipe, a socket or a terminal: what is there when it can be read is read without waiting.
class PipeSource : public ByteSource, public std::enable_shared_from_this<PipeSource> {
 public:
  PipeSource(boost::asio::io_context& io, Descriptor descriptor)
      : descriptor_(io, descriptor.release()) {}

  void read(Next next) override {
    next_ = std::move(next);
    if (!descriptor_.is_open()) return answer(fail(ErrorCode::cancelled, "closed"));
    descriptor_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                           [self = shared_from_this()](const auto& error) {
                             if (error) return;  // close() has answered
                             Result<Bytes> piece = read_piece(self->descriptor_.native_handle());
                             self->answer(std::move(piece));
                           });
  }
  void close() override {
    boost::system::error_code ignored;
    (void)descriptor_.close(ignored);
    if (next_) answer(fail(ErrorCode::cancelled, "closed"));
  }

 private:
  void answer(Result<Bytes> piece) { std::exchange(next_, nullptr)(std::move(piece)); }

  boost::asio::posix::stream_descriptor descriptor_;
  Next next_ = nullptr;
};

}  // namespace

std::shared_ptr<ByteSource> descriptor_source(boost::asio::io_context& io, Descriptor descriptor) {
  struct stat kind{};
  // What the loop cannot wait for, /dev/null among it, is always ready.
  if (fstat(descriptor.number(), &kind) == 0 &&
      (S_ISFIFO(kind.st_mode) || S_ISSOCK(kind.st_mode) || isatty(descriptor.number()) == 1))
    return std::make_shared<PipeSource>(io, std::move(descriptor));
  return std::make_shared<FileSource>(std::move(descriptor));
}

std::optional<std::uint64_t> known_length(int descriptor) {
  struct stat status{};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const off_t place = std::max<off_t>(lseek(descriptor, 0, SEEK_CUR), 0);
  if (status.st_size > 0)
    return static_cast<std::uint64_t>(std::max<off_t>(status.st_size - place, 0));
  char byte = 0;
  if (pread(descriptor, &byte, 1, place) == 0) return 0;
  return std::nullopt;
}

Result<SourcePart> file_part(boost::asio::io_context& io, const std::string& path) {
  // A pipe without a writer is opened all the same, and then waited for.
  Descriptor descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!descriptor) {
    const int error = errno;
    const ErrorCode code = error == ENOENT                     ? ErrorCode::not_found
                           : error == EACCES || error == EPERM ? ErrorCode::permission_denied
                                                               : ErrorCode::io;
    return fail(code, std::generic_category().message(error));
  }
  struct stat kind{};
  if (fstat(descriptor.number(), &kind) != 0)
    return fail(ErrorCode::io, std::generic_category().message(errno));
  if (S_ISDIR(kind.st_mode)) return fail(ErrorCode::io, "it is a folder");
  SourcePart part;
  part.bytes = known_length(descriptor.number());
  part.source = descriptor_source(io, std::move(descriptor));
  return part;
}

}  // namespace cordon::transport::http
