package io.sluice.channel;

import io.sluice.abi.ErrorEntry;
import io.sluice.abi.ErrorText;

/** The errors of a guest's calls about its channels and memory. */
public enum ChannelCode implements ErrorEntry {
  // spotless:off
  NO_CHANNEL("SLU-CHN-001", "The guest has no channel of that number.", "The channel was closed, or never made.", "A fault of the guest's program or driver."),
  NO_ADDRESS_SPACE("SLU-CHN-002", "The guest has no address space of that number.", "It was closed, or never made.", "A fault of the guest's program or driver."),
  NO_MEMORY("SLU-CHN-003", "The guest has no buffer of that handle.", "It was freed, or never allocated.", "A fault of the guest's program or driver."),
  INVALID("SLU-CHN-004", "A call of the guest has an argument out of range.", "The message says which.", "A fault of the guest's program or driver."),
  TABLE_FULL("SLU-CHN-005", "The guest has as many objects of a kind as a guest can have, or no more of the daemon's heap for them.", "It does not free what it makes.", "Have the guest free some."),
  OUT_OF_MEMORY("SLU-CHN-006", "There is no memory for a buffer.", "The GPU is full, or the guest is at its limit.", "Free some, or raise the guest's limit: sluicectl quota show."),
  BUSY("SLU-CHN-007", "An object is in use.", "The message says what uses it.", "End that use, and try again."),
  CLOSED("SLU-CHN-008", "The guest is gone.", "It was detached while the call was on its way.", "Nothing; attach it again if that was not meant."),
  CAPABILITY("SLU-CHN-009", "The GPU lacks a capability that the operation needs.", "The message names it; GPUs differ.", "Use a GPU that has it: sluicectl gpu list."),
  DRIVER("SLU-CHN-010", "The GPU refused a guest's call.", "The message and its errno say why.", "See the message; the daemon's log has the GPU's own error."),
  OVER_LIMIT("SLU-CHN-011", "The guest has as many objects of a kind as its configuration allows.", "It needs more than it was given, or does not free.", "Free some, or raise the guest's limit in the configuration."),
  KEPT_FOR_OTHERS("SLU-CHN-012", "The last free objects of a kind are kept for guests that have none.", "All guests together hold nearly all of the GPU's.", "Free some, in this guest or another."),
  NO_CONTROL_FILE("SLU-CHN-013", "The GPU's control pages cannot be given to a guest.", "They are not one file: a card driven by pscnv.", "Give the guest another GPU: docs/adr/0005-no-guests-on-pscnv-cards.md.");
  // spotless:on

  private final ErrorText text;

  ChannelCode(String code, String meaning, String cause, String remedy) {
    text = new ErrorText(code, meaning, cause, remedy);
  }

  @Override
  public ErrorText text() {
    return text;
  }
}
