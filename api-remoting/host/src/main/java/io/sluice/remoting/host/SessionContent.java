package io.sluice.remoting.host;

import io.sluice.remoting.session.ObjectKind;
import io.sluice.remoting.session.RemotedApi;
import io.sluice.remoting.session.Session;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The content of a session at one moment.
 *
 * @param api such as {@code opencl}; empty while the application has not said
 * @param device name of the device it uses, or of several; empty for none
 * @param objects how many it has, by kind: {@code context}, {@code buffer}, {@code program}
 * @param memoryBytes memory of its objects
 * @param calls taken so far
 * @param deviceNs time that devices have worked for it
 * @param ties what may keep it from moving, by name: why
 */
record SessionContent(
    String api,
    String device,
    Map<String, Long> objects,
    long memoryBytes,
    long calls,
    long deviceNs,
    Map<String, String> ties) {
  /** Of a session just now. */
  static SessionContent of(RemotedApi api, Session session, String devices) {
    List<ObjectKind> kinds = api.kinds();
    List<Integer> counts = session.objectCounts();
    Map<String, Long> objects = new LinkedHashMap<>();
    for (int i = 0; i < kinds.size(); i++) {
      if (counts.get(i) > 0) {
        objects.put(kinds.get(i).name(), (long) counts.get(i));
      }
    }
    return new SessionContent(
        api.name(),
        devices,
        objects,
        session.chargedBytes(),
        session.calls(),
        session.deviceNs(),
        session.ties());
  }

  /** Of a session that has nothing yet. */
  static final SessionContent NONE = new SessionContent("", "", Map.of(), 0, 0, 0, Map.of());
}
