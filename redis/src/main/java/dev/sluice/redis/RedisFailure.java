package dev.sluice.redis;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Why there was no decision, and what is done about it. Each class of error is here on purpose; the
 * table in docs/redis.md is this list. None of them is ever a denial.
 */
enum RedisFailure {
  /** No answer within the deadline. The script may have run, so it is not sent again. */
  TIMEOUT(Remedy.POLICY, Blame.SERVER),
  /** Not connected: nothing was sent. */
  UNREACHABLE(Remedy.POLICY, Blame.SERVER),
  /** The connection ended before the answer. The script may have run. */
  LOST(Remedy.POLICY, Blame.SERVER),
  /** The server's certificate does not prove that it is the one that was asked for. */
  UNTRUSTED(Remedy.CONFIGURATION, Blame.SERVER),
  /** The address names a database that the server does not have. */
  DATABASE(Remedy.CONFIGURATION, Blame.SERVER),
  /** Not asked: the breaker is open. */
  BREAKER(Remedy.POLICY, Blame.CALL),
  /** Too many calls wait for an answer. */
  OVERLOAD(Remedy.POLICY, Blame.SERVER),
  /** The server answered, and nobody understands what. */
  REPLY(Remedy.POLICY, Blame.CALL),

  /** The script cache was flushed, or the server is another: the one error that is always cured. */
  NOSCRIPT(Remedy.SEND_SOURCE, Blame.CALL),
  /** The keys of the call are on their way to another node. */
  TRYAGAIN(Remedy.RETRY, Blame.CALL),
  /** The slot is on its way to another node; a cluster connection follows by itself. */
  ASK(Remedy.RETRY, Blame.CALL),
  /** The slot is on another node; a cluster connection follows by itself. */
  MOVED(Remedy.RECONNECT, Blame.SERVER),
  /** A replica: the primary is another server by now. */
  READONLY(Remedy.RECONNECT, Blame.SERVER),
  /** A replica that has lost its primary and may not answer with stale data. */
  MASTERDOWN(Remedy.RECONNECT, Blame.SERVER),
  /** The server reads its data from disk. */
  LOADING(Remedy.POLICY, Blame.SERVER),
  /** A slot, or the majority of the cluster, is out of reach. */
  CLUSTERDOWN(Remedy.POLICY, Blame.SERVER),
  /** Too few replicas to take a write: a primary that was cut off. */
  NOREPLICAS(Remedy.RECONNECT, Blame.SERVER),
  /** The last snapshot could not be written, and the server refuses writes until one is. */
  MISCONF(Remedy.POLICY, Blame.SERVER),
  /** Somebody's script runs for seconds. */
  BUSY(Remedy.POLICY, Blame.SERVER),
  /** No memory for a write. What needs none is still decided, so the breaker stays closed. */
  OOM(Remedy.POLICY, Blame.CALL),

  /** No credentials given, and some needed. */
  NOAUTH(Remedy.CONFIGURATION, Blame.SERVER),
  /** Credentials that the server does not accept, be it for having none itself. */
  WRONGPASS(Remedy.CONFIGURATION, Blame.SERVER),
  /** The ACL forbids a command or a key; other scripts may well run. */
  NOPERM(Remedy.CONFIGURATION, Blame.CALL),
  /** Protected mode: a server without a password that answers its own machine only. */
  DENIED(Remedy.CONFIGURATION, Blame.SERVER),
  /** Keys of one call in several slots: a defect of ours. */
  CROSSSLOT(Remedy.POLICY, Blame.CALL),
  /** Somebody else's value under one of our keys. */
  WRONGTYPE(Remedy.POLICY, Blame.CALL),
  /** A transaction was refused; we send none, a proxy may. */
  EXECABORT(Remedy.POLICY, Blame.CALL),
  /** A script that wrote cannot be killed; we kill none. */
  UNKILLABLE(Remedy.POLICY, Blame.CALL),
  /** Everything else that a server says: an error inside a script, an unknown command. */
  ERR(Remedy.POLICY, Blame.CALL);

  /** What is done about a failure, beyond what the policy says. */
  enum Remedy {
    /** Send the script's source, once, inside the deadline. */
    SEND_SOURCE,
    /** Send again inside the deadline: it certainly did not run. */
    RETRY,
    /** Close the connection and find out anew where the primary is. */
    RECONNECT,
    /** Nothing: the policy answers. */
    POLICY,
    /** Refuse to start; while running, the policy answers and the log says what to repair. */
    CONFIGURATION
  }

  private enum Blame {
    SERVER,
    CALL
  }

  // 6.2 wraps what a command inside a script said: "ERR Error running script (call to f_…):
  // @user_script:7: -READONLY You can't write …"; 7 and Valkey say it plainly.
  private static final Pattern WRAPPED =
      Pattern.compile("^ERR Error running script .*?: -([A-Z]+)\\b", Pattern.DOTALL);
  private static final Pattern FIRST_TOKEN = Pattern.compile("^-?([A-Z]+)\\b");

  private final Remedy remedy;
  private final Blame blame;

  RedisFailure(Remedy remedy, Blame blame) {
    this.remedy = remedy;
    this.blame = blame;
  }

  Remedy remedy() {
    return remedy;
  }

  /** Whether the server is to blame, so that the breaker counts it. */
  boolean opensBreaker() {
    return blame == Blame.SERVER;
  }

  /** The word for metrics. */
  String reason() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The class of an error reply, by its first token. */
  static RedisFailure ofReply(String text) {
    Matcher wrapped = WRAPPED.matcher(text);
    Matcher first = FIRST_TOKEN.matcher(text);
    String token = wrapped.find() ? wrapped.group(1) : first.find() ? first.group(1) : "ERR";
    RedisFailure failure = ofToken(token);
    // Redis 7 and Valkey 8, of what a script may not do.
    if (failure == ERR
        && (text.contains("The user executing the script can't")
            || text.contains("ACL failure in script"))) {
      return NOPERM;
    }
    if (failure == ERR && text.contains("max number of clients reached")) {
      return UNREACHABLE;
    }
    if (failure == ERR
        && (text.contains("invalid password")
            || text.contains("without any password configured")
            || text.contains("no password is set"))) {
      return WRONGPASS;
    }
    if (failure == ERR && text.contains("DB index is out of range")) {
      return DATABASE;
    }
    return failure;
  }

  private static RedisFailure ofToken(String token) {
    for (RedisFailure failure : values()) {
      if (failure.compareTo(NOSCRIPT) >= 0 && failure.name().equals(token)) {
        return failure;
      }
    }
    return ERR;
  }
}
