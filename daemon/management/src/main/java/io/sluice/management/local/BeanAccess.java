package io.sluice.management.local;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.Set;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.remote.MBeanServerForwarder;
import org.jspecify.annotations.Nullable;

/**
 * The rights of callers to the beans of the daemon's process. Who may control the daemon uses its
 * own beans, and reads those that tell of the virtual machine. He does not become the daemon by
 * that: other beans of the JVM load agents into it, write its memory to files, and load classes.
 */
final class BeanAccess implements InvocationHandler {
  private static final String OURS = "io.sluice";

  /** Besides ours: memory, threads and collectors; buffers; the bean server itself. */
  private static final Set<String> READABLE =
      Set.of(OURS, "java.lang", "java.nio", "JMImplementation");

  /** Of any bean: which there are, and what they look like. */
  private static final Set<String> LOOK =
      Set.of(
          "getDefaultDomain",
          "getDomains",
          "getMBeanCount",
          "getMBeanInfo",
          "getObjectInstance",
          "isInstanceOf",
          "isRegistered",
          "queryMBeans",
          "queryNames");

  private static final Set<String> READ =
      Set.of(
          "getAttribute", "getAttributes", "addNotificationListener", "removeNotificationListener");

  private static final Set<String> CHANGE = Set.of("invoke", "setAttribute", "setAttributes");

  /** What the connector itself asks for; no request of a caller leads to it. */
  private static final Set<String> CONNECTOR =
      Set.of("getClassLoaderFor", "getClassLoaderRepository");

  private volatile @Nullable MBeanServer beans;

  private final RefusalListener refusals;

  private BeanAccess(RefusalListener refusals) {
    this.refusals = refusals;
  }

  /** To be put before the server of all beans. */
  static MBeanServerForwarder forwarder(RefusalListener refusals) {
    return (MBeanServerForwarder)
        Proxy.newProxyInstance(
            BeanAccess.class.getClassLoader(),
            new Class<?>[] {MBeanServerForwarder.class},
            new BeanAccess(refusals));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    Object first = arguments == null || arguments.length == 0 ? null : arguments[0];
    if (method.getDeclaringClass() == Object.class) {
      return ofObject(proxy, method.getName(), first);
    }
    switch (method.getName()) {
      case "getMBeanServer" -> {
        return beans;
      }
      case "setMBeanServer" -> {
        beans = (MBeanServer) first;
        return null;
      }
      default -> {
        return ofBeans(method, first instanceof ObjectName bean ? bean : null, arguments);
      }
    }
  }

  private @Nullable Object ofBeans(
      Method method, @Nullable ObjectName bean, Object @Nullable [] arguments) throws Throwable {
    if (!isAllowed(method.getName(), bean)) {
      SecurityException refused =
          new SecurityException(
              method.getName() + " is not for callers of this socket, bean=" + bean);
      refusals.operationRefused(bean, method.getName(), refused);
      throw refused;
    }
    try {
      return method.invoke(Objects.requireNonNull(beans), arguments);
    } catch (InvocationTargetException e) {
      Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
      if (CHANGE.contains(method.getName())) {
        refusals.operationRefused(bean, operation(method, arguments), cause);
      }
      throw cause;
    }
  }

  /** The name of what an invocation invokes; of anything else the method's own. */
  private static String operation(Method method, Object @Nullable [] arguments) {
    return arguments != null && arguments.length > 1 && arguments[1] instanceof String name
        ? name
        : method.getName();
  }

  /** The connector keeps forwarders in tables. */
  private static Object ofObject(Object proxy, String method, @Nullable Object other) {
    return switch (method) {
      case "hashCode" -> System.identityHashCode(proxy);
      case "equals" -> proxy == other;
      default -> "beans for callers of the control socket";
    };
  }

  /**
   * Whether callers may have a method of {@link MBeanServer} called.
   *
   * @param bean of which; null when it is of none
   */
  static boolean isAllowed(String method, @Nullable ObjectName bean) {
    String domain = bean == null ? "" : bean.getDomain();
    return LOOK.contains(method)
        || CONNECTOR.contains(method)
        || READ.contains(method) && READABLE.contains(domain)
        || CHANGE.contains(method) && domain.equals(OURS);
  }
}
