package io.sluice.daemon.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.migrate.qemu.RamTransport;
import java.lang.reflect.Method;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class EndingTest {
  static Stream<Method> methods() {
    return Stream.of(RamTransport.Source.class.getMethods());
  }

  /** What it does not pass on a way does not do, without anybody being told. */
  @ParameterizedTest
  @MethodSource("methods")
  void everyMethodOfAWay_isPassedOn(Method method) throws NoSuchMethodException {
    Method own =
        HostRoute.Ending.class.getDeclaredMethod(method.getName(), method.getParameterTypes());
    assertThat(own.getDeclaringClass()).isEqualTo(HostRoute.Ending.class);
  }
}
