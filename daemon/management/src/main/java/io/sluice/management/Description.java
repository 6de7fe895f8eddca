package io.sluice.management;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The description of something that JMX shows: a bean, an attribute, an operation, its parameter,
 * an item of a status, a notification. A {@link DescribedBean} shows it to JMX clients, and
 * docs/jmx.md is made of it.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({
  ElementType.TYPE,
  ElementType.METHOD,
  ElementType.PARAMETER,
  ElementType.RECORD_COMPONENT,
  ElementType.FIELD
})
public @interface Description {
  /** One or a few sentences, or a phrase. */
  String value();
}
