package io.sluice.management;

/** A difference between the configuration that the daemon runs on and the one it has read anew. */
@Description(
    "A difference between the configuration that the daemon runs on and the one it has read anew.")
public record ReloadedSetting(
    @Description("dotted, such as log.level, or guest.NAME for a whole guest") String setting,
    @Description("as it was; empty for none") String before,
    @Description("as it is in the file now; empty for none") String after,
    @Description("now, next start, kept or failed") String effect,
    @Description("why it has not taken effect; empty when it has") String reason) {
  /** It has taken effect. */
  public static final String NOW = "now";

  /** It takes effect when the daemon is started again. */
  public static final String NEXT_START = "next start";

  /** An operator has said something else at run time, which stands. */
  public static final String KEPT = "kept";

  /** It cannot take effect; what was before stands. */
  public static final String FAILED = "failed";
}
