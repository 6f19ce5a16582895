package dev.sluice.spring.security;

import java.security.Principal;
import java.util.Optional;

/** Finds a claim of the token by which the application has verified its user. */
@FunctionalInterface
public interface VerifiedClaims {
  /** The claim of that name; empty where there is none, or the user has no token. */
  Optional<String> of(Principal user, String name);

  /** For applications without tokens. */
  static VerifiedClaims none() {
    return (user, name) -> Optional.empty();
  }
}
