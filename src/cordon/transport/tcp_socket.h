#pragma once

// What a connected TCP socket is told about messages that are written at once and answered at once.

namespace cordon::transport {

// What is written does not wait for more to come (TCP_NODELAY).
void send_at_once(int descriptor);

// Little of what is written waits in the kernel, so that a slow reader is seen to make progress.
void keep_little_unsent(int descriptor);

// After each read. A peer whose own socket waits for more (Nagle) sends a second small message when
// the first is acknowledged, which the kernel would put off for 40 ms where we have nothing to say.
void acknowledge_at_once(int descriptor);

}  // namespace cordon::transport
