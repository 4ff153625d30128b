#pragma once

// What reading a configuration needs to know about the world, and where its mistakes go.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/result.h"

namespace cordon::config {

// The environment and the files beside a configuration; a test has its own.
class Surroundings {
 public:
  virtual ~Surroundings() = default;

  virtual std::optional<std::string> variable(const std::string& name) const = 0;
  // The content of a small file.
  virtual Result<std::string> content(const std::string& path) const = 0;
  // Whether it is a file that can be read; the error's detail continues "the file …".
  virtual Result<> check_file(const std::string& path) const = 0;
  virtual bool has_folder(const std::string& path) const = 0;
  // The names in a folder, or some of them.
  virtual std::vector<std::string> names_in(const std::string& folder) const = 0;
};

// Those of this process.
class SystemSurroundings : public Surroundings {
 public:
  std::optional<std::string> variable(const std::string& name) const override;
  Result<std::string> content(const std::string& path) const override;
  Result<> check_file(const std::string& path) const override;
  bool has_folder(const std::string& path) const override;
  std::vector<std::string> names_in(const std::string& folder) const override;
};

// The whole of a file, up to a size. The error's detail continues "the file …".
Result<std::string> read_file(const std::string& path, std::size_t max_bytes);

struct Complaint {
  std::size_t offset = 0;
  bool is_warning = false;
  std::string text;
};

// Collects what is wrong. Knows the way to what is being read, as `server.auth.token`.
class Reader {
 public:
  // `folder` is where relative paths begin.
  Reader(std::string folder, const Surroundings& surroundings)
      : folder_(std::move(folder)), surroundings_(surroundings) {}

  // "…what; suggestion", at the offset.
  void mistake(std::size_t offset, std::string what, std::string_view suggestion = {});
  void warning(std::size_t offset, std::string what, std::string_view suggestion = {});
  // With the way to it in front: "server.threads: what; suggestion".
  void wrong(std::size_t offset, std::string_view what, std::string_view suggestion = {});

  const Surroundings& surroundings() const { return surroundings_; }
  std::string absolute(std::string_view path) const;

  // A file that no script may see: it holds a secret.
  void keep_private(std::string path) { private_files_.push_back(std::move(path)); }
  const std::vector<std::string>& private_files() const { return private_files_; }

  // Goes into a member or an element for as long as it lives.
  class Step {
   public:
    Step(Reader& reader, std::string_view key);
    Step(Reader& reader, std::size_t index);
    ~Step() { reader_.path_.resize(before_); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    Reader& reader_;
    std::size_t before_;
  };

  const std::string& path() const { return path_; }
  std::vector<Complaint>& complaints() { return complaints_; }

 private:
  void add(std::size_t offset, bool is_warning, std::string what, std::string_view suggestion);

  std::string folder_;
  const Surroundings& surroundings_;
  std::string path_;
  std::vector<Complaint> complaints_;
  std::vector<std::string> private_files_;
};

}  // namespace cordon::config
