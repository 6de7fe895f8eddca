package io.sluice.sluicectl;

import java.util.Map;
import picocli.CommandLine;

/** The names of the columns at the end of the help of each command that prints rows. */
final class ListingHelp {
  private static final Map<String, Listing<?>> LISTINGS =
      Map.ofEntries(
          Map.entry("gpu list", Views.GPUS),
          Map.entry("guest list", Views.GUESTS),
          Map.entry("channel list", Views.CHANNELS),
          Map.entry("session list", Views.SESSIONS),
          Map.entry("session host", Views.SESSION_HOSTS),
          Map.entry("program list", Views.PROGRAMS),
          Map.entry("checkpoint list", Views.CHECKPOINTS),
          Map.entry("migration status", Views.MIGRATIONS),
          Map.entry("quota show", Views.QUOTAS),
          Map.entry("irq show", Views.INTERRUPTS),
          Map.entry("daemon check", Views.CHECKS),
          Map.entry("daemon config", Views.SETTINGS),
          Map.entry("daemon reload", Views.RELOADED),
          Map.entry("top", Views.TOP));

  private ListingHelp() {}

  /** Adds them to those commands that are there. */
  static void add(CommandLine root) {
    LISTINGS.forEach((command, listing) -> {
      CommandLine line = root;
      for (String word : command.split(" ")) {
        line = line.getSubcommands().get(word);
        if (line == null) {
          return;
        }
      }
      String names = String.join(", ", listing.ids(Format.table));
      line.getCommandSpec().usageMessage().footer("%nColumns:", names);
    });
  }
}
