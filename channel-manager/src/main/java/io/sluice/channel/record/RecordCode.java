package io.sluice.channel.record;

import io.sluice.abi.ErrorEntry;
import io.sluice.abi.ErrorText;

/** The errors of state records, which migrations and checkpoints carry. */
enum RecordCode implements ErrorEntry {
  // spotless:off
  NAMELESS("SLU-REC-001", "A section has no id or no version.", "The data are damaged, or no state of Sluice.", "Migrate again, or use another checkpoint."),
  TOO_LONG("SLU-REC-002", "A section is longer than any may be.", "The data are damaged, or no state of Sluice.", "Migrate again, or use another checkpoint."),
  CUT_OFF("SLU-REC-003", "A section is cut off.", "The data end too early.", "Migrate again, or use another checkpoint."),
  DAMAGED("SLU-REC-004", "A section's checksum is wrong.", "The data were changed on their way or on disk.", "Check the disk or the link; migrate again, or use another checkpoint."),
  IMPOSSIBLE("SLU-REC-005", "A record holds what none can.", "The peer is faulty or hostile, or the data are damaged.", "Report it with the message, which names the rule."),
  RECORD_CUT_OFF("SLU-REC-006", "A record is shorter than its version has it.", "The peer is faulty, or the data are damaged.", "Bring both daemons to the same version."),
  RECORD_TOO_LONG("SLU-REC-007", "A record is longer than its version has it.", "The peer is faulty, or the data are damaged.", "Bring both daemons to the same version."),
  UNKNOWN_LAYOUT("SLU-REC-008", "A record's kind or version is not known.", "It was written by a newer daemon.", "Bring this daemon to the version of the one that wrote it."),
  NO_END("SLU-REC-009", "A snapshot has no end.", "The data end too early.", "Migrate again, or use another checkpoint.");
  // spotless:on

  private final ErrorText text;

  RecordCode(String code, String meaning, String cause, String remedy) {
    text = new ErrorText(code, meaning, cause, remedy);
  }

  @Override
  public ErrorText text() {
    return text;
  }
}
