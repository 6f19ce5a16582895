package dev.sluice.server.http;

import com.google.errorprone.annotations.FormatMethod;
import dev.sluice.http.Problem;
import java.util.Locale;

/** A request that ends here, with this answer. */
final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Problem problem;

  ProblemException(Problem problem) {
    // The caller's mistake, not ours: a stack trace would only cost time.
    super(problem.detail(), null, false, false);
    this.problem = problem;
  }

  @FormatMethod
  static ProblemException badRequest(String format, Object... values) {
    return new ProblemException(Problem.badRequest(String.format(Locale.ROOT, format, values)));
  }

  static ProblemException unknownPolicy(String policy) {
    return new ProblemException(Problem.notFound("no policy '%s'".formatted(Shown.of(policy))));
  }

  Problem problem() {
    return problem;
  }
}
