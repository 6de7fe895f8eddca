package io.sluice.testbed.fakes;

import java.security.SecureRandom;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * The source of a test method's {@link RandomGenerator}: its seed is printed when the test fails.
 * {@code -Dsluice.seed=} replays it; all tests of a run then start from that seed.
 */
public final class Seeds implements ParameterResolver, AfterTestExecutionCallback {
  /** The system property with the seed to replay, decimal or {@code 0x} hexadecimal. */
  public static final String PROPERTY = "sluice.seed";

  private static final ExtensionContext.Namespace SPACE =
      ExtensionContext.Namespace.create(Seeds.class);

  /** A generator that yields the same for the same seed, on every machine. */
  public static RandomGenerator generator(long seed) {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == RandomGenerator.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    long seed = choose(System.getProperty(PROPERTY, ""));
    context.getStore(SPACE).put(PROPERTY, seed);
    return generator(seed);
  }

  static long choose(String replayed) {
    return replayed.isBlank() ? new SecureRandom().nextLong() : Long.decode(replayed.strip());
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    Object seed = context.getStore(SPACE).get(PROPERTY);
    if (seed != null && context.getExecutionException().isPresent()) {
      System.err.println(replay(context.getDisplayName(), (Long) seed));
    }
  }

  static String replay(String test, long seed) {
    return test + " failed with a random seed; replay with -D" + PROPERTY + "=" + seed;
  }
}
