package io.sluice.management;

import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/** Names of the MXBeans. Whatever an operator typed is quoted. */
public final class ObjectNames {
  private static final String DOMAIN = "io.sluice";

  /** The daemon. */
  public static final ObjectName DAEMON = name(DOMAIN + ":type=Daemon");

  /** Guests that move. */
  public static final ObjectName MIGRATIONS = name(DOMAIN + ":type=Migrations");

  /** Sessions of APIs. */
  public static final ObjectName SESSIONS = name(DOMAIN + ":type=Sessions");

  /** CUDA programs of guests. */
  public static final ObjectName PROGRAMS = name(DOMAIN + ":type=Programs");

  private ObjectNames() {}

  /** A guest by its name. */
  public static ObjectName guest(String name) {
    return name(DOMAIN + ":type=Guest,name=" + ObjectName.quote(name));
  }

  private static ObjectName name(String text) {
    try {
      return new ObjectName(text);
    } catch (MalformedObjectNameException e) {
      throw new AssertionError(text, e);
    }
  }
}
