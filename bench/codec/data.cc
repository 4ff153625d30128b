#include "codec/data.h"

#include <string>
#include <vector>

#include "cordon/value/value_builder.h"

namespace cordon::bench {

Value plain_rows(std::size_t bytes) {
  constexpr std::size_t bytes_a_row = 130;
  ValueBuilder builder;
  const std::size_t mark = builder.mark();
  for (std::size_t i = 0; i < bytes / bytes_a_row; ++i) {
    const std::string n = std::to_string(i);
    const ValueView tags[] = {builder.string("a"), builder.string("b"),
                              builder.string("tag" + std::to_string(i % 7))};
    const Member row[] = {
        {builder.string("id"), static_cast<double>(i)},
        {builder.string("name"), builder.string("user " + n)},
        {builder.string("email"), builder.string("user" + n + "@example.com")},
        {builder.string("score"),
         static_cast<double>(i % 1000) + static_cast<double>(i % 89) / 100},
        {builder.string("active"), i % 2 == 0},
        {builder.string("tags"), builder.array(tags)},
        {builder.string("parent"), nullptr},
    };
    builder.push(builder.object(row));
  }
  return builder.finish(builder.array_since(mark));
}

Value typed_rows(std::size_t bytes) {
  constexpr std::size_t bytes_a_row = 300;
  ValueBuilder builder;
  const std::size_t mark = builder.mark();
  for (std::size_t i = 0; i < bytes / bytes_a_row; ++i) {
    const auto number = static_cast<double>(i);
    const ValueView tags[] = {builder.string("a"), builder.string("b"),
                              builder.string("tag" + std::to_string(i % 7))};
    const Entry counts[] = {{builder.string("reads"), number},
                            {builder.string("writes"), number * 3}};
    const Member row[] = {
        {builder.string("id"), number},
        {builder.string("created"), ValueBuilder::date(1.7e12 + number * 61'007)},
        {builder.string("updated"), ValueBuilder::date(1.72e12 + number * 40'009)},
        {builder.string("tags"), builder.set(tags)},
        {builder.string("counts"), builder.map(counts)},
        {builder.string("total"), *builder.bigint("90071992547409" + std::to_string(10'000 + i))},
    };
    builder.push(builder.object(row));
  }
  return builder.finish(builder.array_since(mark));
}

Value shared_nodes(std::size_t count) {
  ValueBuilder builder;
  std::vector<ValueView> nodes;
  nodes.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const ValueView node = builder.open(Kind::object);
    nodes.push_back(node);
    const ValueView earlier[] = {nodes[i / 2], nodes[i * 7919 % (i + 1)], nodes[i - i % 10]};
    const Member members[] = {
        {builder.string("id"), static_cast<double>(i)},
        {builder.string("label"), builder.string("node " + std::to_string(i))},
        {builder.string("self"), node},
        {builder.string("earlier"), builder.array(earlier)},
    };
    builder.fill(node, members, Keys::distinct);
  }
  return builder.finish(builder.array(nodes));
}

}  // namespace cordon::bench
