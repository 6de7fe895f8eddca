package io.sluice.testbed.machine.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.install.PlainHost.Ended;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The machine of docs/getting-started.md, typed as it stands there, on a host that has our package:
 * but for what the reader's machine has besides. Here that is a Debian which has booted without our
 * module, and which DKMS builds it in.
 */
@Tag("long")
@TakesLong("a host is made, and a machine compiles there under emulation")
final class MachineWalkTest {
  /**
   * In the machine: the host's root directory, read-only, becomes one that may be written to; apt
   * takes a yes for typed.
   */
  private static final String BECOME_DEBIAN =
      """
      set -e
      mkdir /above /debian
      mount -t tmpfs -o mode=755 above /above
      mkdir /above/upper /above/work
      mount -t overlay -o lowerdir=/share,upperdir=/above/upper,workdir=/above/work debian /debian
      for part in proc sys dev; do
        mount --rbind /$part /debian/$part
      done
      cp -r /walk /debian/walk
      echo 'APT::Get::Assume-Yes "true";' >/debian/etc/apt/apt.conf.d/90walk
      chroot /debian env HOME=/root PATH=/usr/sbin:/usr/bin LC_ALL=C.UTF-8 sh -eu -c '
        cd /walk
        . ./walk.sh'
      """;

  private static final String SERVICE =
      """
      install -d -o sluice -g sluice /run/sluice
      setpriv --reuid sluice --regid sluice --init-groups sluiced >/tmp/sluiced.log 2>&1 &
      tries=0
      until sluicectl daemon status >/tmp/awaited 2>&1; do
        tries=$((tries + 1))
        [ "$tries" -lt 60 ] || { cat /tmp/awaited /tmp/sluiced.log; exit 1; }
        sleep 1
      done
      """;

  @Test
  void walk_machine_doesWhatThePageSays(@TempDir Path directory) throws Exception {
    Optional<MachineEnvironment> environment = MachineEnvironment.find();
    assumeTrue(environment.isPresent(), MachineEnvironment.absence());
    List<String> walk = Walk.part(3, 4);
    assertThat(walk.get(1)).startsWith("machine=\"").hasLineCount(1);
    PlainHost host = PlainHost.withLibvirt(directory);
    Path script = Files.writeString(directory.resolve("walk.sh"), walk.get(3));
    Path begin = Files.writeString(directory.resolve("become-debian"), BECOME_DEBIAN);
    Path deb = host.deb("sluice-guest");
    Path image =
        environment
            .orElseThrow()
            .image(
                List.of(
                    "--no-module",
                    "--kmod",
                    "overlay",
                    "--add",
                    script + ":/walk/walk.sh",
                    "--add",
                    deb + ":/walk/" + deb.getFileName(),
                    "--add",
                    begin + ":/bin/become-debian"));
    Files.copy(image.resolve("initrd"), directory.resolve("initrd"));
    String kernel = Files.readString(image.resolve("kernel")).strip();
    String machine =
        """
        machine='-accel tcg,thread=multi -cpu max -smp 2 -display none -serial stdio -no-reboot
          -kernel /usr/lib/modules/%s/vmlinux -initrd %s
          -append "console=ttyS0 quiet panic=-1 no_timer_check sluice.share=debian:/share sluice.run=\\"sh /bin/become-debian\\""
          -fsdev local,id=debian,path=%s,security_model=none,readonly=on,multidevs=remap
          -device virtio-9p-pci,fsdev=debian,mount_tag=debian'
        """
            .formatted(kernel, directory.resolve("initrd"), host.root());

    Ended ended =
        host.run(
            "dpkg -i "
                + host.deb("sluice")
                + "\n"
                + SERVICE
                + walk.get(0)
                + machine.replace("\n  ", " ")
                + walk.get(2)
                + "sluicectl guest list\n",
            host.root());

    assertThat(ended.code()).as(ended.said()).isZero();
    assertThat(ended.said()).contains("SLUICE-BOOTED " + kernel, "example: ok", "SLUICE-EXIT 0");
  }
}
