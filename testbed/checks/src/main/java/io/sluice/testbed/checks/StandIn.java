package io.sluice.testbed.checks;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stand-in for a thing behind an interface, such as the kernel: a test sees each call before the
 * thing does, and passes it on, delays it, fails it or answers it.
 */
public final class StandIn {
  private StandIn() {}

  /** The word that a test has at each call. */
  @FunctionalInterface
  public interface Script {
    /**
     * What the caller gets: mostly {@link Call#pass}.
     *
     * @throws Throwable what the caller is to meet
     */
    @Nullable Object at(Call call) throws Throwable;
  }

  /** A call under way. */
  public static final class Call {
    private final Object real;
    private final Method called;
    private final @Nullable Object[] arguments;

    private Call(Object real, Method called, @Nullable Object @Nullable [] arguments) {
      this.real = real;
      this.called = called;
      this.arguments = arguments == null ? new Object[0] : arguments;
    }

    /** The method's name. */
    public String method() {
      return called.getName();
    }

    /** Whether it is one of these methods. */
    public boolean is(String... methods) {
      return Arrays.asList(methods).contains(method());
    }

    /** What was given; a copy. */
    public List<@Nullable Object> arguments() {
      return Arrays.asList(arguments.clone());
    }

    /** One of the arguments, from 0. */
    public <A> A argument(int index, Class<A> type) {
      return type.cast(arguments[index]);
    }

    /** The type that it returns. */
    public Class<?> returns() {
      return called.getReturnType();
    }

    /**
     * Makes the call at the real thing.
     *
     * @throws Throwable what that throws
     */
    public @Nullable Object pass() throws Throwable {
      return passWith(arguments);
    }

    /** The same with other arguments. */
    public @Nullable Object passWith(@Nullable Object... others) throws Throwable {
      try {
        return called.invoke(real, others);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }
  }

  /**
   * A stand-in for a real thing.
   *
   * @param type an interface of it
   */
  public static <T> T of(Class<T> type, T real, Script script) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, called, arguments) -> script.at(new Call(real, called, arguments))));
  }
}
