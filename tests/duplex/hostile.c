// Programs that a plugin's host has to survive. The first argument says which; a number may follow.

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "../../examples/plugin/kit.h"

static void* flood_errors(void* unused) {
  static char line[4096];
  memset(line, 'e', sizeof line);
  line[sizeof line - 1] = '\n';
  while (write(2, line, sizeof line) > 0) {
  }
  return unused;
}

static void hang(void) {
  while (true) pause();
}

// Writes the first bytes of a frame that has so many.
static void announce(uint32_t payload, size_t written) {
  Buffer head = {NULL, 0, 0};
  put_byte(&head, 1);
  put_big_endian(&head, payload);
  write_whole((const char*)head.data, head.size);
  char zeros[65536] = {0};
  while (written > 0) {
    size_t now = written < sizeof zeros ? written : sizeof zeros;
    write_whole(zeros, now);
    written -= now;
  }
}

// A binary of so many bytes, as MessagePack.
static Slice binary(uint32_t size) {
  Buffer bytes = {NULL, 0, 0};
  put_byte(&bytes, 0xc6);
  put_big_endian(&bytes, size);
  size_t head = bytes.size;
  bytes.data = realloc(bytes.data, head + size);
  memset(bytes.data + head, 7, size);
  return (Slice){bytes.data, head + size};
}

// An array of so many empty maps.
static Slice empty_maps(uint32_t count) {
  Buffer bytes = {NULL, 0, 0};
  put_byte(&bytes, 0xdd);
  put_big_endian(&bytes, count);
  bytes.data = realloc(bytes.data, bytes.size + count);
  memset(bytes.data + bytes.size, 0x80, count);
  return (Slice){bytes.data, bytes.size + count};
}

static void call_back_for_ever(const char* name, Slice params, bool expects_response) {
  for (uint64_t i = 0;; ++i) {
    char id[32];
    snprintf(id, sizeof id, "c%llu", (unsigned long long)i);
    send_call(text(id), text(name), params, expects_response);
  }
}

// A process that nobody waits for, which keeps our pipes. It ends by itself after a while, should
// the test be cut off.
static void leave_child_behind(bool leaves_group) {
  if (fork() != 0) return;
  if (leaves_group) setsid();
  alarm(60);
  hang();
}

static void attack(const char* way, long number, const Incoming* call) {
  Slice id = call->id;
  if (strcmp(way, "half-frame") == 0) {
    announce(100, 50);
    hang();
  } else if (strcmp(way, "large-half-frame") == 0) {
    announce((uint32_t)number, (size_t)number - 1);
    hang();
  } else if (strcmp(way, "announce") == 0) {
    announce((uint32_t)number, 0);
    hang();
  } else if (strcmp(way, "flood-answers") == 0) {
    while (true) send_integer(1, text("nobody"), "result", 1);
  } else if (strcmp(way, "flood-zeros") == 0) {
    announce(100, 1 << 30);
  } else if (strcmp(way, "answer-twice") == 0) {
    send_integer(1, id, "result", 1);
    send_integer(1, id, "result", 2);
  } else if (strcmp(way, "answer-maps") == 0) {
    send_raw(1, id, "result", empty_maps((uint32_t)number));
  } else if (strcmp(way, "flood-errors") == 0) {
    flood_errors(NULL);
  } else if (strcmp(way, "flood-errors-and-answer") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, flood_errors, NULL);
    usleep(50000);
    send_integer(1, id, "result", 1);
  } else if (strcmp(way, "close-output") == 0) {
    close(1);
    hang();
  } else if (strcmp(way, "flood-callbacks") == 0) {
    call_back_for_ever("note", (Slice){NULL, 0}, true);
  } else if (strcmp(way, "flood-notifications") == 0) {
    call_back_for_ever("note", (Slice){NULL, 0}, false);
  } else if (strcmp(way, "flood-slow-callbacks") == 0) {
    call_back_for_ever("never", (Slice){NULL, 0}, true);
  } else if (strcmp(way, "flood-slow-notifications") == 0) {
    call_back_for_ever("never", (Slice){NULL, 0}, false);
  } else if (strcmp(way, "flood-large-callbacks") == 0) {
    call_back_for_ever("never", binary((uint32_t)number), true);
  } else if (strcmp(way, "flood-large-notifications") == 0) {
    call_back_for_ever("never", binary((uint32_t)number), false);
  } else if (strcmp(way, "flood-callbacks-of-maps") == 0) {
    call_back_for_ever("never", empty_maps((uint32_t)number), true);
  } else if (strcmp(way, "flood-chunks") == 0) {
    Slice stream = text_of(member(call->params, "stream"));
    Slice maps = empty_maps((uint32_t)number);
    while (true) send_raw(3, stream, "chunk", maps);
  } else if (strcmp(way, "open-streams") == 0) {
    for (uint64_t i = 0;; ++i) {
      char stream[32];
      snprintf(stream, sizeof stream, "s%llu", (unsigned long long)i);
      send_integer(3, text(stream), "chunk", 1);
    }
  } else if (strcmp(way, "leave-child") == 0) {
    leave_child_behind(false);
    exit(0);
  } else if (strcmp(way, "leave-daemon") == 0) {
    leave_child_behind(true);
    exit(0);
  } else if (strcmp(way, "leave-daemon-and-hang") == 0) {
    leave_child_behind(true);
    hang();
  } else if (strcmp(way, "ignore-signals") == 0) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    for (int i = 1; i < 65; ++i) signal(i, SIG_IGN);
    hang();
  } else if (strcmp(way, "stop") == 0) {
    raise(SIGSTOP);
  } else if (strcmp(way, "exit-in-answer") == 0) {
    // A frame of an answer, of which so many bytes are written.
    Buffer frame = {NULL, 0, 0};
    put(&frame, "\1\0\0\0\0", 5);
    put(&frame, "\x83\xa4type\1\xa2id", 10);
    put_text(&frame, id);
    put(&frame, "\xa6result\1", 8);
    frame.data[4] = (uint8_t)(frame.size - 5);
    write_whole((const char*)frame.data, (size_t)number < frame.size ? (size_t)number : frame.size);
    exit(3);
  }
}

int main(int count, char** arguments) {
  if (count < 2) return 64;
  const char* way = arguments[1];
  long number = count > 2 ? atol(arguments[2]) : 0;
  if (strcmp(way, "exit-at-once") == 0) return 3;
  if (strcmp(way, "never-read") == 0) hang();
  if (strcmp(way, "close-input") == 0) {
    close(0);
    hang();
  }
  if (strcmp(way, "exit-after-reading") == 0) {
    char byte;
    while (number-- > 0 && read(0, &byte, 1) == 1) {
    }
    return 3;
  }
  Incoming message;
  while (receive(&message)) {
    if (message.type != 0) continue;
    if (is_text(message.name, "add")) {
      send_integer(1, message.id, "result",
                   integer_of(element(message.params, 0)) + integer_of(element(message.params, 1)));
    } else {
      attack(way, number, &message);
    }
  }
  return 0;
}
