package io.sluice.management.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rule of who may control the daemon: the user it runs as, root, and members of one group if
 * that is configured. The mode of the socket says the same to the kernel; this check does not
 * depend on it.
 */
public final class PeerPolicy {
  private static final Path GROUPS = Path.of("/etc/group");
  private static final Path SELF = Path.of("/proc/self");

  private final UserPrincipal owner;
  private final UserPrincipal root;
  private final @Nullable GroupPrincipal group;
  private final Path groups;

  /**
   * @param groups the group database, in the form of {@code /etc/group}
   */
  PeerPolicy(UserPrincipal owner, UserPrincipal root, @Nullable GroupPrincipal group, Path groups) {
    this.owner = owner;
    this.root = root;
    this.group = group;
    this.groups = groups;
  }

  /** The user that runs this process, and root. */
  public static PeerPolicy owner() {
    try {
      return new PeerPolicy(self(), user("root"), null, GROUPS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Also the members of a group: those whose group it is when they connect, and those that {@code
   * /etc/group} lists.
   *
   * @throws IOException when no group has that name
   */
  public static PeerPolicy group(String name) throws IOException {
    GroupPrincipal group = lookup().lookupPrincipalByGroupName(name);
    return new PeerPolicy(self(), user("root"), group, GROUPS);
  }

  /** The group that may, besides owner and root. */
  Optional<GroupPrincipal> group() {
    return Optional.ofNullable(group);
  }

  boolean permits(Peer peer) {
    return peer.user().equals(owner)
        || peer.user().equals(root)
        || (group != null && (peer.group().equals(group) || isListed(peer, group)));
  }

  /** What to say to one who may not. */
  String refusal(Peer peer) {
    return "you are "
        + peer
        + "; permitted are user "
        + owner.getName()
        + ", root"
        + (group == null ? "" : " and members of group " + group.getName());
  }

  private boolean isListed(Peer peer, GroupPrincipal wanted) {
    List<String> lines;
    try {
      lines = Files.readAllLines(groups);
    } catch (IOException _) {
      return false; // no list, nobody is in it
    }
    return lines.stream()
        .map(line -> line.split(":", -1))
        .filter(fields -> fields.length == 4 && fields[0].equals(wanted.getName()))
        .flatMap(fields -> Arrays.stream(fields[3].split(",")))
        .anyMatch(member -> member.equals(peer.user().getName()));
  }

  /** The effective user of this process. */
  private static UserPrincipal self() throws IOException {
    return Files.getOwner(SELF);
  }

  private static UserPrincipal user(String name) throws IOException {
    return lookup().lookupPrincipalByName(name);
  }

  private static UserPrincipalLookupService lookup() {
    return FileSystems.getDefault().getUserPrincipalLookupService();
  }
}
