package io.sluice.migrate.engine;

import io.sluice.abi.ErrorEntry;
import io.sluice.abi.FieldReader;
import io.sluice.abi.FieldWriter;
import io.sluice.abi.SluiceException;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationCode;

/**
 * The reason why a migration was given up.
 *
 * @param code stable code
 * @param what what happened
 * @param remedy what to do about it; may be empty
 */
public record Reason(String code, String what, String remedy) {
  private static final int MAX_TEXT_BYTES = 4096;
  private static final Reason UNFORESEEN =
      new Reason(
          MigrationCode.UNFORESEEN,
          "something failed that nobody foresaw",
          "See this daemon's log, which has all of it.");

  /** A reason of one of our errors. */
  public Reason(ErrorEntry error, String what, String remedy) {
    this(error.code(), what, remedy);
  }

  public static Reason of(SluiceException e) {
    return new Reason(e.code(), e.what(), e.remedy());
  }

  /**
   * A reason of what nobody foresaw: a host that has nothing left, or a fault of ours. Throws
   * nothing, whatever is left.
   */
  public static Reason unforeseen(Throwable cause) {
    try {
      return new Reason(
          MigrationCode.UNFORESEEN, UNFORESEEN.what() + ": " + cause, UNFORESEEN.remedy());
    } catch (RuntimeException | Error _) {
      return UNFORESEEN;
    }
  }

  Frame encode() {
    FieldWriter out = new FieldWriter();
    write(out);
    return Payload.frame(FrameType.ABORT, out);
  }

  void write(FieldWriter out) {
    out.text(code).text(cut(what)).text(cut(remedy));
  }

  static Reason decode(Frame frame) {
    FieldReader in = Payload.reader(frame);
    Reason reason = read(in);
    in.end();
    // None at all is how this side says of a copy that it is complete: no peer is to say that.
    return reason.code().isEmpty()
        ? new Reason(MigrationCode.UNFORESEEN, reason.what(), reason.remedy())
        : reason;
  }

  static Reason read(FieldReader in) {
    return new Reason(in.text(MAX_TEXT_BYTES), in.text(MAX_TEXT_BYTES), in.text(MAX_TEXT_BYTES));
  }

  private static String cut(String text) {
    return text.length() > MAX_TEXT_BYTES / 4 ? text.substring(0, MAX_TEXT_BYTES / 4) : text;
  }

  @Override
  public String toString() {
    return what + (remedy.isEmpty() ? "" : " " + remedy);
  }
}
