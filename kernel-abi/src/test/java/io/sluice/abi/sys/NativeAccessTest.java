package io.sluice.abi.sys;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.RefusedException;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Starts a Java of its own, since native access cannot be taken back from this one. */
final class NativeAccessTest {
  /** The program that is started: prints what {@link RealKernel#create} says. */
  public static void main(String[] arguments) {
    try {
      RealKernel.create();
      System.out.println("created");
    } catch (RefusedException refused) {
      System.out.println(refused.code() + ": " + refused.remedy());
    }
  }

  private static String run(String... options) throws IOException, InterruptedException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String path =
        locationOf(RealKernel.class) + File.pathSeparator + locationOf(NativeAccessTest.class);
    ProcessBuilder builder = new ProcessBuilder(java);
    builder.command().addAll(List.of(options));
    builder.command().addAll(List.of("-cp", path, NativeAccessTest.class.getName()));
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes());
    process.waitFor();
    return output.strip();
  }

  /** The test's classes lie beside those of the module, whose location is the one both have. */
  private static String locationOf(Class<?> type) {
    try {
      Path classes =
          Path.of(RealKernel.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      return (type == RealKernel.class ? classes : classes.resolveSibling("test-classes"))
          .toString();
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void create_withoutTheOption_namesIt() throws IOException, InterruptedException {
    assertThat(run()).isEqualTo("SLU-SYS-003: start Java with --enable-native-access=ALL-UNNAMED");
  }

  @Test
  void create_withTheOption_works() throws IOException, InterruptedException {
    assertThat(run("--enable-native-access=ALL-UNNAMED")).isEqualTo("created");
  }
}
