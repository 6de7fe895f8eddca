package io.sluice.sluicectl;

import io.sluice.management.GuestStatus;
import io.sluice.management.local.LocalConnection;
import io.sluice.sluicectl.Views.ChannelRow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sluicectl channel …}. */
final class ChannelCommand extends Noun {
  ChannelCommand(GlobalOptions global) {
    super(global, "channel", "The channels of guests.");
  }

  @Command(name = "list", description = "The channels of one guest, or of all.")
  int list(
      @Parameters(
              arity = "0..1",
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = "Name, UUID, or GPU/NAME; all when left out.")
          @Nullable String name)
      throws IOException {
    List<ChannelRow> channels = new ArrayList<>();
    try (LocalConnection connection = global.connect()) {
      Map<String, GuestStatus> guests = connection.daemon().getGuests();
      Collection<GuestStatus> chosen =
          name == null ? guests.values() : List.of(GuestNames.find(guests, name));
      for (GuestStatus guest : chosen) {
        if (guest.hasClient()) {
          connection
              .guest(guest.name())
              .getChannels()
              .values()
              .forEach(channel -> channels.add(new ChannelRow(guest.name(), channel)));
        }
      }
    }
    global.output().list(Views.CHANNELS, channels);
    return ExitCode.OK;
  }

  @Command(
      name = "kill",
      description = {
        "Ends one channel of a guest: what it was given and has not been executed never is, and the"
            + " guest is told. Its other channels go on."
      })
  int kill(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = "Name, UUID, or GPU/NAME.")
          String name,
      @Parameters(
              paramLabel = "CHANNEL",
              completionCandidates = Candidates.Channels.class,
              description = "Its number, as channel list shows it.")
          int id)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      String guest = GuestNames.find(connection.daemon().getGuests(), name).name();
      connection.guest(guest).killChannel(id);
    }
    return ExitCode.OK;
  }
}
