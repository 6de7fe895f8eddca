package io.sluice.remoting.generator;

/** A line of a specification, to be named in errors. */
record SpecLine(String file, int number, String text) {
  SpecException error(String what) {
    return new SpecException(file + ":" + number + ": " + what + ": " + text);
  }
}
