package dev.sluice.server.config;

import dev.sluice.KeyRule;
import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.Tier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads policies from their words, wherever those stand: the file, or a framework's properties
 * ({@link ConfigNode#of}). Problems go to a list; a policy with problems is not made.
 */
public final class PolicyReader {
  // Where the RESP port keeps the keys of CL.THROTTLE; ThrottleTest compares the two.
  private static final String OF_THROTTLE = "cl.throttle";

  private static final Set<String> WORDS =
      Set.of(
          "limits",
          "on-store-failure",
          "nodes",
          "deadline",
          "shadow",
          "tier",
          "max-leased",
          "keys");
  private static final Set<String> KEY_WORDS = Set.of("limits", "deny", "unlimited");

  private final Problems problems;
  private final @Nullable Duration deadline;

  /**
   * A reader that tells its problems to a list.
   *
   * @param deadline for policies that have none of their own; null leaves it to the store
   */
  public PolicyReader(Problems problems, @Nullable Duration deadline) {
    this.problems = problems;
    this.deadline = deadline;
  }

  /** Reads all policies of a mapping from names to policies. */
  public List<Policy> policies(ConfigNode node) {
    List<Policy> policies = new ArrayList<>();
    if (node instanceof ConfigNode.Mapping mapping) {
      mapping
          .members()
          .forEach(
              (name, member) ->
                  policy(name, member.line(), member.value()).ifPresent(policies::add));
    } else {
      problems.add(node.line(), "policies must be a mapping from names, got " + node);
    }
    return policies;
  }

  /** Reads one policy. */
  public Optional<Policy> policy(String name, int line, ConfigNode node) {
    int before = problems.size();
    String subject = "policy '%s'".formatted(name);
    if (name.equals(OF_THROTTLE)) {
      problems.add(line, "policy name must not be cl.throttle, where CL.THROTTLE has its keys");
      return Optional.empty();
    }
    Policy.Builder builder;
    try {
      builder = Policy.named(name);
    } catch (IllegalArgumentException wrong) {
      problems.add(line, String.valueOf(wrong.getMessage()));
      return Optional.empty();
    }
    if (!(node instanceof ConfigNode.Mapping mapping)) {
      problems.add(line, "%s: must be a mapping with limits, got %s".formatted(subject, node));
      return Optional.empty();
    }
    Members members = new Members(subject + ": ", mapping, problems);
    members.only(WORDS);
    if (members.has("limits")) {
      builder.limits(limits(subject, mapping.members().get("limits")));
    } else {
      members.tell(line, "limits is missing");
    }
    others(members, builder);
    keys(subject, members, builder);
    if (problems.size() > before) {
      return Optional.empty();
    }
    try {
      return Optional.of(builder.build());
    } catch (IllegalArgumentException wrong) {
      problems.add(line, String.valueOf(wrong.getMessage()));
      return Optional.empty();
    }
  }

  private void others(Members members, Policy.Builder builder) {
    members.word(
        "on-store-failure", OnStoreFailure.values(), PolicyReader::word, builder::onStoreFailure);
    members.number(
        "nodes",
        nodes -> {
          if (nodes < 1 || nodes > 1_000_000) {
            throw new IllegalArgumentException("must be from 1 to 1000000, got " + nodes);
          }
          builder.nodes(nodes.intValue());
        });
    if (deadline != null) {
      builder.deadline(deadline);
    }
    members.text(
        "deadline",
        text -> {
          Duration own = Durations.parse(text);
          if (own.isZero() || own.compareTo(Policy.LONGEST_DEADLINE) > 0) {
            throw new IllegalArgumentException(
                "must be positive and at most 1 hour, got '%s'".formatted(text));
          }
          builder.deadline(own);
        });
    members.flag("shadow", builder::shadow);
    members.word("tier", Tier.values(), PolicyReader::word, builder::tier);
    members.number(
        "max-leased",
        permits -> {
          if (permits < 1) {
            throw new IllegalArgumentException("must be at least 1, got " + permits);
          }
          builder.maxLeased(permits);
        });
  }

  private List<Limit> limits(String subject, ConfigNode.@Nullable Member member) {
    List<Limit> limits = new ArrayList<>();
    if (member != null && member.value() instanceof ConfigNode.Sequence list) {
      for (int i = 0; i < list.items().size(); i++) {
        LimitReader.read(subject, i + 1, list.items().get(i), problems).ifPresent(limits::add);
      }
      if (list.items().isEmpty()) {
        problems.add(member.line(), subject + ": limits must not be empty");
      }
    } else if (member != null) {
      problems.add(
          member.line(), "%s: limits must be a list, got %s".formatted(subject, member.value()));
    }
    return limits;
  }

  private void keys(String subject, Members members, Policy.Builder builder) {
    ConfigNode.Member keys = members.get("keys");
    if (keys == null) {
      return;
    }
    if (!(keys.value() instanceof ConfigNode.Mapping mapping)) {
      members.tell(
          keys.line(), "keys must be a mapping from key patterns, got %s".formatted(keys.value()));
      return;
    }
    mapping
        .members()
        .forEach(
            (pattern, member) ->
                rule(subject, pattern, member.line(), member.value()).ifPresent(builder::key));
  }

  private Optional<KeyRule> rule(String policy, String pattern, int line, ConfigNode node) {
    String subject = "%s, key pattern '%s'".formatted(policy, pattern);
    String expected = "must have one of limits, deny: true or unlimited: true";
    if (!(node instanceof ConfigNode.Mapping mapping)) {
      problems.add(line, "%s: %s, got %s".formatted(subject, expected, node));
      return Optional.empty();
    }
    Members members = new Members(subject + ": ", mapping, problems);
    members.only(KEY_WORDS);
    List<KeyRule> rules = new ArrayList<>();
    try {
      members.flag("deny", yes -> addIf(yes, rules, KeyRule.deny(pattern)));
      members.flag("unlimited", yes -> addIf(yes, rules, KeyRule.unlimited(pattern)));
      ConfigNode.Member limits = members.get("limits");
      if (limits != null) {
        List<Limit> own = limits(subject, limits);
        rules.add(own.isEmpty() ? KeyRule.deny(pattern) : KeyRule.limits(pattern, own));
      }
    } catch (IllegalArgumentException wrong) {
      problems.add(line, "%s: %s".formatted(subject, wrong.getMessage()));
      return Optional.empty();
    }
    if (rules.size() != 1) {
      members.tell(line, expected);
      return Optional.empty();
    }
    return Optional.of(rules.get(0));
  }

  private static void addIf(boolean yes, List<KeyRule> rules, KeyRule rule) {
    if (yes) {
      rules.add(rule);
    }
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
