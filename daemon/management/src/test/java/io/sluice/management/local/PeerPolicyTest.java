package io.sluice.management.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PeerPolicyTest {
  @TempDir private Path dir;

  @Test
  void permits_stranger_refusesAndSaysWhoMay() throws IOException {
    PeerPolicy policy = new PeerPolicy(user("daemon"), user("root"), null, dir.resolve("none"));
    Peer stranger = new Peer(user("nobody"), group("nogroup"));

    assertThat(policy.permits(stranger)).isFalse();
    assertThat(policy.refusal(stranger))
        .isEqualTo("you are user nobody, group nogroup; permitted are user daemon, root");
  }

  @Test
  void permits_memberOfAnotherGroup_refuses() throws IOException {
    Path groups = Files.writeString(dir.resolve("group"), "mail:x:8:nobody\nsys:x:3:\nbroken\n");
    PeerPolicy policy = new PeerPolicy(user("daemon"), user("root"), group("sys"), groups);

    assertThat(policy.permits(new Peer(user("nobody"), group("nogroup")))).isFalse();
  }

  @Test
  void permits_missingGroupDatabase_refuses() throws IOException {
    PeerPolicy policy =
        new PeerPolicy(user("daemon"), user("root"), group("sys"), dir.resolve("none"));

    assertThat(policy.permits(new Peer(user("nobody"), group("nogroup")))).isFalse();
  }

  @Test
  void group_unknown_throws() {
    assertThatThrownBy(() -> PeerPolicy.group("no-such-group-here"))
        .isInstanceOf(UserPrincipalNotFoundException.class);
  }

  @Test
  void permits_ownerRootAndMembers_admits() throws IOException {
    Path groups = Files.writeString(dir.resolve("group"), "sys:x:3:bin,nobody\n");
    PeerPolicy policy = new PeerPolicy(user("daemon"), user("root"), group("sys"), groups);

    assertThat(policy.permits(new Peer(user("daemon"), group("nogroup")))).isTrue();
    assertThat(policy.permits(new Peer(user("root"), group("nogroup")))).isTrue();
    assertThat(policy.permits(new Peer(user("mail"), group("sys")))).isTrue();
    assertThat(policy.permits(new Peer(user("nobody"), group("nogroup")))).isTrue();
  }

  private static UserPrincipal user(String name) throws IOException {
    return FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByName(name);
  }

  private static GroupPrincipal group(String name) throws IOException {
    return FileSystems.getDefault()
        .getUserPrincipalLookupService()
        .lookupPrincipalByGroupName(name);
  }
}
