/** OpenCL sessions: the binding of libOpenCL, and the meaning of a session's calls. */
module io.sluice.remoting.opencl {
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires org.slf4j;
  requires transitive io.sluice.remoting.session;

  exports io.sluice.remoting.opencl;
}
