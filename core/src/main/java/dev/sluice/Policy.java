package dev.sluice;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A named list of limits that are decided together, and what goes with them: plans and exceptions
 * by key, what a failed store means, whether denials only count. Immutable.
 */
public final class Policy {
  /** The most limits that a policy can have. */
  public static final int MOST_LIMITS = 16;

  /** The longest that a store may be given for a decision. */
  public static final Duration LONGEST_DEADLINE = Duration.ofHours(1);

  private final String name;
  private final Plan plan;
  private final List<KeyRule> keys;
  private final List<@Nullable Plan> plans;
  private final OnStoreFailure onStoreFailure;
  private final int nodes;
  private final @Nullable Duration deadline;
  private final boolean shadow;
  private final Tier tier;
  private final @Nullable Long maxLeased;
  private final @Nullable Plan plain;
  private volatile @Nullable Policy share;

  private Policy(Builder builder) {
    this.name = builder.name;
    this.tier = builder.tier;
    this.maxLeased = builder.maxLeased;
    if (maxLeased != null && tier != Tier.LEASED) {
      throw new IllegalArgumentException(
          "policy '%s': max-leased is for tier leased, got tier exact".formatted(name));
    }
    this.deadline = builder.deadline;
    this.plan = plan("policy '%s'".formatted(name), builder.limits);
    this.keys = List.copyOf(builder.keys);
    this.onStoreFailure = builder.onStoreFailure;
    this.nodes = builder.nodes;
    this.shadow = builder.shadow;
    this.plain = keys.isEmpty() && !shadow && !plan.concurrent() ? plan : null;
    this.plans = new ArrayList<>();
    for (KeyRule rule : keys) {
      String subject = "policy '%s', key pattern '%s'".formatted(name, rule.pattern());
      plans.add(rule.kind() == KeyRule.Kind.LIMITS ? plan(subject, rule.limits()) : null);
    }
  }

  private Plan plan(String subject, List<Limit> limits) {
    List<Limit> checked = checked(subject, limits);
    return tier == Tier.EXACT
        ? new Plan(name, checked, deadline)
        : new Plan(
            name, checked, deadline, Leasing.of(name, subject, checked, deadline, maxLeased));
  }

  private static List<Limit> checked(String subject, List<Limit> limits) {
    if (limits.isEmpty() || limits.size() > MOST_LIMITS) {
      throw new IllegalArgumentException(
          "%s: must have from 1 to %d limits, got %d"
              .formatted(subject, MOST_LIMITS, limits.size()));
    }
    Set<String> names = new HashSet<>();
    for (Limit limit : limits) {
      if (limit.isNamed() && !names.add(limit.name())) {
        throw new IllegalArgumentException(
            "%s: limit names must differ, got '%s' twice".formatted(subject, limit.name()));
      }
    }
    List<Limit> checked = new ArrayList<>();
    for (Limit limit : limits) {
      String free = limit.name();
      for (int i = 2; !limit.isNamed() && !names.add(free); i++) {
        free = limit.name() + "-" + i;
      }
      try {
        checked.add(limit.checked(free));
      } catch (IllegalArgumentException wrong) {
        throw new IllegalArgumentException(subject + ", " + wrong.getMessage(), wrong);
      }
    }
    return List.copyOf(checked);
  }

  /** A policy with these limits and otherwise the defaults. */
  public static Policy of(String name, Limit... limits) {
    return named(name).limits(List.of(limits)).build();
  }

  /** Starts a policy of this name: 1 to 128 printable characters without {@code /}. */
  public static Builder named(String name) {
    return new Builder(name);
  }

  /** The policy's name. */
  public String name() {
    return name;
  }

  /** The limits of a key that no rule matches. */
  public List<Limit> limits() {
    return plan.limits();
  }

  /** The rules by key, in order: the first that matches wins. */
  public List<KeyRule> keys() {
    return keys;
  }

  /** What is answered when the store cannot decide. */
  public OnStoreFailure onStoreFailure() {
    return onStoreFailure;
  }

  /** How many nodes share the limit when each decides locally. */
  public int nodes() {
    return nodes;
  }

  /** How long the store may take, where the policy says so. */
  public Optional<Duration> deadline() {
    return Optional.ofNullable(deadline);
  }

  /** Whether denials are only counted: everything passes. */
  public boolean shadow() {
    return shadow;
  }

  /** How far decisions travel. */
  public Tier tier() {
    return tier;
  }

  /**
   * Permits of a key that all processes together may take ahead of need, where {@link #tier} is
   * leased: the most that can pass beyond the limits in any window. Zero where it is exact.
   */
  public long maxLeased() {
    Leasing leasing = plan.leasing();
    return leasing == null ? 0 : leasing.most();
  }

  /** The first rule that matches the key, if any. */
  public Optional<KeyRule> ruleFor(String key) {
    int i = ruleIndex(key);
    return i < 0 ? Optional.empty() : Optional.of(keys.get(i));
  }

  /** The plan of a key, or null where a rule without limits decides. */
  @Nullable Plan planFor(String key) {
    if (keys.isEmpty()) {
      return plan;
    }
    int i = ruleIndex(key);
    return i < 0 ? plan : plans.get(i);
  }

  /** The plan of a key that no rule matches. */
  Plan planOfOthers() {
    return plan;
  }

  /** The one plan of a policy without rules by key or any other turn that a decision could take. */
  @Nullable Plan plainPlan() {
    return plain;
  }

  /** The number of the rule that matches the key, none for the policy's own limits. */
  OptionalInt ruleNumber(String key) {
    int i = ruleIndex(key);
    return i < 0 ? OptionalInt.empty() : OptionalInt.of(i);
  }

  /** The plan of a rule by its number, or null where it has none. */
  @Nullable Plan planOfRule(int number) {
    return number < plans.size() ? plans.get(number) : null;
  }

  private int ruleIndex(String key) {
    for (int i = 0; i < keys.size(); i++) {
      if (keys.get(i).matches(key)) {
        return i;
      }
    }
    return -1;
  }

  /** The same policy with each limit cut to this node's share; made once. */
  Policy share() {
    Policy made = share;
    if (made == null) {
      made = makeShare();
      share = made;
    }
    return made;
  }

  private Policy makeShare() {
    Builder builder = named(name).limits(limits().stream().map(l -> l.share(nodes)).toList());
    for (KeyRule rule : keys) {
      builder.key(
          rule.kind() == KeyRule.Kind.LIMITS
              ? KeyRule.limits(
                  rule.pattern(), rule.limits().stream().map(l -> l.share(nodes)).toList())
              : rule);
    }
    return builder.build();
  }

  /** One line for logs. */
  @Override
  public String toString() {
    return plan
        + (keys.isEmpty() ? "" : " keys " + keys)
        + " on-store-failure "
        + onStoreFailure.name().toLowerCase(Locale.ROOT)
        + (shadow ? " shadow" : "")
        + (tier == Tier.LEASED ? " leased, at most " + maxLeased() : "");
  }

  /** Gathers the parts of a policy; {@link #build} checks them together. */
  public static final class Builder {
    private final String name;
    private List<Limit> limits = List.of();
    private final List<KeyRule> keys = new ArrayList<>();
    private OnStoreFailure onStoreFailure = OnStoreFailure.ALLOW;
    private int nodes = 1;
    private @Nullable Duration deadline;
    private boolean shadow;
    private Tier tier = Tier.EXACT;
    private @Nullable Long maxLeased;

    private Builder(String name) {
      if (name.isBlank()
          || name.length() > 128
          || name.chars().anyMatch(c -> c < ' ' || c == '/' || c == 127)
          || !java.nio.charset.StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
        throw new IllegalArgumentException(
            "policy name must be 1 to 128 printable characters without '/', got '%s'"
                .formatted(name));
      }
      this.name = name;
    }

    /** The limits of a key that no rule matches: 1 to 16. */
    public Builder limits(List<Limit> limits) {
      this.limits = List.copyOf(limits);
      return this;
    }

    /** Adds a rule by key; the first that matches wins. */
    public Builder key(KeyRule rule) {
      keys.add(Objects.requireNonNull(rule, "rule"));
      return this;
    }

    /** What is answered when the store cannot decide; to allow by default. */
    public Builder onStoreFailure(OnStoreFailure onStoreFailure) {
      this.onStoreFailure = Objects.requireNonNull(onStoreFailure, "onStoreFailure");
      return this;
    }

    /** How many nodes share the limit when each decides locally; one by default. */
    public Builder nodes(int nodes) {
      if (nodes < 1) {
        throw new IllegalArgumentException(
            "policy '%s': nodes must be at least 1, got %d".formatted(name, nodes));
      }
      this.nodes = nodes;
      return this;
    }

    /** How long the store may take, at most an hour; the store's own deadline by default. */
    public Builder deadline(Duration deadline) {
      if (deadline.isNegative() || deadline.isZero() || deadline.compareTo(LONGEST_DEADLINE) > 0) {
        throw new IllegalArgumentException(
            "policy '%s': deadline must be positive and at most 1 hour, got %s"
                .formatted(name, deadline));
      }
      this.deadline = deadline;
      return this;
    }

    /** Whether denials are only counted; false by default. */
    public Builder shadow(boolean shadow) {
      this.shadow = shadow;
      return this;
    }

    /** How far decisions travel; all the way by default. */
    public Builder tier(Tier tier) {
      this.tier = Objects.requireNonNull(tier, "tier");
      return this;
    }

    /**
     * Permits of a key that all processes together may take ahead of need, from 1 to the smallest
     * limit; by default one in a hundred of that, at least one. For {@link Tier#LEASED} only.
     */
    public Builder maxLeased(long permits) {
      if (permits < 1) {
        throw new IllegalArgumentException(
            "policy '%s': max-leased must be at least 1, got %d".formatted(name, permits));
      }
      this.maxLeased = permits;
      return this;
    }

    /**
     * Makes the policy.
     *
     * @throws IllegalArgumentException if a limit or a combination is wrong; the text says which
     */
    public Policy build() {
      return new Policy(this);
    }
  }
}
