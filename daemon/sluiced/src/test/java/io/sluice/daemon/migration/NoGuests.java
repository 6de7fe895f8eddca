package io.sluice.daemon.migration;

import com.google.common.collect.ImmutableMap;
import io.sluice.daemon.config.ConfigLoader;
import io.sluice.daemon.config.CreatedGuests;
import io.sluice.daemon.config.QuotaStore;
import io.sluice.daemon.guest.ChangeRate;
import io.sluice.daemon.guest.GuestHost;
import io.sluice.daemon.guest.GuestTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongSupplier;

/** The table of a daemon that serves no guest. */
final class NoGuests {
  private NoGuests() {}

  /**
   * @param dir of the daemon
   * @param clock nanoseconds
   */
  @SuppressWarnings("NullAway") // what serves them is asked for by none
  static GuestTable of(Path dir, LongSupplier clock) throws Exception {
    Path file =
        Files.writeString(
            dir.resolve("sluice.toml"),
            """
            [daemon]
            run-dir = "%1$s/run"
            state-dir = "%1$s/state"
            [gpu.embedded]
            """
                .formatted(dir));
    return new GuestTable(
        new ConfigLoader(Map.of(), Map.of()).load(file),
        ImmutableMap.of(),
        new CreatedGuests(dir),
        new QuotaStore(dir),
        new ChangeRate(clock),
        () -> new UUID(1, 2),
        null,
        new GuestTable.Observer() {
          @Override
          public void onCreated(GuestHost guest) {}

          @Override
          public void onDestroyed(GuestHost guest) {}
        });
  }
}
