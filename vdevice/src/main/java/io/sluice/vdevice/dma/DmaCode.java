package io.sluice.vdevice.dma;

import io.sluice.abi.ErrorEntry;
import io.sluice.abi.ErrorText;

/** The errors of memory that a client shares. */
public enum DmaCode implements ErrorEntry {
  // spotless:off
  NOT_A_FILE("SLU-DMA-001", "The shared memory is not a regular file.", "The client passed something else.", "Give the machine its memory with -object memory-backend-memfd,share=on."),
  FILE_SYSTEM("SLU-DMA-002", "The shared memory is not on tmpfs or hugetlbfs.", "The client shares a file of a disk.", "Give the machine its memory with -object memory-backend-memfd,share=on."),
  TOO_SHORT("SLU-DMA-003", "The file is shorter than the map.", "The client is faulty or hostile.", "Report it to the client's maker."),
  CAN_SHRINK("SLU-DMA-004", "The file can shrink and cannot be sealed.", "It was made without sealing, or sealed against seals.", "Give the machine its memory with -object memory-backend-memfd,share=on."),
  UNALIGNED_FILE("SLU-DMA-005", "A map's offset in its file is not on a page.", "The client is faulty.", "Report it to the client's maker."),
  TOO_MANY("SLU-DMA-006", "The client has too many maps.", "Each range of the machine's memory is one.", "Give the machine its memory in fewer ranges."),
  OVERLAP("SLU-DMA-007", "A map overlaps another.", "The client is faulty.", "Report it to the client's maker."),
  CUT("SLU-DMA-008", "An unmap would cut a map in two.", "The client is faulty; the protocol wants whole maps.", "Report it to the client's maker."),
  FAULT("SLU-DMA-009", "Guest memory faults.", "The client's file was cut short, or its host has no page to give.", "See to the host's memory and its huge pages."),
  NOT_PAGES("SLU-DMA-010", "A range is not of whole pages.", "The client or the guest's driver is faulty.", "Report it to its maker."),
  WRAPS("SLU-DMA-011", "A range wraps around the end of the address space.", "The client or the guest's driver is faulty or hostile.", "Report it to its maker."),
  NOT_SHARED("SLU-DMA-012", "There is no shared guest memory at an address.", "The machine's memory is not shared, or the guest named another address.", "Give the machine its memory with -object memory-backend-memfd,share=on."),
  MESSAGE("SLU-DMA-013", "The client refused an access to memory that it does not share.", "The message has its errno.", "See the client's log."),
  BUDGET("SLU-DMA-014", "The client maps more than its guest may.", "A limit of the guest's configuration is reached; the message says which.", "See \"[[guest]]\" in docs/configuration.md."),
  NOT_SEALABLE("SLU-DMA-015", "The shared memory is no file that can be sealed.", "It is not a file in memory.", "Give the machine its memory with -object memory-backend-memfd,share=on.");
  // spotless:on

  private final ErrorText text;

  DmaCode(String code, String meaning, String cause, String remedy) {
    text = new ErrorText(code, meaning, cause, remedy);
  }

  @Override
  public ErrorText text() {
    return text;
  }
}
