package io.sluice.testbed.demo;

/** The parts of the demo, in order, with their headings. */
enum DemoPart {
  HOST("A host gets a GPU to share"),
  MACHINE("A machine gets a part of it"),
  COPY("Two programs copy through the GPU"),
  PROCESS_COPY("A process copies through the GPU"),
  COMPUTE("Programs compute on the GPU"),
  OPENCL("Programs that know nothing of Sluice use it by OpenCL"),
  MOVE("The machine moves to another host, its programs at work");

  private final String heading;

  DemoPart(String heading) {
    this.heading = heading;
  }

  String heading() {
    return heading;
  }
}
