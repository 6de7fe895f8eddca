package io.sluice.abi.sys;

/**
 * The process at the other end of a UNIX socket, by {@code SO_PEERCRED}.
 *
 * @param pid process id when it connected
 * @param uid effective user id
 * @param gid effective group id
 */
public record PeerCredentials(int pid, int uid, int gid) {}
