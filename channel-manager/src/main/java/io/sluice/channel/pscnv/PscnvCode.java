package io.sluice.channel.pscnv;

import io.sluice.abi.ErrorEntry;
import io.sluice.abi.ErrorText;

/** The errors of the backend for pscnv's interface. */
enum PscnvCode implements ErrorEntry {
  // spotless:off
  REFUSED("SLU-GPU-001", "The GPU's driver refused a call.", "The message names the call and the errno.", "See the kernel's log; on the embedded GPU, the arguments."),
  NOT_FERMI("SLU-GPU-002", "The GPU is not of the Fermi family.", "pscnv drives others too, Sluice does not.", "Configure a GPU of the GF100 family, or the embedded one."),
  NOT_PSCNV("SLU-GPU-003", "The driver does not know a parameter that pscnv has.", "The node belongs to another driver.", "Check which driver owns the node that the configuration names."),
  NO_CHANNELS("SLU-GPU-004", "The guest has all the channels that a guest can have.", "It does not close them.", "Close some."),
  NO_ROOM("SLU-GPU-005", "There is no room in an address space.", "The range asked for is full, or the buffer larger than it.", "Unmap some, or give a larger range."),
  NOT_MAPPED("SLU-GPU-006", "Nothing is mapped at that address.", "It was unmapped, or never mapped.", "A fault of the guest's program or driver."),
  UNSUPPORTED("SLU-GPU-007", "pscnv cannot do an operation.", "A real card's driver lacks the embedded GPU's extensions.", "Use the embedded GPU, or do without."),
  NO_TAKEOVER("SLU-GPU-008", "The GPU cannot take over the memory of a process that comes.", "It is not the embedded GPU, or not configured with memory of its own.", "Choose a destination with the embedded GPU."),
  NO_VRAM_FILE("SLU-GPU-009", "A process comes without the file of its video memory.", "The other daemon is faulty or of another version.", "Bring both daemons to the same version.");
  // spotless:on

  private final ErrorText text;

  PscnvCode(String code, String meaning, String cause, String remedy) {
    text = new ErrorText(code, meaning, cause, remedy);
  }

  @Override
  public ErrorText text() {
    return text;
  }
}
