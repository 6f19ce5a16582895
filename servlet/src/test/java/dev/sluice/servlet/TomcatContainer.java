package dev.sluice.servlet;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.Servlet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.buf.EncodedSolidusHandling;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

/** Tomcat in this process. */
final class TomcatContainer implements Container {
  private final Tomcat tomcat = new Tomcat();
  private final Context context;

  TomcatContainer() {
    Path base = Path.of("target", "tomcat").toAbsolutePath();
    tomcat.setBaseDir(base.toString());
    tomcat.setHostname("127.0.0.1");
    tomcat.setPort(0);
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    context = tomcat.addContext("/app", null);
  }

  /** Takes backslashes, and does this with escaped slashes and backslashes. */
  TomcatContainer lenient(EncodedSolidusHandling slash, EncodedSolidusHandling backslash) {
    Connector connector = tomcat.getConnector();
    connector.setAllowBackslash(true);
    connector.setProperty("relaxedPathChars", "\\");
    connector.setEncodedSolidusHandling(slash.getValue());
    connector.setEncodedReverseSolidusHandling(backslash.getValue());
    return this;
  }

  @Override
  public void filter(String name, Filter filter, EnumSet<DispatcherType> types, boolean async) {
    FilterDef definition = new FilterDef();
    definition.setFilterName(name);
    definition.setFilter(filter);
    definition.setAsyncSupported(Boolean.toString(async));
    context.addFilterDef(definition);
    FilterMap map = new FilterMap();
    map.setFilterName(name);
    map.addURLPattern("/*");
    types.forEach(type -> map.setDispatcher(type.name()));
    context.addFilterMap(map);
  }

  @Override
  public void servlet(String path, Servlet servlet) {
    Wrapper wrapper = Tomcat.addServlet(context, path, servlet);
    wrapper.setAsyncSupported(true);
    wrapper.addMapping(path);
  }

  @Override
  public int start() throws Exception {
    Files.createDirectories(Path.of(tomcat.getServer().getCatalinaBase().getPath()));
    tomcat.start();
    return tomcat.getConnector().getLocalPort();
  }

  @Override
  public void stop() throws Exception {
    tomcat.stop();
    tomcat.destroy();
  }
}
