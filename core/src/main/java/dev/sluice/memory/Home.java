package dev.sluice.memory;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where the keys of a limit live: the number of their shelf in every stripe. Buckets have a home
 * for each rate; homes of one family may hold the same key's state, but never two at once: it moves
 * when the key is charged under another rate ({@link Stripe#bring}).
 */
final class Home {
  final int number;
  final @Nullable Meter meter;
  final Slots[] slots;
  private final Family family;

  /** The homes of one limit of one policy. */
  static final class Family {
    private volatile int[] numbers = {};

    synchronized void add(int number) {
      int[] more = Arrays.copyOf(numbers, numbers.length + 1);
      more[numbers.length] = number;
      numbers = more;
    }

    int size() {
      return numbers.length;
    }
  }

  Home(int number, @Nullable Meter meter, Slots[] slots, Family family) {
    this.number = number;
    this.meter = meter;
    this.slots = slots;
    this.family = family;
  }

  /** The numbers of all homes where its keys may be. */
  int[] relatives() {
    return family.numbers;
  }
}
