/** Client that attaches a process to a guest socket over vfio-user. */
module io.sluice.guest {
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires transitive io.sluice.abi;

  exports io.sluice.guest;
}
