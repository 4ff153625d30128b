#include "cordon/cli/run_remote.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <unistd.h>
#include <utility>

#include "cordon/base/random.h"
#include "cordon/base/visible_text.h"
#include "cordon/cli/arguments.h"
#include "cordon/cli/terminal.h"
#include "cordon/runners/manifests.h"
#include "cordon/runners/program_text.h"
#include "cordon/runners/remote_run.h"

namespace cordon::cli {
namespace {

// One execution a connection: the id only has to be one.
std::string fresh_id() {
  std::array<std::uint8_t, 8> bytes{};
  if (!fill_with_randomness(bytes)) return "exec-1";
  std::string id = "exec-";
  for (const std::uint8_t byte : bytes) {
    id += "0123456789abcdef"[byte >> 4];
    id += "0123456789abcdef"[byte & 15];
  }
  return id;
}

bool is_header_text(const std::string& token) {
  for (const char c : token)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  return true;
}

}  // namespace

Result<RunnerPlace> runner_place_of(const std::string& target, const std::string& token_env,
                                    runners::Confinement confinement) {
  Result<runners::Target> parsed = runners::parse_target(target);
  if (!parsed) return wrong("--runner", parsed.error());
  RunnerPlace place{*std::move(parsed), {}, confinement};
  if (token_env.empty()) return place;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing changes the environment.
  const char* const token = std::getenv(token_env.c_str());
  if (token == nullptr || *token == '\0') {
    return fail(ErrorCode::invalid_argument,
                "--token-env: the environment has no " + token_env + ", or it is empty");
  }
  place.token = token;
  if (!is_header_text(place.token))
    return fail(ErrorCode::invalid_argument,
                "--token-env: " + token_env + " has characters that no token may have");
  return place;
}

Result<Engine> create_engine_of_tools(const std::shared_ptr<runners::Waker>& waker) {
  return Engine::create({.workers = 0, .pool = false, .on_ready = [waker] { waker->wake(); }});
}

Result<Report> run_remotely(RemoteJob job, Engine& engine,
                            const std::function<void(runners::RemoteExecution*)>& on_start) {
  runners::RemoteOptions remote;
  runners::LinkOptions link{.token = std::move(job.place.token),
                            .confinement = job.place.confinement};
  link.on_errors = [](std::string_view text) {
    write_all(STDERR_FILENO, visible(text, Lines::kept));
  };
  remote.execute.id = fresh_id();
  auto program =
      runners::text_for_runner({job.code, job.file, std::move(job.options.input)}, engine);
  if (!program) {
    Report report;
    report.error = std::move(program).error();
    return report;
  }
  remote.execute.code = std::move(program->code);
  remote.places = std::move(program->places);
  for (const Provider& provider : job.providers)
    remote.execute.providers.push_back(runners::manifest_of(provider));
  remote.providers = std::move(job.providers);
  remote.limits = job.options.limits;
  remote.on_log = std::move(job.options.on_log);
  remote.wake = [waker = job.waker] { waker->wake(); };
  Engine* const engine_of_tools = remote.providers.empty() ? nullptr : &engine;
  const auto execution = CORDON_TRY(runners::RemoteExecution::create(std::move(remote)));
  on_start(execution.get());
  Result<std::unique_ptr<runners::Link>> opened =
      runners::open_link(job.place.target, std::move(link));
  if (!opened) {
    on_start(nullptr);
    return fail(std::move(opened).error());
  }
  execution->use(*std::move(opened));
  Report report = runners::run_to_end(*execution, *job.waker, engine_of_tools);
  on_start(nullptr);
  return report;
}

}  // namespace cordon::cli
