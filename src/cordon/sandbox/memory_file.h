#pragma once

// Bytes that many memories begin with: a file without a name, mapped so that each memory copies
// only the pages that it writes to.

#include <cstddef>
#include <cstdint>

#include "cordon/base/bytes.h"
#include "cordon/result.h"

namespace cordon::sandbox {

class MemoryFile {
 public:
  static Result<MemoryFile> create(BytesView content);
  MemoryFile(MemoryFile&& other) noexcept;
  MemoryFile& operator=(MemoryFile&&) = delete;
  ~MemoryFile();

  std::size_t size() const { return size_; }
  int descriptor() const { return descriptor_; }
  BytesView content() const { return {content_, size_}; }
  // Unique for the life of the process.
  std::uint64_t id() const { return id_; }

 private:
  MemoryFile(int descriptor, std::size_t size);

  int descriptor_;
  std::size_t size_;
  const std::uint8_t* content_ = nullptr;
  std::uint64_t id_;
};

}  // namespace cordon::sandbox
