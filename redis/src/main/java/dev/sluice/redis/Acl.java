package dev.sluice.redis;

import java.util.Locale;
import java.util.stream.Collectors;

/** The least that Sluice needs to be allowed in Redis. The tests run with no more. */
public final class Acl {
  /** Every key of Sluice begins with this. */
  public static final String KEY_PREFIX = "sl:";

  // Connection: ping, select, client|setname. Start: info. Cluster: cluster|slots, asking.
  private static final String OWN =
      "+asking +client|setname +cluster|slots +eval +evalsha +info +ping +select";

  private Acl() {}

  /** The rules, without the user's name and password, as {@code ACL SETUSER} takes them. */
  public static String rules() {
    String commands =
        Scripts.COMMANDS.stream()
            .map(command -> "+" + command.toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(" "));
    return "resetkeys ~%s* resetchannels -@all %s %s".formatted(KEY_PREFIX, OWN, commands);
  }

  /** A whole command for a user {@code sluice}, whose password is still to be chosen. */
  public static String least() {
    return "ACL SETUSER sluice on >CHANGE-THIS-PASSWORD " + rules();
  }
}
