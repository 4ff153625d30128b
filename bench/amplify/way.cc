#include "amplify/way.h"

#include <algorithm>

#include "amplify/memory_meter.h"
#include "amplify/processor_time.h"

namespace cordon::amplify {
Sample measure(const Input& input, std::size_t size) {
  const Attack attack = input.make(size);
  // What the last attack left goes first: a server frees a connection when it hears of its end.
  MemoryMeter::settle();
  const MemoryMeter meter;
  const double begin = processor_seconds();
  Outcome outcome = attack.run();
  const double seconds = processor_seconds() - begin;
  return {.in = attack.in,
          .bytes = outcome.bytes.value_or(meter.peak_bytes()),
          .seconds = outcome.seconds.value_or(seconds),
          .outcome = std::move(outcome.text)};
}

std::size_t bound_of(const Way& way, const Sample& sample) {
  return std::max(way.bytes_per_byte * sample.in, way.fixed_bytes);
}

std::vector<Way> all_ways() {
  std::vector<Way> all;
  for (const auto& part :
       {codec_ways, guest_ways, http_ways, tunnel_ways, runner_ways, plugin_ways}) {
    std::ranges::move(part(), std::back_inserter(all));
  }
  return all;
}

std::string text_of_size(std::size_t size, std::string_view first,
                         const std::function<std::string(std::size_t index)>& part,
                         std::string_view last) {
  std::string text(first);
  for (std::size_t i = 0; text.size() + last.size() < size; ++i) text += part(i);
  text += last;
  return text;
}

std::string repeated_to(std::size_t size, std::string_view first, std::string_view part,
                        std::string_view last) {
  return text_of_size(size, first, [part](std::size_t) { return std::string(part); }, last);
}

}  // namespace cordon::amplify
