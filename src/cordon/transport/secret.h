#pragma once

#include "cordon/base/secret.h"

namespace cordon::transport {

using cordon::equals_secret;

}  // namespace cordon::transport
