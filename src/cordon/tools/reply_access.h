#pragma once

// What the library itself knows of a Reply.

#include "cordon/provider.h"

namespace cordon::detail {

struct ReplyAccess {
  // Who called: the same for all calls of one execution, and for no other execution at that time.
  static const void* caller(const Reply& reply) { return reply.sink_.get(); }
};

}  // namespace cordon::detail
