package dev.sluice.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A request that holds permits until its response ends. It watches for the start of asynchronous
 * processing: asked only after the chain has returned, the request may be complete already, or
 * under way in another dispatch.
 */
final class HeldRequest extends HttpServletRequestWrapper implements AsyncListener {
  private final Runnable release;
  private final AtomicBoolean released = new AtomicBoolean();
  private volatile boolean async;

  HeldRequest(HttpServletRequest request, Runnable release) {
    super(request);
    this.release = release;
  }

  @Override
  public AsyncContext startAsync() {
    return watched(super.startAsync());
  }

  @Override
  public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
    return watched(super.startAsync(request, response));
  }

  private AsyncContext watched(AsyncContext context) {
    async = true;
    context.addListener(this);
    return context;
  }

  /** The chain has returned, or thrown: unless the request goes on elsewhere, its response ends. */
  void returned() {
    if (!async) {
      release();
    }
  }

  private void release() {
    if (released.compareAndSet(false, true)) {
      release.run();
    }
  }

  /** Comes after errors and time-outs too, once nobody can write to the response any more. */
  @Override
  public void onComplete(AsyncEvent event) {
    release();
  }

  @Override
  public void onTimeout(AsyncEvent event) {
    // The container or the application answers, and completes.
  }

  @Override
  public void onError(AsyncEvent event) {
    // The container completes.
  }

  /** A dispatch went asynchronous again: containers forget listeners then. */
  @Override
  public void onStartAsync(AsyncEvent event) {
    event.getAsyncContext().addListener(this);
  }
}
