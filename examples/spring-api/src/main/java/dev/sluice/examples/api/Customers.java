package dev.sluice.examples.api;

import dev.sluice.http.HttpRequestView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Who may use the API, and on which plan; in a real application, a table. */
@Component
final class Customers {
  private record Customer(String name, String plan) {}

  private final Map<String, Customer> byApiKey =
      Map.of(
          "key-of-ada", new Customer("ada", "free"),
          "key-of-grace", new Customer("grace", "pro"),
          "key-of-ops", new Customer("ops", "internal"));

  /** {@code plan:free:ada}; empty for a stranger, whose request is then refused. */
  Optional<String> keyOf(HttpRequestView request) {
    List<String> keys = request.headers("X-Api-Key");
    return keys.size() == 1
        ? Optional.ofNullable(byApiKey.get(keys.get(0)))
            .map(customer -> "plan:" + customer.plan() + ":" + customer.name())
        : Optional.empty();
  }
}
