package dev.sluice.servlet;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.Servlet;
import java.util.EnumSet;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** Jetty in this process. */
final class JettyContainer implements Container {
  private final Server server = new Server();
  private final HttpConfiguration http = new HttpConfiguration();
  private final ServerConnector connector =
      new ServerConnector(server, new HttpConnectionFactory(http));
  private final ServletContextHandler context = new ServletContextHandler("/app");

  JettyContainer() {
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.setHandler(context);
  }

  /** As lenient with paths as Jetty can be. */
  JettyContainer lenient(UriCompliance compliance) {
    http.setUriCompliance(compliance);
    context.getServletHandler().setDecodeAmbiguousURIs(true);
    return this;
  }

  @Override
  public void filter(String name, Filter filter, EnumSet<DispatcherType> types, boolean async) {
    FilterHolder holder = new FilterHolder(filter);
    holder.setName(name);
    holder.setAsyncSupported(async);
    context.addFilter(holder, "/*", types);
  }

  @Override
  public void servlet(String path, Servlet servlet) {
    ServletHolder holder = new ServletHolder(servlet);
    holder.setAsyncSupported(true);
    context.addServlet(holder, path);
  }

  @Override
  public int start() throws Exception {
    server.start();
    return connector.getLocalPort();
  }

  @Override
  public void stop() throws Exception {
    server.stop();
  }
}
