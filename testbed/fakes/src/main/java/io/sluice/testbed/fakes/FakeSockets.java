package io.sluice.testbed.fakes;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.abi.sys.SocketKernel;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The sockets of a fake kernel: connected pairs, listeners by path, messages with descriptors. */
final class FakeSockets implements SocketKernel {
  private final CallGate gate;
  private final DescriptorTable descriptors;
  // Below is guarded by the gate.
  private final Map<Path, ListenerFile> listeners = new HashMap<>();
  private PeerCredentials self = new PeerCredentials(1000, 1000, 1000);

  FakeSockets(CallGate gate, DescriptorTable descriptors) {
    this.gate = gate;
    this.descriptors = descriptors;
  }

  /** What peers of connections made from now on are told of the other end. */
  void becomes(PeerCredentials credentials) {
    gate.locked(() -> self = credentials);
  }

  @Override
  public List<Fd> socketpair() {
    return gate.call(
        "socketpair",
        () -> {
          SocketEnd one = new SocketEnd(descriptors.nextInode(), self);
          SocketEnd other = new SocketEnd(descriptors.nextInode(), self);
          SocketEnd.connect(one, other);
          return List.of(descriptors.install(one), descriptors.install(other));
        });
  }

  @Override
  public Fd listen(Path path, int backlog) {
    return gate.call(
        "listen",
        () -> {
          if (listeners.containsKey(path)) {
            throw new SyscallException("bind", "path=" + path, Errno.EADDRINUSE.number());
          }
          ListenerFile listener =
              new ListenerFile(
                  path, descriptors.nextInode(), backlog, gone -> listeners.remove(gone.path));
          listeners.put(path, listener);
          return descriptors.install(listener);
        });
  }

  @Override
  public Fd accept(Fd listener) {
    return gate.call(
        "accept",
        () -> {
          OpenFile file = descriptors.file(listener, "accept4");
          if (!(file instanceof ListenerFile listening)) {
            throw file.failure("accept4", Errno.EINVAL);
          }
          SocketEnd server = listening.next();
          while (server == null) {
            if (listening.nonBlocking) {
              throw listening.failure("accept4", Errno.EAGAIN);
            }
            gate.await(Long.MAX_VALUE);
            descriptors.file(listener, "accept4");
            server = listening.next();
          }
          Fd accepted = descriptors.install(server);
          server.release(); // the descriptor holds it now, the queue no longer does
          return accepted;
        });
  }

  @Override
  public Fd connect(Path path) {
    return gate.call(
        "connect",
        () -> {
          ListenerFile listener = listeners.get(path);
          if (listener == null) {
            throw new SyscallException("connect", "path=" + path, Errno.ENOENT.number());
          }
          if (listener.isShut()) {
            throw new SyscallException("connect", "path=" + path, Errno.ECONNREFUSED.number());
          }
          if (!listener.hasRoom()) {
            throw new SyscallException("connect", "path=" + path, Errno.EAGAIN.number());
          }
          SocketEnd client = new SocketEnd(descriptors.nextInode(), self);
          SocketEnd server = new SocketEnd(descriptors.nextInode(), self);
          SocketEnd.connect(client, server);
          listener.enqueue(server);
          return descriptors.install(client);
        });
  }

  /** Nobody receives datagrams here. */
  @Override
  public Fd connectDatagram(String address) {
    return gate.call(
        "connect",
        () -> {
          throw new SyscallException("connect", "path=" + address, Errno.ENOENT.number());
        });
  }

  @Override
  public void sendmsg(Fd socket, MemorySegment data, List<Fd> fds) {
    if (data.byteSize() == 0 || fds.size() > MAX_MESSAGE_FDS) {
      throw new IllegalArgumentException(
          "at least one byte, at most 16 descriptors, fds=" + fds.size());
    }
    gate.run(
        "sendmsg",
        () -> {
          SocketEnd end = descriptors.socketEnd(socket, "sendmsg");
          List<OpenFile> files = new ArrayList<>();
          for (Fd fd : fds) {
            files.add(descriptors.file(fd, "sendmsg"));
          }
          long[] sent = {0};
          while (sent[0] < data.byteSize()) {
            // Never -1: also a non-blocking socket is waited for, as the seam says.
            sent[0] +=
                gate.untilPossible(
                    false, () -> end.send(data, sent[0], sent[0] == 0 ? files : List.of()));
          }
        });
  }

  @Override
  public long recvmsg(Fd socket, MemorySegment into, FdList fds) {
    if (into.byteSize() == 0) {
      throw new IllegalArgumentException("a message has at least one byte");
    }
    return gate.call(
        "recvmsg",
        () -> {
          SocketEnd end = descriptors.socketEnd(socket, "recvmsg");
          List<OpenFile> files = new ArrayList<>();
          long bytes = gate.untilPossible(end.nonBlocking, () -> end.receive(into, files));
          for (OpenFile file : files) {
            fds.add(descriptors.install(file));
            file.release(); // the descriptor holds it now, the message no longer does
          }
          return bytes;
        });
  }

  @Override
  public boolean isSocket(Fd fd) {
    return gate.call("isSocket", () -> descriptors.file(fd, "readlink") instanceof SocketEnd);
  }

  @Override
  public PeerCredentials peerCredentials(Fd socket) {
    return gate.call(
        "peerCredentials", () -> descriptors.socketEnd(socket, "getsockopt").peerCredentials);
  }

  /** There is no time here: nobody who receives is ever told that it is over. */
  @Override
  public void setReceiveTimeout(Fd socket, int timeoutMs) {
    gate.run(
        "setsockopt",
        () -> {
          SocketEnd _ = descriptors.socketEnd(socket, "setsockopt");
        });
  }

  @Override
  public void stopLingering(Fd fd) {
    gate.run(
        "setsockopt",
        () -> {
          OpenFile _ = descriptors.file(fd, "setsockopt");
        });
  }

  @Override
  public void shutdown(Fd socket) {
    gate.run(
        "shutdown",
        () -> {
          OpenFile file = descriptors.file(socket, "shutdown");
          if (file instanceof SocketEnd end) {
            end.shutdown();
          } else if (file instanceof ListenerFile listener) {
            listener.shutdown();
          } else {
            throw file.failure("shutdown", Errno.ENOTSOCK);
          }
        });
  }
}
