package io.sluice.testbed.machine.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.install.PlainHost.Ended;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A machine of a real libvirt, whose QEMU is another user's than the daemon, on a host that has our
 * package: defined as {@code guest xml --domain} prints it, at work, suspended, written to a file,
 * destroyed, and made again of that file.
 */
@Tag("long")
@TakesLong("a host with libvirt is made, and a machine boots on it")
final class LibvirtMachineTest {
  /** The parts of the script; a tick is a computation of the machine that was right. */
  private static final String BEGIN =
      """
      await() {
        tries=0
        until "$@" >/tmp/awaited 2>&1; do
          tries=$((tries + 1))
          [ "$tries" -lt 300 ] || { echo "never: $*"; cat /tmp/awaited /tmp/sluiced.log /tmp/serial-*; exit 1; }
          sleep 1
        done
      }
      ticks() { grep -c tick "/tmp/serial-$1" || :; }
      has_ticks() { [ "$(ticks "$1")" -ge "$2" ]; }
      works() { await has_ticks "$1" $(($(ticks "$1") + 2)); }
      machine() {
        sluicectl guest xml --domain --memory 256MiB "$@" | sed '
          s/type="kvm"/type="qemu"/
          s:hvm</type>:&<kernel>'"$kernel"'</kernel><initrd>/srv/initrd</initrd>:
          s:</initrd>:&<cmdline>console=ttyS0 quiet panic=-1 no_timer_check sluice.run="'"$run"'"</cmdline>:
          s:<console type="pty"/>:<serial type="file"><source path="/tmp/serial-'"$1"'"/></serial>:' >"/tmp/$1.xml"
      }
      run='while copytest; do echo tick; done'
      adduser --quiet libvirt-qemu sluice-guest
      printf '[gpu.embedded]\nvram = "256MiB"\n[[guest]]\nname = "web-01"\n[[guest]]\nname = "web-02"\n' \
        >/etc/sluice/conf.d/guests.toml
      install -d -o sluice -g sluice /run/sluice
      (umask 077 && exec setpriv --reuid sluice --regid sluice --init-groups sluiced) >/tmp/sluiced.log 2>&1 &
      await sluicectl daemon status
      virtlogd -d
      libvirtd -d
      await virsh version
      """;

  private static final String MACHINE =
      """
      machine web-01
      virsh define --validate /tmp/web-01.xml
      virsh start web-01
      test "$(stat -c %U /run/sluice/machines/web-01.qmp)" = libvirt-qemu
      works web-01
      sluicectl guest list | grep 'web-01 *running'
      sluicectl daemon check | grep 'ok *monitor of web-01'
      virsh suspend web-01
      before=$(ticks web-01)
      sleep 5
      test "$(ticks web-01)" = "$before"
      virsh resume web-01
      works web-01
      """;

  /** Another member of the guests' group. */
  private static final String STRANGER =
      """
      stranger() { setpriv --reuid nobody --regid sluice-guest --clear-groups "$@"; }
      stranger perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0); connect(S, sockaddr_un(shift)) or die "$!\n"' \
        /run/sluice/machines/web-01.qmp && exit 1
      stranger rm -f /run/sluice/machines/web-01.qmp && exit 1
      """;

  private static final String FILE =
      """
      sluicectl guest checkpoint web-01 /var/lib/sluice/checkpoints/web
      works web-01
      virsh destroy web-01
      await sh -c "sluicectl guest list | grep 'web-01 *waiting'"
      machine web-02 --incoming
      virsh create --paused /tmp/web-02.xml
      sluicectl guest restore web-02 /var/lib/sluice/checkpoints/web
      await sh -c 'virsh domstate web-02 | grep running'
      works web-02
      virsh destroy web-02
      grep -E 'SLUICE-EXIT|FAILED' /tmp/serial-web-01 /tmp/serial-web-02 && exit 1
      echo "all was right"
      """;

  @Test
  void machine_ofAnotherUsersLibvirt_computesIsSuspendedAndMadeAgainOfAFile(@TempDir Path directory)
      throws Exception {
    Optional<MachineEnvironment> environment = MachineEnvironment.find();
    assumeTrue(environment.isPresent(), MachineEnvironment.absence());
    PlainHost host = PlainHost.withLibvirt(directory);
    Path image = environment.orElseThrow().image();
    Files.copy(image.resolve("initrd"), directory.resolve("initrd"));
    String kernel = Files.readString(image.resolve("kernel")).strip();

    Ended ended =
        host.run(
            "dpkg -i %s\ncp %s /srv/initrd\nkernel=/usr/lib/modules/%s/vmlinux\n"
                    .formatted(host.deb("sluice"), directory.resolve("initrd"), kernel)
                + BEGIN
                + MACHINE
                + STRANGER
                + FILE);

    assertThat(ended.code()).as(ended.said()).isZero();
    assertThat(ended.said())
        .contains("Permission denied", "Operation not permitted", "all was right");
  }
}
