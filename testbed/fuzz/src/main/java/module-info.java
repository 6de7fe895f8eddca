/** The fuzz targets of all modules, and what runs them in turn. */
module io.sluice.testbed.fuzz {
  requires static org.jspecify;
}
