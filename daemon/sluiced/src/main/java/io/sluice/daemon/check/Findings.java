package io.sluice.daemon.check;

import io.sluice.management.HostCheckView;
import io.sluice.management.Problem;
import java.util.ArrayList;
import java.util.List;

/** The findings of a look at the host, in the order in which things were looked at. */
final class Findings {
  private final List<HostCheckView> all = new ArrayList<>();

  void ok(String subject, String found) {
    all.add(new HostCheckView(subject, HostCheckView.OK, found, ""));
  }

  void warning(String subject, String found, String remedy) {
    all.add(new HostCheckView(subject, HostCheckView.WARNING, found, Problem.fix(remedy)));
  }

  void failure(String subject, String found, String remedy) {
    all.add(new HostCheckView(subject, HostCheckView.FAILURE, found, Problem.fix(remedy)));
  }

  List<HostCheckView> all() {
    return List.copyOf(all);
  }
}
