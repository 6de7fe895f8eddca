package io.sluice.abi.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FdTest {
  private final List<Integer> closed = new ArrayList<>();

  @Test
  void constructor_negativeNumber_throws() {
    assertThatThrownBy(() -> new Fd(-1, closed::add)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void close_twice_closesOnce() {
    Fd fd = new Fd(7, closed::add);
    fd.close();
    fd.close();
    assertThat(closed).containsExactly(7);
  }

  @Test
  void number_afterClose_throws() {
    Fd fd = new Fd(7, closed::add);
    fd.close();
    assertThatThrownBy(fd::number).isInstanceOf(IllegalStateException.class);
  }
}
