package io.sluice.management;

/** A file that a guest or a session was written to, by what it begins and ends with. */
@Description(
    "A file that a guest or a session was written to, by what it begins and ends with. Whether it is undamaged shows when it is restored.")
public record CheckpointView(
    @Description("its whole path") String file,
    @Description("machine, process or session; unknown when it is cut off before that") String kind,
    @Description("the guest that was written; empty of a session") String guest,
    @Description("video memory that the guest held") long videoBytes,
    @Description("its length") long sizeBytes,
    @Description("when it was last written to, since 1970") long writtenMs,
    @Description(
            "complete, or incomplete: it is being written, or was left when that was cut off; the name of such a file ends with .partial")
        String state) {
  /** It has its end. */
  public static final String COMPLETE = "complete";

  /** It has not. */
  public static final String INCOMPLETE = "incomplete";
}
