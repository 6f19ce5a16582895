package dev.sluice.bench.redis;

/** How many ask at once, and for how many keys. */
enum Mode {
  ONE_CALL("one call", 1, 0, 1),
  ONE_CALL_MANY_KEYS("one call, 100,000 keys", 1, 0, 100_000),
  THREADS("32 threads", 32, 0, 1),
  THREADS_MANY_KEYS("32 threads, 100,000 keys", 32, 0, 100_000),
  IN_FLIGHT("512 in flight", 0, 512, 1),
  IN_FLIGHT_MANY_KEYS("512 in flight, 100,000 keys", 0, 512, 100_000);

  final String title;
  final int threads;
  final int inFlight;
  final int keys;

  Mode(String title, int threads, int inFlight, int keys) {
    this.title = title;
    this.threads = threads;
    this.inFlight = inFlight;
    this.keys = keys;
  }
}
