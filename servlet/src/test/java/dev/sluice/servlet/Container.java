package dev.sluice.servlet;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.Servlet;
import java.util.EnumSet;

/** A servlet container on a free port of the loopback interface. */
interface Container {
  /** Adds a filter for all paths, in order, before {@link #start}. */
  void filter(String name, Filter filter, EnumSet<DispatcherType> types, boolean async);

  /** Adds a servlet before {@link #start}. */
  void servlet(String path, Servlet servlet);

  /** Starts, and answers the port. */
  int start() throws Exception;

  /** Stops, and frees the port. */
  void stop() throws Exception;
}
