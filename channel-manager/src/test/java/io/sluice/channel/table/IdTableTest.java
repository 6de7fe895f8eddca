package io.sluice.channel.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import org.junit.jupiter.api.Test;

final class IdTableTest {
  private final IdTable<String> table = new IdTable<>("things", 4);

  @Test
  void get_whatIsNoId_findsNothing() {
    table.add("a");
    for (int id : new int[] {0, -1, 2, 3, 4, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      assertThat(table.get(id)).as("id %d", id).isNull();
      assertThat(table.remove(id)).as("id %d", id).isNull();
    }
  }

  @Test
  void add_fullTable_isEnomem() {
    table.add("a");
    table.add("b");
    table.add("c");
    assertThatThrownBy(() -> table.add("d"))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM));
    assertThat(table.size()).isEqualTo(3);
  }

  @Test
  void add_afterRemove_givesTheLowestFreeId() {
    table.add("a");
    table.add("b");
    table.remove(1);
    assertThat(table.add("c")).isEqualTo(1);
    assertThat(table.values()).containsExactly("c", "b");
  }

  @Test
  void put_idInUseOrOutside_throws() {
    table.put(2, "a");
    for (int id : new int[] {0, 2, 4, -1}) {
      assertThatThrownBy(() -> table.put(id, "b")).isInstanceOf(IllegalArgumentException.class);
    }
  }
}
