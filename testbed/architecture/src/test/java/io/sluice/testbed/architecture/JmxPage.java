package io.sluice.testbed.architecture;

import com.google.common.collect.ImmutableMap;
import io.sluice.management.DescribedBean;
import io.sluice.management.Description;
import io.sluice.management.NotificationTypes;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanNotificationInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import org.jspecify.annotations.Nullable;

/** The page docs/jmx.md, made of what the daemon's MXBeans tell JMX clients of themselves. */
final class JmxPage {
  static final String PAGE = "docs/jmx.md";

  private static final String INTRODUCTION =
      """
      # JMX

      The daemon's MXBeans, which `sluicectl` uses and other programs may. They are reached through the daemon's control
      socket, a UNIX socket, by `io.sluice.management.local.LocalConnection`; there is no listener on the network. Who may
      open the socket may use them ([configuration](configuration.md), `control-group`). Counts are totals since the daemon
      started, never rates. An operation that is refused throws `OperationsException`; its message has the code, the cause
      and the remedy ([errors](errors.md)). Statuses are composite data whose items have the names below.

      JMX clients show the same descriptions. A test makes this page of them and compares it: `./sluice test
      -Dtest=JmxPageTest -Dsluice.golden=write` writes it anew.
      """;

  /** Parts of names that tell a unit; the first that a name has counts. */
  private static final Map<Pattern, String> UNITS =
      ImmutableMap.of(
          Pattern.compile("PerSecond$"), "bytes a second",
          Pattern.compile("Seconds$"), "s",
          Pattern.compile("Ms$"), "ms",
          Pattern.compile("Ns$"), "ns",
          Pattern.compile("^bytes|Bytes"), "bytes");

  private JmxPage() {}

  /**
   * The text of the page.
   *
   * @param beans the MXBean interfaces, by the object name that they are registered by
   */
  static String of(SortedMap<String, Class<?>> beans) {
    StringBuilder page = new StringBuilder(INTRODUCTION);
    SortedMap<String, Class<?>> statuses = new TreeMap<>();
    beans.forEach((name, type) -> {
      MBeanInfo info = info(type);
      page.append("\n## ").append(name).append("\n\n").append(info.getDescription()).append('\n');
      attributes(page, type, info, statuses);
      operations(page, type, info, statuses);
    });
    notifications(page);
    page.append("\n## Statuses\n");
    for (int done = -1; done < statuses.size(); ) { // one may be made of others
      done = statuses.size();
      List.copyOf(statuses.values()).forEach(status -> collectItems(status, statuses));
    }
    statuses.values().forEach(status -> status(page, status, statuses));
    return page.toString();
  }

  private static void attributes(
      StringBuilder page, Class<?> type, MBeanInfo info, Map<String, Class<?>> statuses) {
    page.append("\n| attribute | type | unit | description |\n|---|---|---|---|\n");
    Arrays.stream(info.getAttributes())
        .sorted(Comparator.comparing(MBeanAttributeInfo::getName))
        .forEach(attribute -> {
          Type value =
              method(
                      type,
                      (attribute.isIs() ? "is" : "get") + attribute.getName(),
                      m -> m.getParameterCount() == 0)
                  .getGenericReturnType();
          row(
              page,
              attribute.getName(),
              type(value, statuses),
              unit(attribute.getName()),
              attribute.getDescription() + (attribute.isWritable() ? " Can be set." : ""));
        });
  }

  private static void operations(
      StringBuilder page, Class<?> type, MBeanInfo info, Map<String, Class<?>> statuses) {
    List<MBeanOperationInfo> operations =
        Arrays.stream(info.getOperations())
            .sorted(
                Comparator.comparing(MBeanOperationInfo::getName)
                    .thenComparing(o -> o.getSignature().length)
                    .thenComparing(o -> Arrays.toString(o.getSignature())))
            .toList();
    for (MBeanOperationInfo operation : operations) {
      MBeanParameterInfo[] parameters = operation.getSignature();
      Method method = method(type, operation.getName(), m -> DescribedBean.takes(m, parameters));
      String names =
          Arrays.stream(parameters)
              .map(MBeanParameterInfo::getName)
              .collect(Collectors.joining(", "));
      page.append("\n### ").append(operation.getName()).append('(').append(names).append(")\n\n");
      page.append(operation.getDescription());
      if (method.getReturnType() != void.class) {
        page.append(" Returns ").append(type(method.getGenericReturnType(), statuses)).append('.');
      }
      page.append('\n');
      if (parameters.length > 0) {
        page.append("\n| parameter | type | unit | description |\n|---|---|---|---|\n");
      }
      for (int i = 0; i < parameters.length; i++) {
        row(
            page,
            parameters[i].getName(),
            type(method.getGenericParameterTypes()[i], statuses),
            unit(parameters[i].getName()),
            parameters[i].getDescription());
      }
    }
  }

  private static void notifications(StringBuilder page) {
    page.append("\n## Notifications\n\nThe daemon's bean emits them.\n");
    page.append("\n| type | description |\n|---|---|\n");
    for (MBeanNotificationInfo notification : NotificationTypes.infos()) {
      row(page, String.join(" ", notification.getNotifTypes()), notification.getDescription());
    }
  }

  private static void status(StringBuilder page, Class<?> status, Map<String, Class<?>> statuses) {
    page.append("\n### ").append(status.getSimpleName()).append("\n\n");
    page.append(described(status.getAnnotation(Description.class), status.getSimpleName()));
    page.append("\n\n| item | type | unit | description |\n|---|---|---|---|\n");
    for (RecordComponent item : status.getRecordComponents()) {
      row(
          page,
          item.getName(),
          type(item.getGenericType(), statuses),
          unit(item.getName()),
          described(item.getAnnotation(Description.class), status + "." + item.getName()));
    }
  }

  private static void collectItems(Class<?> status, Map<String, Class<?>> statuses) {
    for (RecordComponent item : status.getRecordComponents()) {
      String _ = type(item.getGenericType(), statuses);
    }
  }

  private static String described(@Nullable Description of, String name) {
    if (of == null) {
      throw new IllegalArgumentException("not described: " + name);
    }
    return of.value();
  }

  /** What a JMX client gets of such a bean; nothing is called. */
  private static MBeanInfo info(Class<?> type) {
    return described(type).getMBeanInfo();
  }

  private static <T> DescribedBean described(Class<T> type) {
    Object bean =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, _) -> {
              throw new AssertionError(method);
            });
    return DescribedBean.of(type.cast(bean), type);
  }

  private static Method method(Class<?> type, String name, Predicate<Method> wanted) {
    return Arrays.stream(type.getMethods())
        .filter(m -> m.getName().equals(name) && wanted.test(m))
        .findFirst()
        .orElseThrow();
  }

  /** The type as it is written; records are statuses of their own. */
  private static String type(Type type, Map<String, Class<?>> statuses) {
    if (type instanceof ParameterizedType generic) {
      List<String> arguments = new ArrayList<>();
      for (Type argument : generic.getActualTypeArguments()) {
        arguments.add(type(argument, statuses));
      }
      return ((Class<?>) generic.getRawType()).getSimpleName()
          + " of "
          + String.join(" to ", arguments);
    }
    Class<?> plain = (Class<?>) type;
    if (plain.isRecord()) {
      statuses.put(plain.getSimpleName(), plain);
    }
    return plain.getSimpleName();
  }

  private static String unit(String name) {
    return UNITS.entrySet().stream()
        .filter(unit -> unit.getKey().matcher(name).find())
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse("");
  }

  private static void row(StringBuilder page, String... cells) {
    for (String cell : cells) {
      if (cell.contains("|") || cell.contains("\n")) {
        throw new IllegalArgumentException("no cell of a table: " + cell);
      }
    }
    page.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }
}
