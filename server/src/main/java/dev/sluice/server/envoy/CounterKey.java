package dev.sluice.server.envoy;

/**
 * Names a counter. Every part carries its length, so that no choice of characters makes two
 * different lists of parts look alike: {@code ("a", "b_c_d")} and {@code ("a", "b"), ("c", "d")} do
 * not meet.
 */
final class CounterKey {
  private final StringBuilder text = new StringBuilder();

  CounterKey(String domain) {
    part(domain);
  }

  /** An entry with a value of its own. */
  void entry(String key, String value) {
    part(key);
    part(value);
  }

  /** An entry whose value is one of many that share a counter. */
  void shared(String key, String pattern) {
    part(key);
    text.append('*');
    part(pattern);
  }

  private void part(String part) {
    text.append(part.length()).append(':').append(part);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
