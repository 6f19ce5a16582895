package dev.sluice.http;

import java.util.Base64;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/** Reads a claim out of a bearer token whose signature nobody has checked. */
final class UnverifiedToken {
  private static final int LONGEST = 16_384;
  private static final String BEARER = "Bearer ";
  private static final JsonFactory JSON =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private UnverifiedToken() {}

  /** The text or number of a top-level claim; empty for anything that is not a whole JWT. */
  static Optional<String> claim(String authorization, String name) {
    if (authorization.length() > LONGEST
        || !authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return Optional.empty();
    }
    String[] parts = authorization.substring(BEARER.length()).strip().split("\\.", -1);
    if (parts.length != 3) {
      return Optional.empty();
    }
    try {
      return claim(Base64.getUrlDecoder().decode(parts[1]), name);
    } catch (IllegalArgumentException | JacksonException notOne) {
      return Optional.empty();
    }
  }

  private static Optional<String> claim(byte[] payload, String name) {
    Optional<String> found = Optional.empty();
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), payload)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        return Optional.empty();
      }
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        boolean wanted = json.currentName().equals(name);
        JsonToken value = json.nextToken();
        if (wanted && (value == JsonToken.VALUE_STRING || value == JsonToken.VALUE_NUMBER_INT)) {
          found = Optional.of(json.getString());
        }
        json.skipChildren();
      }
    }
    return found;
  }
}
