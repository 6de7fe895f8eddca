package io.sluice.sluicectl;

import io.sluice.management.ChannelStatus;
import io.sluice.management.GuestMXBean;
import io.sluice.management.GuestStatus;
import io.sluice.management.local.LocalConnection;
import io.sluice.sluicectl.Views.GuestInterrupts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sluicectl irq …}. */
final class IrqCommand extends Noun {
  IrqCommand(GlobalOptions global) {
    super(global, "irq", "Interrupts of guests.");
  }

  @Command(
      name = "show",
      description = {
        "What was delivered to guests since the daemon started, and what they called for. The GPU"
            + " signals most interrupts itself, without the daemon, and so without a message."
      })
  int show(
      @Parameters(
              arity = "0..1",
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = "Name, UUID, or GPU/NAME; all when left out.")
          @Nullable String name)
      throws IOException {
    List<GuestInterrupts> rows = new ArrayList<>();
    try (LocalConnection connection = global.connect()) {
      Map<String, GuestStatus> guests = connection.daemon().getGuests();
      Collection<GuestStatus> chosen =
          name == null ? guests.values() : List.of(GuestNames.find(guests, name));
      for (GuestStatus guest : chosen) {
        GuestMXBean bean = connection.guest(guest.name());
        rows.add(new GuestInterrupts(guest.name(), bean.getCounters(), waiting(guest, bean)));
      }
    }
    global.output().list(Views.INTERRUPTS, rows);
    return ExitCode.OK;
  }

  private static int waiting(GuestStatus guest, GuestMXBean bean) {
    return guest.hasClient()
        ? (int) bean.getChannels().values().stream().filter(ChannelStatus::waiting).count()
        : 0;
  }
}
