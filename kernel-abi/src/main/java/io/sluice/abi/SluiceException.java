package io.sluice.abi;

import java.util.Locale;

/**
 * The report of Sluice when something the caller asked for did not happen.
 *
 * <p>Every error says what failed, why, what to do about it, and carries a stable code such as
 * {@code SLU-DMA-003} that documentation and scripts may rely on. Faults of a guest are answers to
 * that guest and never reach this hierarchy; bugs are {@link AssertionError}.
 */
public abstract sealed class SluiceException extends RuntimeException
    permits SyscallException, RefusedException {

  /** The reaction that is asked of the caller. */
  public enum Category {
    /** The component that raised it cannot go on. */
    FATAL,
    /** The operation failed; the component goes on. */
    ERROR,
    /** The operation succeeded in part or will be retried. */
    WARN
  }

  private static final long serialVersionUID = 1L;

  private final String code;
  private final Category category;
  private final String what;
  private final String remedy;

  /**
   * @param code stable code, {@code SLU-<area>-<three digits>}
   * @param category how the caller should react
   * @param what what failed and why, with {@code name=value} context
   * @param remedy one sentence that says what to do; empty when nothing can be done
   */
  protected SluiceException(String code, Category category, String what, String remedy) {
    super(String.format(Locale.ROOT, "%s [%s]", what, code));
    this.code = code;
    this.category = category;
    this.what = what;
    this.remedy = remedy;
  }

  /** The stable code, {@code SLU-<area>-<three digits>}. */
  public final String code() {
    return code;
  }

  /** How the caller should react. */
  public final Category category() {
    return category;
  }

  /** What failed and why: the message without the code. */
  public final String what() {
    return what;
  }

  /** What to do about it; empty when nothing can be done. */
  public final String remedy() {
    return remedy;
  }
}
