package dev.sluice.memory;

import dev.sluice.Algorithm;
import dev.sluice.Limit;
import dev.sluice.MicroClock;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Gives every limit of a store the home of its keys. */
final class Homes {
  // Limits may come with each request: beyond so many rates of one limit, the others share a table.
  private static final int MOST_RATES = 8;

  // Earlier than any instant that a bucket has to remember.
  private static final long BEFORE = 10_000_000;

  private static final Slots NOBODY = new Slots(1, 0);

  private record FamilyName(String policy, String limit, Algorithm algorithm) {}

  private record HomeName(FamilyName family, @Nullable Meter meter) {}

  private final int stripes;
  private final boolean steady;
  private final long base;
  private final Map<FamilyName, Home.Family> families = new HashMap<>();
  private final Map<HomeName, Home> homes = new HashMap<>();

  Homes(int stripes, MicroClock clock) {
    this.stripes = stripes;
    this.steady = clock.isSteady();
    this.base = clock.nowMicros() - BEFORE;
  }

  synchronized Home of(String policy, Limit limit) {
    FamilyName name = new FamilyName(policy, limit.name(), limit.algorithm());
    Home.Family family = families.computeIfAbsent(name, absent -> new Home.Family());
    Meter meter = steady && Meter.fits(limit) ? Meter.of(limit, base) : null;
    Home known = homes.get(new HomeName(name, meter));
    if (known != null) {
      return known;
    }
    Meter own = family.size() < MOST_RATES ? meter : null;
    return homes.computeIfAbsent(new HomeName(name, own), absent -> build(own, family));
  }

  private Home build(@Nullable Meter meter, Home.Family family) {
    Slots[] slots = new Slots[meter == null ? 0 : stripes];
    Arrays.fill(slots, NOBODY);
    Home home = new Home(homes.size(), meter, slots, family);
    family.add(home.number);
    return home;
  }
}
