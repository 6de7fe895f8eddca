package io.sluice.testbed.machine;

import java.util.List;

/** A main class of ours, as what follows the JVM's own options on a command line. */
public final class JavaProgram {
  /** Set where the jars are not all there, so that they are no modules: the bundle. */
  private static final String ON_CLASS_PATH = "sluice.classpath";

  private JavaProgram() {}

  /** The program, found where we were found. */
  public static List<String> of(String module, String mainClass) {
    String classPath = System.getProperty("java.class.path");
    return Boolean.getBoolean(ON_CLASS_PATH)
        ? List.of(
            "-D" + ON_CLASS_PATH + "=true", // for what it starts itself
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            classPath,
            mainClass)
        : List.of(
            "--module-path",
            System.getProperty("jdk.module.path", classPath),
            "--module",
            module + "/" + mainClass);
  }
}
