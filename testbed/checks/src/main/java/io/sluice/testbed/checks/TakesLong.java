package io.sluice.testbed.checks;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;

/**
 * The reason why a test, or each test of a class, takes longer than {@link SlowTests} allows. Such
 * a test has 20 minutes before it counts as one that hangs, unless it has a {@link Timeout} of its
 * own.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Timeout(value = 20, unit = TimeUnit.MINUTES)
public @interface TakesLong {
  /** One sentence. */
  String value();
}
