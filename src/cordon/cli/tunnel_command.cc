#include "cordon/cli/tunnel_command.h"

#include <unistd.h>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "cordon/base/visible_text.h"
#include "cordon/cli/interrupt.h"
#include "cordon/cli/usage.h"
#include "cordon/host/payload_regexps.h"
#include "cordon/host/sandbox_regexps.h"

namespace cordon::cli {

TunnelExchange::ShownResult shown_result(const Value& result, bool json,
                                         const rich::Serializer& serializer) {
  if (!json && result.is_undefined()) return std::string();
  const Result<std::string> text =
      json ? result_json(result, serializer) : runner_text(result, serializer);
  // A terminal would obey what JSON leaves as it is.
  if (text) return (isatty(STDOUT_FILENO) == 1 ? visible_json(*text) : *text) + "\n";
  return TunnelFailure{.code = "bad_response",
                       .message = "the result cannot be written: " + text.error().message};
}

int run_tunnel_command(std::string_view command, const TunnelArguments& arguments,
                       TunnelRequest request, const ShowWith& show) {
  Interrupt interrupt;  // before any other thread
  boost::asio::io_context io{1};
  const host::SandboxRegExps regexps;
  const rich::Options options = serializer_options(arguments);
  Result<TunnelJob> job = tunnel_job(arguments);
  if (!job) return usage_error(command, job.error());
  job->call.target = request.call.target;
  job->call.id = std::move(request.call.id);
  job->call.returns_payload = request.call.returns_payload;
  // What the user sends may have many patterns; what comes back is a stranger's.
  const host::PayloadRegExps own(regexps, host::RegExpAllowance::of_own_files());
  const rich::Serializer reader(options, own);
  const host::PayloadRegExps strangers(regexps);
  const rich::Serializer serializer(options, strangers);
  if (arguments.json) {
    // While the input is being read, nobody but the signal's own thread can tell of it.
    interrupt.on_signal([&] {
      _exit(tell_failure(command, interrupted_failure(), true, ReportPlace::output, serializer));
    });
  }
  if (const Result<> added = add_input(*job, request.input, reader, io); !added) {
    interrupt.on_signal({});
    if (!added.error().is(ErrorCode::timeout)) return usage_error(command, added.error());
    return tell_failure(command, timeout_failure(*job->timeout), job->json, ReportPlace::output,
                        serializer);
  }
  TunnelExchange exchange(command, *std::move(job), serializer, io, interrupt);
  return exchange.go([&](const Value& result) { return show(result, arguments.json, serializer); });
}

}  // namespace cordon::cli
