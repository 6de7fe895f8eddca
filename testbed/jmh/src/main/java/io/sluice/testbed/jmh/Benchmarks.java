package io.sluice.testbed.jmh;

/** The program behind {@code ./sluice bench jmh}: JMH with its own arguments. */
public final class Benchmarks {
  private Benchmarks() {}

  /** Runs JMH. */
  public static void main(String[] arguments) throws Exception {
    org.openjdk.jmh.Main.main(arguments);
  }
}
