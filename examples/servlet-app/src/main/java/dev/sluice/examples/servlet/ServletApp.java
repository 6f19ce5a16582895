package dev.sluice.examples.servlet;

import dev.sluice.Limit;
import dev.sluice.Sluice;
import dev.sluice.http.ClientAddress;
import dev.sluice.http.LimitRule;
import dev.sluice.http.LimitRules;
import dev.sluice.http.RequestKey;
import dev.sluice.servlet.RateLimitFilter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.server.Server;

/** Jetty, one servlet, and a filter before it: five requests a minute for each address. */
public final class ServletApp {
  private ServletApp() {}

  /** Serves on the port that is the first argument, or 8080. */
  public static void main(String[] args) throws Exception {
    Server server = server(args.length == 0 ? 8080 : Integer.parseInt(args[0]));
    server.start();
    System.out.println("try: curl -i " + server.getURI() + "hello");
    server.join();
  }

  static Server server(int port) {
    Sluice sluice = Sluice.inMemory();
    sluice.limiter("hello", Limit.parse("5/m"));
    LimitRules rules =
        LimitRules.of(
            LimitRule.path("/hello").check("hello", RequestKey.address(ClientAddress.ofPeer())));
    FilterHolder filter = new FilterHolder(RateLimitFilter.of(sluice, rules));
    filter.setAsyncSupported(true);

    ServletContextHandler context = new ServletContextHandler();
    context.addFilter(filter, "/*", EnumSet.of(DispatcherType.REQUEST));
    context.addServlet(Hello.class, "/hello");
    Server server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    server.setHandler(context);
    return server;
  }

  /** Made by Jetty. */
  public static final class Hello extends HttpServlet {
    private static final long serialVersionUID = 1;

    /** Made by Jetty. */
    public Hello() {}

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      response.getWriter().println("hello");
    }
  }
}
