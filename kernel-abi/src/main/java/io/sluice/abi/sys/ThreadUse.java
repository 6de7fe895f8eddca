package io.sluice.abi.sys;

/**
 * The use that a thread has made of the host until now ({@code getrusage(RUSAGE_THREAD)}).
 *
 * @param pageFaults times it touched a page that was not there, or not as it wanted it
 * @param sleeps times it gave its processor up by itself, since it had to wait for something
 * @param preemptions times the processor was taken from it for others
 */
public record ThreadUse(long pageFaults, long sleeps, long preemptions) {
  /** Of a thread that has used nothing, or of which nothing is known. */
  public static final ThreadUse NONE = new ThreadUse(0, 0, 0);

  /**
   * Whether it was without its processor since an earlier time only because it slept, and met pages
   * that were not there.
   */
  public boolean sleptForAPageSince(ThreadUse before) {
    return pageFaults > before.pageFaults
        && sleeps > before.sleeps
        && preemptions == before.preemptions;
  }
}
