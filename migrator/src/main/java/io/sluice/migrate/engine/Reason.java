package io.sluice.migrate.engine;

import io.sluice.abi.ErrorEntry;
import io.sluice.abi.FieldReader;
import io.sluice.abi.FieldWriter;
import io.sluice.abi.SluiceException;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;

/**
 * The reason why a migration was given up.
 *
 * @param code stable code
 * @param what what happened
 * @param remedy what to do about it; may be empty
 */
public record Reason(String code, String what, String remedy) {
  private static final int MAX_TEXT_BYTES = 4096;

  /** A reason of one of our errors. */
  public Reason(ErrorEntry error, String what, String remedy) {
    this(error.code(), what, remedy);
  }

  public static Reason of(SluiceException e) {
    return new Reason(e.code(), e.what(), e.remedy());
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
    return reason;
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
