package io.sluice.remoting.generator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The program that the build runs for each API: {@code SPEC-DIRECTORY API PACKAGE PREFIX
 * JAVA-DIRECTORY C-DIRECTORY}. Writes {@code PREFIXCall}, {@code PREFIXKinds} and {@code
 * PREFIXLibrary} in Java, and {@code API_calls.h}.
 */
public final class Generator {
  private Generator() {}

  /**
   * Generates.
   *
   * @throws SpecException for an error in the specification
   */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 6) {
      throw new IllegalArgumentException(
          "expected SPEC-DIRECTORY API PACKAGE PREFIX JAVA-DIRECTORY C-DIRECTORY");
    }
    Path specs = Path.of(arguments[0]);
    String api = arguments[1];
    String packageName = arguments[2];
    String prefix = arguments[3];
    Path java = Path.of(arguments[4]);
    CallSpec calls = CallSpec.read(specs.resolve(api + ".calls"));
    FunctionSpec functions = FunctionSpec.read(specs.resolve(api + ".functions"));
    CallsJava.calls(calls, packageName, prefix).writeTo(java);
    CallsJava.shapes(calls, packageName, prefix).writeTo(java);
    CallsJava.kinds(calls, packageName, prefix).writeTo(java);
    LibraryJava.of(functions, packageName, prefix + "Library").writeTo(java);
    Path c = Files.createDirectories(Path.of(arguments[5]));
    Files.writeString(c.resolve(api + "_calls.h"), CallsHeader.of(calls));
  }
}
