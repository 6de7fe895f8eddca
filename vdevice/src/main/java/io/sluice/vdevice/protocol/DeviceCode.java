package io.sluice.vdevice.protocol;

import io.sluice.abi.ErrorEntry;
import io.sluice.abi.ErrorText;

/** The errors of the virtual device and its client. */
public enum DeviceCode implements ErrorEntry {
  // spotless:off
  VERSION("SLU-VFU-001", "The client's version message cannot be used.", "It is of another version of vfio-user, or malformed.", "See \"VERSION\" in docs/vfio-user.md."),
  MALFORMED("SLU-VFU-002", "A message of the client is malformed.", "The message says how.", "Report it to the client's maker."),
  DIRTY_PAGES("SLU-VFU-003", "The client uses DIRTY_PAGES, which the protocol does not have any more.", "It is old.", "Use a newer client."),
  UNMAP_BITMAP("SLU-VFU-004", "The client wants a dirty bitmap with an unmap.", "The device does not offer that.", "Use the features of DMA logging instead."),
  NO_FEATURE("SLU-VFU-005", "The client asks for a device feature that is not offered.", "Clients may probe; this is an answer.", "Nothing."),
  NO_MIGRATION("SLU-VFU-006", "Migration by the protocol is not offered.", "The GPU or the configuration does not allow it.", "Migrate with sluicectl migration start."),
  NO_REGION("SLU-VFU-007", "The device has no region of that index.", "The client is faulty.", "Report it to the client's maker."),
  NOT_NEGOTIATED("SLU-VFU-008", "The client has not negotiated a version yet.", "Its memory was asked for too early.", "Try again."),
  NOBODY("SLU-VFU-009", "Nobody is attached to the guest.", "Its client has left.", "Attach it, and try again."),
  SESSION("SLU-VFU-010", "A device's session cannot be taken over.", "The other daemon is faulty or of another version.", "Bring both daemons to the same version."),
  NO_TAKEOVER("SLU-VFU-011", "Clients cannot be taken over here.", "The guest's GPU does not allow it.", "Choose another destination."),
  NO_CLIENT("SLU-VFU-013", "There is no client that could be handed over.", "It has left.", "Attach it, and try again."),
  WITHIN_MESSAGE("SLU-VFU-014", "The client is within a message, and does not end it.", "It is stopped, or hostile.", "Try again."),
  OCCUPIED("SLU-VFU-015", "The guest has a client already.", "Two cannot be attached.", "Detach that one first."),
  NO_SUCH_STATE("SLU-VFU-020", "The client asks for a migration state that there is none of.", "It is faulty.", "Report it to the client's maker."),
  NO_WAY("SLU-VFU-021", "There is no way from one migration state to the other.", "The client is faulty.", "Report it to the client's maker."),
  STILL_WORKS("SLU-VFU-022", "A channel's work does not end, so that the device cannot stop.", "A kernel runs for long.", "Ask again, or end what runs."),
  NO_DATA("SLU-VFU-023", "The client reads migration data in a state that has none.", "It is faulty.", "Report it to the client's maker."),
  TAKES_NO_DATA("SLU-VFU-024", "The client writes migration data in a state that takes none.", "It is faulty.", "Report it to the client's maker."),
  DMA_LOG("SLU-VFU-025", "A request to log the device's writes cannot be done.", "The message says why.", "Report it to the client's maker."),
  FEATURE("SLU-VFU-026", "A request for a device feature is malformed.", "The message says how.", "Report it to the client's maker."),
  UNCLOSED("SLU-VFU-027", "A client's descriptors cannot be closed.", "A socket lingers, or a file system does not answer.", "End what keeps them."),
  SESSIONS_OPEN("SLU-VFU-028", "The guest has API sessions, which its device alone cannot take along.", "A program in it uses OpenCL, and its client, or a process, is to move the device without them.", "End the programs that use it, or migrate the machine by the daemon."),
  INTERRUPT("SLU-IRQ-001", "A request about interrupts is malformed.", "The message says how.", "Report it to the client's maker."),
  NO_MASK("SLU-IRQ-002", "The client masks a vector by message.", "MSI-X vectors are masked in the device's table.", "Report it to the client's maker."),
  CALL("SLU-CAL-001", "A call of the guest's driver cannot be done.", "It is malformed, or of a newer ABI; the message says which.", "Bring the guest's driver and the daemon to the same version."),
  STATE("SLU-REC-020", "The state of a virtual device is damaged.", "The data were changed, or are of another version.", "Migrate again, or use another checkpoint.");
  // spotless:on

  private final ErrorText text;

  DeviceCode(String code, String meaning, String cause, String remedy) {
    text = new ErrorText(code, meaning, cause, remedy);
  }

  @Override
  public ErrorText text() {
    return text;
  }
}
