package io.sluice.remoting.generator;

import java.util.List;

/**
 * A function of the library that executes an API's calls.
 *
 * @param result its size
 * @param optional a library may lack it
 */
record LibraryFunction(Size result, String name, boolean optional, List<Argument> arguments) {
  /** The sizes of arguments and results. */
  enum Size {
    INT,
    LONG,
    /** An object of the library's own: 64 bits that only the library reads. */
    HANDLE,
    PTR
  }

  /** An argument. */
  record Argument(Size size, String name) {}
}
