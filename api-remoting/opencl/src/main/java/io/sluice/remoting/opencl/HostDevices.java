package io.sluice.remoting.opencl;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The platforms of this host with their devices.
 *
 * @param platforms in the order in which the loader gives them; never one that is a session itself
 * @param turnNames of all devices, by handle: what guests take turns at
 */
record HostDevices(List<Platform> platforms, Map<Long, String> turnNames) {
  private static final int MOST_PLATFORMS = 16;
  private static final int MOST_DEVICES = 64;

  /** The name of all processors. */
  private static final String PROCESSORS = "processors";

  private static final long DEVICE_TYPE_CPU = 2;

  /** Of what says which implementations there are. */
  private static final int MOST_CHARACTERS = 1000;

  /** The beginning of the name of our own platforms, as applications see them. */
  private static final String OWN = "Sluice";

  /** A platform and the handles of its devices. */
  record Platform(long handle, String name, List<Long> devices) {}

  static HostDevices find() {
    List<Platform> platforms = new ArrayList<>();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment handles = arena.allocate(ValueLayout.JAVA_LONG, MOST_PLATFORMS);
      MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
      int status = OpenClLibrary.clGetPlatformIDs(MOST_PLATFORMS, handles, count);
      int found = status == 0 ? Math.min(MOST_PLATFORMS, count.get(ValueLayout.JAVA_INT, 0)) : 0;
      for (int i = 0; i < found; i++) {
        long handle = handles.getAtIndex(ValueLayout.JAVA_LONG, i);
        String name =
            text(
                arena,
                (size, out) ->
                    OpenClLibrary.clGetPlatformInfo(
                        handle, ClParam.PLATFORM_NAME, size, out, MemorySegment.NULL));
        if (!name.startsWith(OWN)) {
          platforms.add(new Platform(handle, name, devices(arena, handle)));
        }
      }
    }
    return new HostDevices(List.copyOf(platforms), Map.copyOf(turnNames(platforms)));
  }

  private static List<Long> devices(Arena arena, long platform) {
    MemorySegment handles = arena.allocate(ValueLayout.JAVA_LONG, MOST_DEVICES);
    MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
    int status =
        OpenClLibrary.clGetDeviceIDs(
            platform, ClParam.DEVICE_TYPE_ALL, MOST_DEVICES, handles, count);
    int found = status == 0 ? Math.min(MOST_DEVICES, count.get(ValueLayout.JAVA_INT, 0)) : 0;
    List<Long> devices = new ArrayList<>();
    for (int i = 0; i < found; i++) {
      devices.add(handles.getAtIndex(ValueLayout.JAVA_LONG, i));
    }
    return List.copyOf(devices);
  }

  /** The names of all devices, each behind its platform's. */
  List<String> names() {
    List<String> names = new ArrayList<>();
    try (Arena arena = Arena.ofConfined()) {
      for (Platform platform : platforms) {
        for (long device : platform.devices()) {
          names.add(
              platform.name()
                  + ": "
                  + text(
                      arena,
                      (size, out) ->
                          OpenClLibrary.clGetDeviceInfo(
                              device, ClParam.DEVICE_NAME, size, out, MemorySegment.NULL)));
        }
      }
    }
    return names;
  }

  /**
   * Names of the devices that guests take turns at, in order. Processors are one, whichever
   * implementation has them; other devices are told apart by their names, and by their place among
   * those of the same name.
   */
  List<String> turns() {
    return new TreeSet<>(turnNames.values()).stream().limit(MOST_DEVICES).toList();
  }

  /** The number of a device's turn. */
  int turnOf(long device) {
    int place = turns().indexOf(turnNames.get(device));
    return place < 0 ? MOST_DEVICES - 1 : place;
  }

  /** Whether all devices are this host's processors. */
  boolean areProcessors() {
    return turnNames.values().stream().allMatch(PROCESSORS::equals);
  }

  /** Whether a device is this host's processors. */
  boolean areProcessors(long device) {
    return PROCESSORS.equals(turnNames.get(device));
  }

  private static Map<Long, String> turnNames(List<Platform> platforms) {
    Map<Long, String> names = new HashMap<>();
    try (Arena arena = Arena.ofConfined()) {
      for (Platform platform : platforms) {
        Map<String, Integer> places = new HashMap<>();
        for (long device : platform.devices()) {
          String name = deviceText(arena, device, ClParam.DEVICE_NAME);
          names.put(
              device,
              isProcessor(arena, device)
                  ? PROCESSORS
                  : name + " " + places.merge(name, 1, Integer::sum));
        }
      }
    }
    return names;
  }

  private static boolean isProcessor(Arena arena, long device) {
    MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
    int status =
        OpenClLibrary.clGetDeviceInfo(
            device, ClParam.DEVICE_TYPE, Long.BYTES, out, MemorySegment.NULL);
    return status == 0 && (out.get(ValueLayout.JAVA_LONG, 0) & DEVICE_TYPE_CPU) != 0;
  }

  /** The name of a device. */
  String nameOf(long device) {
    try (Arena arena = Arena.ofConfined()) {
      return deviceText(arena, device, ClParam.DEVICE_NAME);
    }
  }

  /** Platforms, devices and their drivers' versions: equal ones take one another's binaries. */
  String implementation() {
    StringBuilder text = new StringBuilder();
    try (Arena arena = Arena.ofConfined()) {
      for (Platform platform : platforms) {
        text.append(platform.name());
        for (long device : platform.devices()) {
          text.append(", ").append(deviceText(arena, device, ClParam.DEVICE_NAME));
          text.append(' ').append(deviceText(arena, device, ClParam.DRIVER_VERSION));
        }
        text.append("; ");
      }
    }
    return text.substring(0, Math.min(text.length(), MOST_CHARACTERS));
  }

  private static String deviceText(Arena arena, long device, int param) {
    return text(
        arena,
        (size, out) -> OpenClLibrary.clGetDeviceInfo(device, param, size, out, MemorySegment.NULL));
  }

  /** The local memory of the device that has most. */
  long mostLocalBytes() {
    long most = 0;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
      for (Platform platform : platforms) {
        for (long device : platform.devices()) {
          int status =
              OpenClLibrary.clGetDeviceInfo(
                  device, ClParam.DEVICE_LOCAL_MEM_SIZE, Long.BYTES, out, MemorySegment.NULL);
          most = status == 0 ? Math.max(most, out.get(ValueLayout.JAVA_LONG, 0)) : most;
        }
      }
    }
    return most;
  }

  /** A query whose answer is text. */
  private interface TextQuery {
    int ask(long size, MemorySegment out);
  }

  private static String text(Arena arena, TextQuery query) {
    MemorySegment out = arena.allocate(256);
    return query.ask(out.byteSize() - 1, out) == 0 ? out.getString(0) : "unknown";
  }
}
