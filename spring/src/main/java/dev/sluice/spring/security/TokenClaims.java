package dev.sluice.spring.security;

import java.security.Principal;
import java.util.Optional;
import org.springframework.security.oauth2.server.resource.authentication.AbstractOAuth2TokenAuthenticationToken;

/** Claims of a JWT or an opaque token that a resource server has verified. */
public final class TokenClaims implements VerifiedClaims {
  /** Claims of whatever token the user has. */
  public TokenClaims() {}

  @Override
  public Optional<String> of(Principal user, String name) {
    return user instanceof AbstractOAuth2TokenAuthenticationToken<?> token
        ? Optional.ofNullable(token.getTokenAttributes().get(name)).map(Object::toString)
        : Optional.empty();
  }
}
