package io.sluice.channel.nvidia.rm;

import io.sluice.abi.ErrorEntry;
import io.sluice.abi.ErrorText;

/** The errors of the backend for NVIDIA GPUs. */
enum RmCode implements ErrorEntry {
  // spotless:off
  NO_VERSION("SLU-RM-002", "The NVIDIA driver names no version of itself.", "It is not the driver that the daemon knows.", "Install a version that docs/architecture.md allows."),
  NO_CARD("SLU-RM-003", "The NVIDIA driver has no such card.", "The configuration names a card that is not there.", "Configure one of the cards that the message names."),
  REFUSED("SLU-RM-004", "The driver's resource manager refused a call.", "The message names the call and its status.", "See the kernel's log (NVRM, Xid)."),
  NOT_HOPPER("SLU-RM-005", "The GPU is not of the Hopper family.", "The backend needs engines that it lacks; the message names one.", "Configure an H100, H200 or GH200, or the embedded GPU."),
  UNSUPPORTED("SLU-RM-006", "The backend cannot do an operation.", "It was asked without regard to the GPU's capabilities.", "Report it: the caller should have asked first."),
  NO_ROOM("SLU-RM-007", "There is no room for an object on the GPU.", "A table of the backend, or the GPU's address space, is full.", "Free channels or buffers."),
  INVALID("SLU-RM-008", "An argument cannot be used with this GPU.", "The message says which.", "A fault of the guest's program or driver."),
  NOT_THERE("SLU-RM-009", "Nothing is mapped or known there.", "The guest named an address or object that does not exist.", "A fault of the guest's program or driver."),
  NO_CLASS("SLU-RM-010", "The GPU has no class or engine that is needed.", "It is of another model, or its engines are all taken.", "Use a GPU that has it."),
  BUSY("SLU-RM-011", "A channel or buffer is in use.", "The message says by what.", "End that use, and try again."),
  CLOSED("SLU-RM-012", "The GPU was closed.", "The daemon is stopping.", "Nothing."),
  MONITOR_STUCK("SLU-RM-013", "The monitor channel did not finish in time.", "The GPU hangs, or had an error.", "See the kernel's log for errors of the GPU (Xid)."),
  NO_STATE("SLU-RM-014", "The bytes are no state of a channel.", "The data are damaged, or of another backend.", "Migrate again, or use another checkpoint."),
  NOT_BACK("SLU-RM-015", "A buffer could not be mapped again where it was.", "The driver refused the address after the buffer had moved.", "See the kernel's log; the guest's channel ends."),
  RING_IN_VIDEO_MEMORY("SLU-RM-016", "A ring in video memory cannot be taken back.", "No CPU reaches it.", "Have the guest keep its ring in its own memory; the channel runs on, but does not move.");
  // spotless:on

  private final ErrorText text;

  RmCode(String code, String meaning, String cause, String remedy) {
    text = new ErrorText(code, meaning, cause, remedy);
  }

  @Override
  public ErrorText text() {
    return text;
  }
}
