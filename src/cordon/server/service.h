#pragma once

// What a Shard serves: the connections of one protocol, on the shard's thread.

namespace cordon::server {

// On the shard's thread, from its making on. It is destroyed before the shard's engine and loop.
class Service {
 public:
  virtual ~Service() = default;

  // After each turn of the guests, who may have said something in it.
  virtual void attend() {}
  // The server is being stopped: what is idle ends now, and what is under way may finish. No
  // connection is added, except those that were accepted before.
  virtual void drain() = 0;
  // The time for that is over: what is left ends as soon as it can.
  virtual void close_all() = 0;
  // Whether no connection is left, nor on its way here.
  virtual bool is_empty() const = 0;
};

}  // namespace cordon::server
