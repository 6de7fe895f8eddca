package io.sluice.management;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Predicate;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.NotificationBroadcasterSupport;
import javax.management.NotificationEmitter;
import javax.management.StandardEmitterMBean;

/**
 * An MXBean that JMX clients see with the {@link Description}s of its interface and the names of
 * its operations' parameters.
 */
public final class DescribedBean extends StandardEmitterMBean {
  private final Class<?> type;

  private <T> DescribedBean(T bean, Class<T> type, NotificationEmitter emitter) {
    super(bean, type, true, emitter);
    this.type = type;
  }

  /**
   * A bean as it is registered; it emits notifications if it is an emitter itself.
   *
   * @param type its MXBean interface
   * @throws IllegalArgumentException when something of the interface has no description
   */
  public static <T> DescribedBean of(T bean, Class<T> type) {
    NotificationEmitter emitter =
        bean instanceof NotificationEmitter own ? own : new NotificationBroadcasterSupport();
    return new DescribedBean(bean, type, emitter);
  }

  @Override
  protected String getDescription(MBeanInfo info) {
    return text(type, type.getSimpleName());
  }

  @Override
  protected String getDescription(MBeanAttributeInfo info) {
    String getter = (info.isIs() ? "is" : "get") + info.getName();
    return text(method(getter, 0), getter);
  }

  @Override
  protected String getDescription(MBeanOperationInfo info) {
    return text(method(info), info.getName());
  }

  @Override
  protected String getDescription(
      MBeanOperationInfo operation, MBeanParameterInfo parameter, int sequence) {
    Parameter described = method(operation).getParameters()[sequence];
    return text(described, operation.getName() + " " + described.getName());
  }

  @Override
  protected String getParameterName(
      MBeanOperationInfo operation, MBeanParameterInfo parameter, int sequence) {
    return method(operation).getParameters()[sequence].getName();
  }

  /** Operations of one name differ in their number of parameters, or in which are texts. */
  private Method method(MBeanOperationInfo operation) {
    return find(operation.getName(), m -> takes(m, operation.getSignature()));
  }

  private Method method(String name, int parameters) {
    return find(name, m -> m.getParameterCount() == parameters);
  }

  private Method find(String name, Predicate<Method> wanted) {
    return Arrays.stream(type.getMethods())
        .filter(m -> m.getName().equals(name) && wanted.test(m))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no " + name + " in " + type));
  }

  /**
   * Whether an operation that JMX shows is this method: what is a text there is one here.
   *
   * @param signature as JMX shows it
   */
  public static boolean takes(Method method, MBeanParameterInfo[] signature) {
    Class<?>[] types = method.getParameterTypes();
    boolean fits = types.length == signature.length;
    for (int i = 0; fits && i < types.length; i++) {
      fits = (types[i] == String.class) == signature[i].getType().equals(String.class.getName());
    }
    return fits;
  }

  private static String text(AnnotatedElement element, String name) {
    return Optional.ofNullable(element.getAnnotation(Description.class))
        .map(Description::value)
        .orElseThrow(() -> new IllegalArgumentException("not described: " + name));
  }
}
