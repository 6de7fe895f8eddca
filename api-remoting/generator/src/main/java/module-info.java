/** The generator of both sides of a remoted API. */
module io.sluice.remoting.generator {
  requires static org.jspecify;
  requires java.compiler;
  requires com.palantir.javapoet;

  exports io.sluice.remoting.generator;
}
