package io.sluice.testbed.machine.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.HostCertificates;
import io.sluice.testbed.machine.install.PlainHost.Ended;
import io.sluice.testbed.machine.support.CPrograms;
import io.sluice.testbed.workloads.Kernels;
import io.sluice.testbed.workloads.cubin.Cubin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The Debian packages on a host that has no Java: installed, used, upgraded, removed, without
 * systemd and under it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TakesLong("packages are made, and installed on a host of its own for each test")
final class PackageTest {
  /** What scripts have in common. */
  private static final String BEGIN =
      """
      files() {
        find / -xdev \\( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /var/log \\
          -o -path /var/lib/dpkg -o -path /var/cache/debconf -o -path '/etc/*-' \\) -prune -o -print | sort
      }
      await() {
        tries=0
        until "$@" >/tmp/awaited 2>&1; do
          tries=$((tries + 1))
          [ "$tries" -lt 60 ] || { cat /tmp/awaited; exit 1; }
          sleep 1
        done
      }
      start() {
        install -d -o sluice -g sluice /run/sluice
        setpriv --reuid sluice --regid sluice --init-groups sluiced >/tmp/sluiced.log 2>&1 &
        daemon=$!
        await sluicectl daemon status
      }
      """;

  private static final Path HOME = Path.of(System.getProperty("sluice.home", "../.."));

  private PlainHost host;
  private Path directory;
  private CPrograms programs;

  @BeforeAll
  void make(@TempDir Path directory) throws Exception {
    this.directory = directory;
    host = PlainHost.withPackages(directory);
    programs = CPrograms.build(directory, "mmul", "once");
    Files.write(directory.resolve("mmul.cubin"), Cubin.write(Kernels.file("mmul")));
  }

  private String install() throws Exception {
    return BEGIN + "dpkg -i " + host.deb("sluice") + "\n";
  }

  /** A process guest that computes and compares. */
  private String computation(String socket) {
    return "SLUICE_DEVICE=%s %s --size 64 --cubin %s --wait poll\n"
        .formatted(socket, programs.path("mmul"), directory.resolve("mmul.cubin"));
  }

  private static void assertRight(Ended ended) {
    assertThat(ended.code()).as(ended.said()).isZero();
  }

  @Test
  void host_withThePackage_hasTheProgramsAndNoOtherNeeds() throws Exception {
    Ended ended =
        host.run(
            install()
                + """
                ! command -v java
                sluiced --version
                sluiced --check-config
                sluicectl --version
                test "$(stat -c %U:%G:%a /var/lib/sluice)" = sluice:sluice:700
                id -nG sluice | grep -w sluice-guest
                test -s /var/cache/sluice/sluicectl.aot
                test "$(cat /var/lib/dpkg/info/sluice.conffiles)" = /etc/sluice/sluice.toml
                for page in man8/sluiced.8 man1/sluicectl.1 man5/sluice.toml.5; do
                  zgrep -q '^.SH NAME' /usr/share/man/$page.gz
                done
                bash -uc '. /usr/share/bash-completion/completions/sluicectl; complete -p sluicectl'
                java=/usr/lib/sluice/java/lib
                ! LD_LIBRARY_PATH=$java:$java/server find /usr/lib/sluice -name '*.so' -exec ldd {} + | grep 'not found'
                dpkg --verify sluice
                dpkg --audit
                """);

    assertRight(ended);
    assertThat(ended.said()).contains("configuration is right: /etc/sluice/sluice.toml");
  }

  /** What sluicectl starts fast by is made by a daemon; here something else runs in its place. */
  private static String daemonForTheCache(String script) {
    return """
    mkdir -p /usr/local/bin
    printf '#!/bin/sh\\n%%s\\n' '%s' >/usr/local/bin/sluiced
    chmod 755 /usr/local/bin/sluiced
    """
        .formatted(script);
  }

  @Test
  void installation_withoutATemporaryDirectory_makesTheCacheByTheDaemonsUser() throws Exception {
    Ended ended =
        host.run(
            daemonForTheCache("id -un >/run/who/name; exec /usr/bin/sluiced \"$@\"")
                + install()
                    .replace("dpkg -i", "install -d -m 777 /run/who\nTMPDIR=/nowhere dpkg -i")
                + """
                test "$(cat /run/who/name)" = sluice
                test "$(stat -c %U:%G:%a /var/cache/sluice/sluicectl.aot)" = root:root:644
                test "$(ls -A /var/cache/sluice)" = sluicectl.aot
                test -z "$(find /proc -maxdepth 1 -user sluice)"
                """);

    assertRight(ended);
    assertThat(ended.said()).doesNotContain("no AOT cache");
  }

  /** No directory for it, a daemon that fails, one that neither serves nor ends. */
  @ParameterizedTest
  @ValueSource(strings = {"", "exit 1", "trap \"\" TERM; while sleep 1; do :; done"})
  void installation_withoutACache_succeedsAndLeavesNothingOfIt(String daemon) throws Exception {
    String obstacle = daemon.isEmpty() ? ": >/var/cache/sluice\n" : daemonForTheCache(daemon);

    Ended ended =
        host.run(
            obstacle
                + install()
                + """
                rm -f /usr/local/bin/sluiced
                sluicectl version
                test ! -d /var/cache/sluice || test -z "$(ls -A /var/cache/sluice)"
                test -z "$(find /proc -maxdepth 1 -user sluice)"
                test -z "$(dpkg --audit)"
                """);

    assertRight(ended);
    assertThat(ended.said()).containsOnlyOnce("sluice: no AOT cache, sluicectl starts slower");
  }

  @Test
  void sluicectl_withAnotherCache_saysNothingOfIt() throws Exception {
    Ended ended =
        host.run(
            install()
                + """
                sluicectl version >/tmp/with 2>&1
                rm /var/cache/sluice/sluicectl.aot
                sluicectl version >/tmp/without 2>&1
                echo rubbish >/var/cache/sluice/sluicectl.aot
                sluicectl version >/tmp/rubbish 2>&1
                cmp /tmp/with /tmp/without
                cmp /tmp/with /tmp/rubbish
                """);

    assertRight(ended);
  }

  /** The libraries that are asked about certificates have much to tell. */
  @Test
  void sluiced_checkOfCertificates_printsNothingOfLibraries() throws Exception {
    Path files = Files.createDirectory(directory.resolve("certificates"));
    Path authority = Files.createDirectory(directory.resolve("authority"));
    new HostCertificates(authority).issue("kvm-a", files);
    Path configuration = directory.resolve("certificates.toml");
    Files.writeString(configuration, HostCertificates.configuration(files, "127.0.0.1:7443"));

    Ended ended =
        host.run(
            install()
                + """
                sluiced --check-config --config %s >/tmp/said 2>&1
                grep 'configuration is right' /tmp/said
                ! grep -v -E '^(configuration|warning:|  fix:)' /tmp/said
                """
                    .formatted(configuration));

    assertRight(ended);
  }

  /** What the JVM takes from the cache, and what it would have to load and to verify. */
  @Test
  void sluicectl_ofADaemonThatRuns_hasItsClassesFromTheCache() throws Exception {
    Ended ended =
        host.run(
            install()
                + """
                start
                SLUICE_JAVA_OPTS=-Xlog:class+load sluicectl guest list >/tmp/classes
                sluicectl daemon stop
                wait "$daemon" || test $? = 143
                for class in picocli.CommandLine javax.management.remote.rmi.RMIConnector \\
                  io.sluice.sluicectl.GuestCommand io.sluice.management.local.LocalConnection; do
                  grep -q "$class source: shared objects file" /tmp/classes
                done
                ! grep ' picocli[.].* source: ' /tmp/classes | grep -v 'source: shared objects file'
                """);

    assertRight(ended);
  }

  @Test
  void daemon_installed_servesAProcessThatComputes() throws Exception {
    Ended ended =
        host.run(
            install()
                + """
                start
                sluicectl guest create web-01
                test "$(stat -c %U:%G:%a /run/sluice/web-01.sock)" = sluice:sluice-guest:660
                """
                + computation("/run/sluice/web-01.sock")
                + """
                sluicectl guest list
                sluicectl daemon stop
                wait "$daemon" || test $? = 143
                """);

    assertRight(ended);
    assertThat(ended.said()).contains("mmul: ok").containsPattern("web-01 +\\S+ +embedded");
  }

  @Test
  void upgrade_withAChangedConfiguration_keepsItAndTheState() throws Exception {
    Ended ended =
        host.run(
            install()
                + """
                printf '[[guest]]\\nname = "mine"\\n' >>/etc/sluice/sluice.toml
                start
                sluicectl guest create web-01
                cd /tmp
                """
                + newer()
                + """
                dpkg -i newer.deb </dev/null
                grep mine /etc/sluice/sluice.toml
                sluicectl guest list
                sluicectl daemon stop
                wait "$daemon" || test $? = 143
                start
                sluicectl guest show web-01
                sluicectl guest show mine
                dpkg -i %s </dev/null
                """
                    .formatted(host.deb("sluice")));

    assertRight(ended);
    assertThat(ended.said()).contains("mine").contains("web-01");
  }

  private static final Pattern STEPS =
      Pattern.compile("(?s)### While guests are attached\n.*?```sh\n(.*?)```");

  /** The same program was submitting all the time, each piece of its work ran once. */
  @Test
  void upgrade_underAProcessThatWorks_byThePage_leavesItGoing() throws Exception {
    Matcher steps = STEPS.matcher(Files.readString(HOME.resolve("docs/installation.md")));
    assertThat(steps.find()).isTrue();

    Ended ended =
        host.runBooted(
            install()
                + """
                await sluicectl daemon status
                printf '[[guest]]\\nname = "web-01"\\n' >/etc/sluice/conf.d/guests.toml
                sluicectl daemon reload
                first=$(systemctl show -P MainPID sluiced)
                SLUICE_DEVICE=/run/sluice/web-01.sock %s --until /tmp/end 600 >/tmp/once.log 2>&1 &
                once=$!
                await grep '^once: [1-9]' /tmp/once.log
                cd /tmp
                """
                    .formatted(programs.path("once"))
                + newer()
                + steps
                    .group(1)
                    .replace("apt-get install ./sluice_NEWER_amd64.deb", "dpkg -i newer.deb")
                + """
                test "$(systemctl show -P MainPID sluiced)" != "$first"
                ! systemctl is-active sluiced-other
                sluicectl guest list
                seen=$(grep -c '^once: [1-9]' /tmp/once.log)
                goes_on() { [ "$(grep -c '^once: [1-9]' /tmp/once.log)" -gt "$seen" ]; }
                await goes_on
                touch /tmp/end
                wait "$once"
                tail -n 1 /tmp/once.log
                """);

    assertRight(ended);
    assertThat(ended.said())
        .containsPattern("web-01 +running .* once, pid")
        .containsPattern("once: ok [1-9]");
  }

  /** Makes a package of a higher version, newer.deb, of the same. */
  private String newer() throws IOException {
    return """
    dpkg-deb -R %s newer
    sed -i 's/^Version: .*/&+1/' newer/DEBIAN/control
    dpkg-deb --root-owner-group -Zgzip -z1 -b newer newer.deb
    """
        .formatted(host.deb("sluice"));
  }

  @Test
  void purge_afterUse_leavesNothing() throws Exception {
    Ended ended =
        host.run(
            install().replace("dpkg -i", "files >/tmp/before\ndpkg -i")
                + """
                start
                sluicectl guest create web-01
                sluicectl daemon stop
                wait "$daemon" || test $? = 143
                dpkg -r sluice
                test -e /etc/sluice/sluice.toml
                test ! -e /var/cache/sluice
                dpkg -P sluice
                files >/tmp/after
                diff /tmp/before /tmp/after
                ! getent passwd sluice
                ! getent group sluice sluice-guest
                test ! -e /run/sluice
                """);

    assertRight(ended);
  }

  @Test
  void service_underSystemd_startsServesAndStops() throws Exception {
    Ended ended =
        host.runBooted(
            install()
                + """
                await sluicectl daemon status
                test "$(systemctl show -P ActiveState sluiced)" = active
                test "$(systemctl show -P NotifyAccess sluiced)" = main
                systemctl is-enabled sluiced
                systemctl show -P Documentation sluiced | grep -w 'man:sluiced(8)'
                printf '[[guest]]\\nname = "web-01"\\n' >/etc/sluice/conf.d/guests.toml
                touch /run/sluice/machines/monitor
                systemctl restart sluiced
                test -e /run/sluice/machines/monitor
                sluicectl guest list
                """
                + computation("/run/sluice/web-01.sock")
                + """
                before=$(systemctl show -P MainPID sluiced)
                dpkg -i %s
                test "$(systemctl show -P MainPID sluiced)" = "$before"
                systemctl stop sluiced
                test "$(systemctl show -P Result sluiced)" = success
                test ! -e /run/sluice
                systemctl start sluiced
                dpkg -r sluice
                ! systemctl is-active sluiced
                dpkg -i %s
                systemctl is-active sluiced
                dpkg -P sluice
                ! systemctl is-active sluiced
                """
                    .formatted(host.deb("sluice"), host.deb("sluice")));

    assertRight(ended);
    assertThat(ended.said())
        .contains("mmul: ok")
        .contains("restart sluiced.service when no machine is attached");
  }

  @Test
  void guestPackage_onAHost_buildsAProgramThatRuns() throws Exception {
    Path example = HOME.resolve("guest-driver-stubs/programs/example.c");
    Files.copy(example, directory.resolve("example.c"));
    Ended ended =
        host.run(
            install()
                + "dpkg -i "
                + host.deb("sluice-guest")
                + "\n"
                + "gcc $(pkg-config --cflags sluice) -o /tmp/example "
                + directory.resolve("example.c")
                + " $(pkg-config --libs sluice)\n"
                + """
                start
                sluicectl guest create web-01
                /tmp/example /run/sluice/web-01.sock
                test -e /usr/src/sluice-*/dkms.conf
                dpkg -P sluice-guest
                test -z "$(ls /usr/src)"
                """);

    assertRight(ended);
    assertThat(ended.said()).contains("example: ok");
  }

  /**
   * As a loader of OpenCL opens a driver; without a guest's socket or device it has no platform.
   */
  private static final String LOADER =
      """
      #include <dlfcn.h>
      #include <stdio.h>
      int main(int count, char **values)
      {
        void *library = dlopen(values[1], RTLD_NOW);
        void *(*extension)(const char *) = library ? dlsym(library, "clGetExtensionFunctionAddress") : 0;
        int (*platforms)(unsigned, void **, unsigned *) = extension ? extension("clIcdGetPlatformIDsKHR") : 0;
        unsigned found;
        if (!platforms)
          return puts(dlerror()), 1;
        return platforms(0, 0, &found) != -1001;
      }
      """;

  @Test
  void guestPackage_alone_hasWhatOpenClAndCudaProgramsNeed() throws Exception {
    Files.writeString(directory.resolve("loader.c"), LOADER);
    Ended ended =
        host.run(
            BEGIN
                + "dpkg -i "
                + host.deb("sluice-guest")
                + "\n"
                + "gcc -o /tmp/loader "
                + directory.resolve("loader.c")
                + "\n"
                + """
                /tmp/loader "$(cat /etc/OpenCL/vendors/sluice.icd)"
                code=0; sluice-cuda-run -- true || code=$?
                test $code = 64
                code=0; sluice-cuda-run --socket /nowhere -- true || code=$?
                test $code = 69
                code=0; sluice-cuda-run --socket /dev/null -- sh -c 'echo "preloaded: $LD_PRELOAD"' || code=$?
                test $code = 0
                """);

    assertRight(ended);
    assertThat(ended.said())
        .contains("there is no /dev/sluice-api0")
        .contains("preloaded: /usr/lib/sluice-guest/libsluice-cuda.so");
  }
}
