package dev.sluice.server.envoy;

import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import dev.sluice.server.config.ConfigNode;

/** Metadata of a rule as the answer carries it. */
final class Metadata {
  private Metadata() {}

  static Struct struct(ConfigNode.Mapping mapping) {
    Struct.Builder struct = Struct.newBuilder();
    mapping.members().forEach((name, member) -> struct.putFields(name, value(member.value())));
    return struct.build();
  }

  private static Value value(ConfigNode node) {
    Value.Builder value = Value.newBuilder();
    if (node instanceof ConfigNode.Mapping mapping) {
      return value.setStructValue(struct(mapping)).build();
    }
    if (node instanceof ConfigNode.Sequence sequence) {
      ListValue.Builder list = ListValue.newBuilder();
      sequence.items().forEach(item -> list.addValues(value(item)));
      return value.setListValue(list).build();
    }
    String text = ((ConfigNode.Scalar) node).text();
    if (text.equals("true") || text.equals("false")) {
      return value.setBoolValue(text.equals("true")).build();
    }
    return text.matches("-?\\d{1,15}(\\.\\d{1,15})?")
        ? value.setNumberValue(Double.parseDouble(text)).build()
        : value.setStringValue(text).build();
  }
}
