package dev.sluice.server.envoy;

import com.google.protobuf.Struct;
import dev.sluice.Limit;
import dev.sluice.Policy;
import dev.sluice.server.config.ConfigNode;
import dev.sluice.server.config.Members;
import dev.sluice.server.config.Problems;
import java.util.Set;

/** Reads one domain's tree of descriptors. */
final class DescriptorReader {
  private static final Set<String> WORDS =
      Set.of(
          "key",
          "value",
          "rate_limit",
          "descriptors",
          "shadow_mode",
          "quota_mode",
          "share_threshold",
          "detailed_metric",
          "value_to_metric",
          "metadata");

  private final String domain;
  private final Limits limits;
  private final Problems problems;

  DescriptorReader(String domain, Limits limits, Problems problems) {
    this.domain = domain;
    this.limits = limits;
    this.problems = problems;
  }

  /** What the members of one descriptor say. */
  private static final class Said {
    String key = "";
    String value = "";
    boolean shadow;
    boolean quota;
    boolean shared;
    Struct metadata = Struct.getDefaultInstance();
  }

  /** Reads the list of descriptors under a node. */
  void read(Node parent, String path, ConfigNode.Member descriptors) {
    if (!(descriptors.value() instanceof ConfigNode.Sequence sequence)) {
      problems.add(
          descriptors.line(),
          "%s: descriptors must be a list, got %s".formatted(path, descriptors.value()));
      return;
    }
    for (ConfigNode item : sequence.items()) {
      if (item instanceof ConfigNode.Mapping mapping) {
        descriptor(parent, path, mapping);
      } else {
        problems.add(
            item.line(), "%s: a descriptor must be a mapping, got %s".formatted(path, item));
      }
    }
  }

  private void descriptor(Node parent, String path, ConfigNode.Mapping mapping) {
    Members members = new Members(path + ": ", mapping, problems);
    members.only(WORDS);
    Said said = said(members);
    if (said.key.isEmpty()) {
      members.tell(mapping.line(), "a descriptor must have a key that is not empty");
      return;
    }
    String own = said.value.isEmpty() ? said.key : said.key + "_" + said.value;
    String ownPath =
        path.replaceFirst("'$", path.contains(", descriptor '") ? "." : "', descriptor '");
    ownPath += own.replace("'", "") + "'";
    boolean shares = said.shared && said.value.indexOf('*') >= 0;
    Node node = new Node(shares ? said.value : null);
    if (!parent.add(said.key, said.value, node)) {
      problems.add(mapping.line(), ownPath + ": is there twice");
    }
    ConfigNode.Member limit = members.get("rate_limit");
    if (limit != null && !isNull(limit.value())) {
      rule(node, ownPath, said, limit);
    }
    ConfigNode.Member descriptors = members.get("descriptors");
    if (descriptors != null && !isNull(descriptors.value())) {
      read(node, ownPath, descriptors);
    }
  }

  private static Said said(Members members) {
    Said said = new Said();
    members.text("key", key -> said.key = key);
    members.text("value", value -> said.value = value);
    members.flag("shadow_mode", given -> said.shadow = given);
    members.flag("quota_mode", given -> said.quota = given);
    members.flag("share_threshold", given -> said.shared = given);
    // These two name theirs statistics; ours never carry values.
    members.flag("detailed_metric", given -> {});
    members.flag("value_to_metric", given -> {});
    ConfigNode.Member metadata = members.get("metadata");
    if (metadata != null && metadata.value() instanceof ConfigNode.Mapping mapping) {
      said.metadata = Metadata.struct(mapping);
    } else if (metadata != null) {
      members.tell(metadata.line(), "metadata must be a mapping, got " + metadata.value());
    }
    return said;
  }

  private void rule(Node node, String path, Said said, ConfigNode.Member member) {
    if (!(member.value() instanceof ConfigNode.Mapping mapping)) {
      problems.add(
          member.line(),
          "%s: rate_limit must be a mapping, got %s".formatted(path, member.value()));
      return;
    }
    RateLimitReader reader = new RateLimitReader(path + ": ", mapping, problems);
    int before = problems.size();
    reader.read();
    if (problems.size() > before) {
      return;
    }
    try {
      Limit limit = reader.limit();
      Policy policy = limit == null ? null : limits.policy(domain, limit, said.shadow);
      node.rule(
          new Rule(
              reader.kind(),
              policy,
              reader.shown(),
              reader.name(),
              reader.replaces(),
              said.quota,
              said.shadow,
              said.metadata));
    } catch (IllegalArgumentException wrong) {
      problems.add(mapping.line(), path + ": " + wrong.getMessage());
    }
  }

  /** YAML writes nothing, or null, for a member that is not there. */
  private static boolean isNull(ConfigNode node) {
    return node instanceof ConfigNode.Scalar scalar
        && (scalar.text().isEmpty() || scalar.text().equals("null") || scalar.text().equals("~"));
  }
}
