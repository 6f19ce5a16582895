package dev.sluice.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** An application whose requests end in every way that a request can end. */
final class TestServlets {
  private final AtomicInteger calls = new AtomicInteger();
  private final Queue<AsyncContext> held = new ConcurrentLinkedQueue<>();

  private interface Work {
    void answer(HttpServletRequest request, HttpServletResponse response)
        throws IOException, ServletException;
  }

  /** How often an application was reached by a client's request. */
  int calls() {
    return calls.get();
  }

  /** Lets the held requests end. */
  void finish() {
    for (AsyncContext context = held.poll(); context != null; context = held.poll()) {
      done((HttpServletResponse) context.getResponse());
      context.complete();
    }
  }

  void addTo(Container container) {
    for (String path : new String[] {"/hello", "/free", "/queue", "/big", "/keyed", "/files/*"}) {
      add(container, path, (request, response) -> done(response));
    }
    add(container, "/jobs/quick", (request, response) -> done(response));
    add(container, "/error", (request, response) -> response.sendError(500));
    add(container, "/jobs/error", (request, response) -> response.sendError(500));
    add(container, "/jobs/throws", TestServlets::fails);
    add(container, "/forwarding", TestServlets::forwards);
    add(container, "/dispatching", (request, response) -> dispatches(request, response, 1));
    add(container, "/jobs/dispatching", (request, response) -> dispatches(request, response, 1));
    add(
        container,
        "/jobs/dispatching-twice",
        (request, response) -> dispatches(request, response, 2));
    add(container, "/jobs/held", (request, response) -> held.add(request.startAsync()));
    add(container, "/jobs/times-out", (request, response) -> request.startAsync().setTimeout(50));
    add(container, "/jobs/completes-at-once", TestServlets::completes);
    add(container, "/jobs/streams", (request, response) -> stream(response));
    add(container, "/jobs/streams-async", TestServlets::streamsElsewhere);
  }

  private void add(Container container, String path, Work work) {
    container.servlet(
        path,
        new HttpServlet() {
          private static final long serialVersionUID = 1;

          @Override
          protected void doGet(HttpServletRequest request, HttpServletResponse response)
              throws IOException, ServletException {
            if (request.getDispatcherType() == DispatcherType.REQUEST
                || request.getAttribute("seen") == null) {
              request.setAttribute("seen", true);
              calls.incrementAndGet();
            }
            work.answer(request, response);
          }
        });
  }

  private static void done(HttpServletResponse response) {
    try {
      response.getOutputStream().print("done");
    } catch (IOException clientLeft) {
      throw new java.io.UncheckedIOException(clientLeft);
    }
  }

  private static void fails(HttpServletRequest request, HttpServletResponse response) {
    throw new IllegalStateException("on purpose");
  }

  private static void forwards(HttpServletRequest request, HttpServletResponse response)
      throws IOException, ServletException {
    request.getRequestDispatcher("/hello").forward(request, response);
  }

  private static void dispatches(
      HttpServletRequest request, HttpServletResponse response, int times) {
    Integer before = (Integer) request.getAttribute("dispatched");
    int count = before == null ? 0 : before;
    if (count == times) {
      done(response);
      return;
    }
    request.setAttribute("dispatched", count + 1);
    AsyncContext context = request.startAsync();
    CompletableFuture<Void> unused =
        CompletableFuture.runAsync(context::dispatch, task -> new Thread(task).start());
  }

  private static void completes(HttpServletRequest request, HttpServletResponse response) {
    AsyncContext context = request.startAsync();
    done(response);
    context.complete();
  }

  private static void streamsElsewhere(HttpServletRequest request, HttpServletResponse response) {
    AsyncContext context = request.startAsync();
    context.setTimeout(0);
    CompletableFuture<Void> unused =
        CompletableFuture.runAsync(
            () -> {
              try {
                stream(response);
              } catch (IOException clientLeft) {
                context.complete();
              }
            },
            task -> new Thread(task).start());
  }

  /** Writes until the client is gone. */
  private static void stream(HttpServletResponse response) throws IOException {
    byte[] block = new byte[8_192];
    while (true) {
      response.getOutputStream().write(block);
      response.flushBuffer();
    }
  }
}
