package io.sluice.gpu.sm;

import io.sluice.gpu.sm.isa.Opcode;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Says which instruction forms a test holds against arithmetic of its own. That it did is seen when
 * it has run; that no form is left out is seen in {@link OracleCoverageTest}.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(CoverageCheck.class)
@interface Covers {
  Opcode[] value();
}
