package dev.sluice.server;

import dev.sluice.Decision;
import dev.sluice.Request;
import dev.sluice.Store;
import dev.sluice.StoreUnavailableException;
import java.util.List;

/** Is out of reach. */
public final class LostStore implements Store {
  @Override
  public Decision decide(Request request) {
    throw new StoreUnavailableException("timeout", "store: no answer within 20 ms", null);
  }

  @Override
  public List<Decision> decideTogether(List<Request> requests) {
    throw new StoreUnavailableException("timeout", "store: no answer within 20 ms", null);
  }

  @Override
  public void close() {}
}
