package io.sluice.remoting.control;

import java.io.IOException;

/** A message that the rules of the control link do not allow: the link is of no use any more. */
public final class LinkException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param what with {@code name=value} context
   */
  public LinkException(String what) {
    super(what);
  }
}
