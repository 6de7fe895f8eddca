package io.sluice.remoting.control;

import java.util.Map;

/**
 * A session at one moment.
 *
 * @param number unique among those of its guest
 * @param pid process of its application
 * @param uid user of its application
 * @param api such as {@code opencl}; empty while the application has not said
 * @param device name of the device it uses, or of several; empty for none
 * @param objects how many it has, by kind
 * @param memoryBytes memory of its objects
 * @param calls taken so far
 * @param deviceNs time that devices worked for it
 * @param sinceMs when it was opened, milliseconds since 1970
 * @param ties what may keep it from moving, by name: why
 */
public record SessionReport(
    long number,
    int pid,
    int uid,
    String api,
    String device,
    Map<String, Long> objects,
    long memoryBytes,
    long calls,
    long deviceNs,
    long sinceMs,
    Map<String, String> ties) {}
