package io.sluice.remoting.generator;

/** An error in a specification: the file, the line and what is wrong. Ends the build. */
public final class SpecException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  SpecException(String message) {
    super(message);
  }
}
