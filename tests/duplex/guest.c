// A guest of duplex-rpc that does what the tests ask for: as a plugin (WASI) or as a program. Its
// functions are good ones, ways to break the protocol, and attacks on what is outside.

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "../../examples/plugin/kit.h"

#ifdef __wasi__
#include <wasi/api.h>
#endif

static void answer(const Incoming* call, Slice result) {
  if (call->expects_response) send_raw(1, call->id, "result", result);
}

static void answer_integer(const Incoming* call, int64_t number) {
  if (call->expects_response) send_integer(1, call->id, "result", number);
}

static Slice copied(Slice slice) {
  uint8_t* data = malloc(slice.size + 1);
  memcpy(data, slice.data, slice.size);
  return (Slice){data, slice.size};
}

// Calls back, and waits for the answer while nothing else comes.
static bool call_back(Slice name, Slice params, Incoming* reply) {
  send_call(text("guest-1"), name, params, true);
  return receive(reply);
}

static bool good(const Incoming* call) {
  if (is_text(call->name, "add")) {
    answer_integer(call,
                   integer_of(element(call->params, 0)) + integer_of(element(call->params, 1)));
  } else if (is_text(call->name, "divide")) {
    int64_t by = integer_of(element(call->params, 1));
    if (by == 0) {
      send_text(2, call->id, "error", "Division by zero");
    } else {
      answer_integer(call, integer_of(element(call->params, 0)) / by);
    }
  } else if (is_text(call->name, "echo")) {
    answer(call, call->params);
  } else if (is_text(call->name, "nothing")) {
    answer(call, (Slice){NULL, 0});
  } else if (is_text(call->name, "listItems")) {
    Slice stream = copied(text_of(member(call->params, "toolStreamId")));
    send_text(3, stream, "chunk", "Hammer");
    answer(call, (Slice){NULL, 0});
    send_text(3, stream, "chunk", "Wrench");
    send_raw(4, stream, "", (Slice){NULL, 0});
  } else if (is_text(call->name, "lostItems")) {
    Slice stream = copied(text_of(member(call->params, "toolStreamId")));
    answer(call, (Slice){NULL, 0});
    send_text(3, stream, "chunk", "Hammer");
    send_text(5, stream, "error", "Connection lost");
  } else if (is_text(call->name, "chunks")) {
    // {stream, count}: so many chunks of 64 KiB.
    Slice stream = copied(text_of(member(call->params, "stream")));
    int64_t count = integer_of(member(call->params, "count"));
    answer(call, (Slice){NULL, 0});
    Buffer bytes = {NULL, 0, 0};
    put(&bytes, "\xc6\0\1\0\0", 5);
    for (int i = 0; i < 1 << 16; ++i) put_byte(&bytes, i);
    while (count-- > 0) send_raw(3, stream, "chunk", (Slice){bytes.data, bytes.size});
    send_raw(4, stream, "", (Slice){NULL, 0});
  } else if (is_text(call->name, "sum")) {
    // {stream}: adds up the numbers that come on it.
    Slice id = copied(call->id);
    int64_t sum = 0;
    Incoming item;
    while (receive(&item) && item.type == 3) sum += integer_of(item.chunk);
    if (item.type == 5) {
      send_text(2, id, "error", "the stream failed");
    } else {
      send_integer(1, id, "result", sum);
    }
  } else if (is_text(call->name, "callBack")) {
    // {name, params}: what the callback answers is the result, its error the error.
    Incoming kept = *call;
    kept.id = copied(call->id);
    Incoming reply;
    if (!call_back(text_of(member(call->params, "name")), member(call->params, "params"), &reply)) {
      exit(5);
    }
    if (reply.type == 1) {
      answer(&kept, reply.result);
    } else {
      send_text(2, kept.id, "error", "the callback failed");
    }
  } else if (is_text(call->name, "notify")) {
    send_call(text("guest-2"), text_of(member(call->params, "name")), (Slice){NULL, 0}, false);
    answer(call, (Slice){NULL, 0});
  } else if (is_text(call->name, "logEvent")) {
    fprintf(stderr, "logged\n");
    answer(call, (Slice){NULL, 0});
  } else {
    return false;
  }
  return true;
}

static bool misbehaves(const Incoming* call) {
  if (is_text(call->name, "print")) {
    printf("Hello from the plugin\n");
    fflush(stdout);
  } else if (is_text(call->name, "printAfter")) {
    answer_integer(call, 1);
    printf("done\n");
    fflush(stdout);
  } else if (is_text(call->name, "answerTwice")) {
    answer_integer(call, 1);
    answer_integer(call, 2);
  } else if (is_text(call->name, "answerUnasked")) {
    send_integer(1, text("no-such-id"), "result", 1);
  } else if (is_text(call->name, "chunkUnasked")) {
    send_integer(3, text("no-such-id"), "chunk", 1);
  } else if (is_text(call->name, "endTwice")) {
    Slice stream = text_of(member(call->params, "toolStreamId"));
    send_raw(4, stream, "", (Slice){NULL, 0});
    send_raw(4, stream, "", (Slice){NULL, 0});
  } else if (is_text(call->name, "chunkAfterError")) {
    Slice stream = text_of(member(call->params, "toolStreamId"));
    send_text(5, stream, "error", "Connection lost");
    send_integer(3, stream, "chunk", 1);
  } else if (is_text(call->name, "answerLogged")) {
    send_integer(1, call->id, "result", 1);
  } else if (is_text(call->name, "version")) {
    write_whole("\2\0\0\0\1\xc0", 6);
  } else if (is_text(call->name, "badFrame")) {
    write_whole("\1\0\0\0\1\xc1", 6);
  } else if (is_text(call->name, "hostileCount")) {
    write_whole("\1\0\0\0\5\xdd\xff\xff\xff\xff", 10);
  } else if (is_text(call->name, "trailingByte")) {
    write_whole("\1\0\0\0\2\xc0\xc0", 7);
  } else if (is_text(call->name, "emptyFrame")) {
    write_whole("\1\0\0\0\0", 5);
  } else if (is_text(call->name, "noMap")) {
    write_whole("\1\0\0\0\1\xc0", 6);
  } else if (is_text(call->name, "extension")) {
    write_whole("\1\0\0\0\3\xd4\1\0", 8);
  } else if (is_text(call->name, "hugeFrame")) {
    write_whole("\1\xff\xff\xff\xff", 5);
  } else if (is_text(call->name, "halfFrame")) {
    write_whole("\1\0\0\0\5\xc0", 6);
    exit(0);
  } else if (is_text(call->name, "sameIdTwice")) {
    Slice name = text_of(member(call->params, "name"));
    holds_frames = true;
    send_call(text("x"), name, (Slice){NULL, 0}, true);
    send_call(text("x"), name, (Slice){NULL, 0}, true);
    release_frames();
  } else if (is_text(call->name, "closeOutput")) {
    close(1);
  } else if (is_text(call->name, "exit")) {
    exit((int)integer_of(element(call->params, 0)));
  } else if (is_text(call->name, "hang")) {
    // {name}: tells this function, if there is one, and is not heard of again.
    Slice name = text_of(member(call->params, "name"));
    if (name.size > 0) send_call(text("guest-3"), name, (Slice){NULL, 0}, false);
    for (char byte; read(0, &byte, 1) >= 0;) usleep(1000);
  } else {
    return false;
  }
  return true;
}

__attribute__((noinline)) static int deep(volatile int* level) {
  if (++*level < 0) return 0;
  return deep(level) + *level;
}

#ifdef __wasi__
// Every function of WASI that would need something from outside, and what it says: all must fail.
static int64_t count_open_doors(void) {
  int64_t open_doors = 0;
  struct stat status;
  for (int fd = 0; fd < 100; ++fd) {
    __wasi_prestat_t prestat;
    open_doors += __wasi_fd_prestat_get((__wasi_fd_t)fd, &prestat) == 0;
    __wasi_fd_t opened;
    open_doors +=
        __wasi_path_open((__wasi_fd_t)fd, 0, "etc/passwd", 0, ~0ull, ~0ull, 0, &opened) == 0;
    open_doors += __wasi_path_create_directory((__wasi_fd_t)fd, "x") == 0;
    open_doors += __wasi_path_unlink_file((__wasi_fd_t)fd, "x") == 0;
    open_doors += __wasi_path_rename((__wasi_fd_t)fd, "a", (__wasi_fd_t)fd, "b") == 0;
    open_doors += __wasi_path_symlink("a", (__wasi_fd_t)fd, "b") == 0;
    uint8_t buffer[64];
    __wasi_size_t used;
    open_doors += __wasi_fd_readdir((__wasi_fd_t)fd, buffer, sizeof buffer, 0, &used) == 0;
    open_doors += __wasi_path_readlink((__wasi_fd_t)fd, "a", buffer, sizeof buffer, &used) == 0;
    open_doors += __wasi_sock_shutdown((__wasi_fd_t)fd, 1) == 0;
    __wasi_fd_t accepted;
    open_doors += __wasi_sock_accept((__wasi_fd_t)fd, 0, &accepted) == 0;
    open_doors += fd > 2 && fstat(fd, &status) == 0;
    open_doors += fd > 2 && write(fd, "x", 1) >= 0;
    open_doors += fd > 2 && read(fd, buffer, 1) >= 0;
  }
  for (const char* const* path = (const char*[]){"/", ".", "/etc/passwd", "/proc/self/environ",
                                                 "/dev/null", "../../etc", NULL};
       *path != NULL; ++path) {
    open_doors += open(*path, O_RDONLY) >= 0;
    open_doors += open(*path, O_WRONLY | O_CREAT, 0600) >= 0;
  }
  return open_doors;
}

static int64_t count_secrets(void) {
  size_t arguments = 0, argument_bytes = 0, variables = 0, variable_bytes = 0;
  if (__wasi_args_sizes_get(&arguments, &argument_bytes) != 0) return -1;
  if (__wasi_environ_sizes_get(&variables, &variable_bytes) != 0) return -1;
  return (int64_t)(arguments + argument_bytes + variables + variable_bytes) +
         (getenv("HOME") != NULL);
}

// 0 where both clocks are as coarse as they should be, and random bytes differ.
static int64_t look_at_clocks(void) {
  struct timespec wall, monotonic;
  int64_t wrong = 0;
  for (int i = 0; i < 1000; ++i) {
    clock_gettime(CLOCK_REALTIME, &wall);
    clock_gettime(CLOCK_MONOTONIC, &monotonic);
    wrong += wall.tv_nsec % 1000000 != 0;
    wrong += monotonic.tv_nsec % 1000 != 0;
  }
  wrong += wall.tv_sec < 1600000000;
  __wasi_timestamp_t time;
  wrong += __wasi_clock_time_get(2, 0, &time) == 0;
  wrong += __wasi_clock_time_get(3, 0, &time) == 0;
  uint64_t random[2] = {0, 0};
  wrong += __wasi_random_get((uint8_t*)random, sizeof random) != 0 || random[0] == random[1];
  // A sleep is a sleep.
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  usleep(20000);
  clock_gettime(CLOCK_MONOTONIC, &after);
  int64_t slept =
      (after.tv_sec - before.tv_sec) * 1000000 + (after.tv_nsec - before.tv_nsec) / 1000;
  wrong += slept < 19000;
  return wrong;
}

// Addresses outside of the memory, in every place that takes one: all must be refused.
static int64_t point_outside(void) {
  int64_t taken = 0;
  uint8_t* far = (uint8_t*)0xfffffff0u;
  size_t done = 0;
  __wasi_ciovec_t out = {far, 100};
  taken += __wasi_fd_write(2, &out, 1, &done) == 0;
  __wasi_iovec_t in = {far, 100};
  taken += __wasi_fd_read(0, &in, 1, &done) == 0;
  taken += __wasi_fd_write(2, (const __wasi_ciovec_t*)far, 1, &done) == 0;
  taken += __wasi_fd_write(2, (const __wasi_ciovec_t*)8, 0x7fffffff, &done) == 0;
  taken += __wasi_random_get(far, 100) == 0;
  taken += __wasi_clock_time_get(0, 0, (__wasi_timestamp_t*)0xfffffff9u) == 0;
  taken += __wasi_fd_fdstat_get(1, (__wasi_fdstat_t*)far) == 0;
  taken += __wasi_args_sizes_get((size_t*)0xfffffffeu, &done) == 0;
  taken +=
      __wasi_poll_oneoff((const __wasi_subscription_t*)far, (__wasi_event_t*)far, 1000, &done) == 0;
  taken += __wasi_poll_oneoff((const __wasi_subscription_t*)8, (__wasi_event_t*)8, 0xffffffffu,
                              &done) == 0;
  return taken;
}
#endif

static bool attacks(const Incoming* call) {
  if (is_text(call->name, "spin")) {
    for (volatile int i = 0;; ++i) {
    }
  } else if (is_text(call->name, "sleep")) {
    sleep(3600);
  } else if (is_text(call->name, "trap")) {
    __builtin_trap();
  } else if (is_text(call->name, "deep")) {
    int level = 0;
    answer_integer(call, deep(&level));
  } else if (is_text(call->name, "grow")) {
    // How many MiB can be allocated, all of them written to.
    int64_t mebibytes = 0;
    for (volatile char* block; (block = malloc(1 << 20)) != NULL; ++mebibytes) {
      for (int i = 0; i < 1 << 20; i += 4096) block[i] = 1;
    }
    answer_integer(call, mebibytes);
#ifdef __wasi__
  } else if (is_text(call->name, "doors")) {
    answer_integer(call, count_open_doors());
  } else if (is_text(call->name, "secrets")) {
    answer_integer(call, count_secrets());
  } else if (is_text(call->name, "clocks")) {
    answer_integer(call, look_at_clocks());
  } else if (is_text(call->name, "outside")) {
    answer_integer(call, point_outside());
#endif
  } else {
    return false;
  }
  return true;
}

int main(void) {
  Incoming message;
  while (receive(&message)) {
    if (message.type != 0) continue;
    if (good(&message) || misbehaves(&message) || attacks(&message)) continue;
    send_text(2, message.id, "error", "no such function");
  }
  return 0;
}
