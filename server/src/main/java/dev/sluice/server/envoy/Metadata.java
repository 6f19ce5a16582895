package dev.sluice.server.envoy;

import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import dev.sluice.server.config.ConfigNode;
import java.util.regex.Pattern;

/** Metadata of a rule as the answer carries it. */
final class Metadata {
  private static final Pattern NUMBER =
      Pattern.compile("[+-]?\\d{1,15}(\\.\\d{1,15})?([eE][+-]?\\d{1,2})?");

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
    ConfigNode.Scalar scalar = (ConfigNode.Scalar) node;
    String text = scalar.text();
    if (scalar.quoted()) {
      return value.setStringValue(text).build();
    }
    return switch (text) {
      case "", "~", "null" -> value.setNullValue(NullValue.NULL_VALUE).build();
      case "true", "false" -> value.setBoolValue(text.equals("true")).build();
      default ->
          NUMBER.matcher(text).matches()
              ? value.setNumberValue(Double.parseDouble(text)).build()
              : value.setStringValue(text).build();
    };
  }
}
