package io.sluice.channel.nvidia.relay;

import io.sluice.abi.ErrorEntry;
import io.sluice.abi.ErrorText;

/** The errors of the relay. */
enum RelayCode implements ErrorEntry {
  // spotless:off
  PROTOCOL("SLU-RLY-001", "A program's library broke the relay's protocol.", "It is not Sluice's, or of another version.", "Use the library of this version of Sluice."),
  TOO_MANY("SLU-RLY-002", "A program has more of something than it may.", "The message says of what.", "A fault of the program; or raise the guest's limit."),
  CLOSED("SLU-RLY-003", "The relay of a guest was closed.", "The guest is being removed, or the daemon is stopping.", "Nothing."),
  NO_NODE("SLU-RLY-004", "A device node of the NVIDIA driver is missing.", "CUDA programs need nvidiactl, the node of the card, and nvidia-uvm.", "Load nvidia-uvm (nvidia-modprobe -u -c 0), and start the daemon again."),
  NOT_LISTED("SLU-RLY-005", "A CUDA program made a call that the relay does not know.", "It is of a newer library of NVIDIA's, or does what no CUDA program does.", "Report it with the call that the message names, and the program's and the driver's versions."),
  NOT_SUSPENDED("SLU-RLY-006", "A CUDA program is not suspended; it goes on.", "The message says why: it does not come to rest, or has what cannot be made anew.", "Wait for its work, or give it more time: sluicectl program suspend --wait."),
  NOT_RESUMED("SLU-RLY-007", "A CUDA program is not resumed; nothing of it is lost.", "The message says why: most often there is not as much video memory left as it had.", "Make room on the card, and resume it again.");
  // spotless:on

  private final ErrorText text;

  RelayCode(String code, String meaning, String cause, String remedy) {
    text = new ErrorText(code, meaning, cause, remedy);
  }

  @Override
  public ErrorText text() {
    return text;
  }
}
