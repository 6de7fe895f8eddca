package io.sluice.remoting.host;

import java.util.Map;

/**
 * The content of a session at one moment.
 *
 * @param api such as {@code opencl}; empty while the application has not said
 * @param device name of the device it uses, or of several; empty for none
 * @param objects how many it has, by kind: {@code context}, {@code buffer}, {@code program}
 * @param memoryBytes memory of its objects
 * @param calls taken so far
 */
record SessionContent(
    String api, String device, Map<String, Long> objects, long memoryBytes, long calls) {
  /** Of a session that has nothing yet. */
  static final SessionContent NONE = new SessionContent("", "", Map.of(), 0, 0);
}
