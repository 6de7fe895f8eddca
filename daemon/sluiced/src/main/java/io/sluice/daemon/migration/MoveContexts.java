package io.sluice.daemon.migration;

import com.google.common.collect.ImmutableSortedMap;
import io.sluice.daemon.guest.GuestHost;
import io.sluice.daemon.guest.GuestTable;
import io.sluice.daemon.runtime.HostName;
import io.sluice.daemon.runtime.Version;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.report.MoveContext;
import java.time.InstantSource;
import java.util.Map;

/**
 * The circumstances of migrations that begin here, for their reports.
 *
 * @param time of day
 */
record MoveContexts(GuestTable guests, InstantSource time) {
  /** Of one that begins now. */
  MoveContext of(String guest, String to, SourceMachine machine, Map<String, String> options) {
    GuestHost host = guests.all().get(guest);
    return new MoveContext(
        HostName.get(),
        to,
        Version.get(),
        machine.program(),
        host == null ? "" : host.gpuModel(),
        ImmutableSortedMap.copyOf(options),
        time.instant());
  }
}
