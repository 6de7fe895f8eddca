package io.sluice.management;

/** A need of the daemon of its host, looked at once. */
@Description("A need of the daemon of its host, looked at once.")
public record HostCheckView(
    @Description("what was looked at, such as kvm or certificate") String subject,
    @Description("ok, warning or failure") String result,
    @Description("what was found") String found,
    @Description("what to do about it; empty when nothing is to be done") String remedy) {
  /** It is as it must be. */
  public static final String OK = "ok";

  /** Something will not work, or not for long. */
  public static final String WARNING = "warning";

  /** The daemon cannot do what its configuration says. */
  public static final String FAILURE = "failure";
}
