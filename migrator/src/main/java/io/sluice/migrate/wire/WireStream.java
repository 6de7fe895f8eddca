package io.sluice.migrate.wire;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.EventLoop;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One stream of a link, over one connection after another. Frames are counted from 0 in each
 * direction, and kept until the peer has acknowledged them: on a new connection each side says how
 * many it has, and the other goes on from there.
 */
final class WireStream {
  /** Bytes kept for retransmission: what a cut can cost. */
  static final long WINDOW_BYTES = 8L << 20;

  /** Bytes that what was received and not yet polled holds, beyond which reading pauses. */
  static final long MAX_INCOMING_BYTES = 16L << 20;

  /**
   * Beyond this a link ends. What is read at one time goes on coming behind a pause, and a small
   * packed section may be a long frame; of an honest peer it is a window at most, or what the loop
   * reads at a time, in whole buffers.
   */
  static final long MOST_INCOMING_BYTES = 5 * MAX_INCOMING_BYTES;

  /** Of a frame, beside its payload: there may be many that have none. */
  static final int FRAME_BYTES = 128;

  /** Frames of a control stream that wait; a peer that lets more pile up is none. */
  private static final int MAX_FRAMES = 1 << 16;

  private final int number;
  private final WireLink link;
  private final ReentrantLock lock = new ReentrantLock();

  /** A frame that is not acknowledged. */
  private static final class Kept {
    final Frame frame;

    /** Writes of it that have not ended: a connection still reads its payload. */
    int writes;

    Kept(Frame frame) {
      this.frame = frame;
    }
  }

  @GuardedBy("lock")
  private final ArrayDeque<Kept> kept = new ArrayDeque<>();

  @GuardedBy("lock")
  private final ArrayDeque<Frame> incoming = new ArrayDeque<>();

  @GuardedBy("lock")
  private @Nullable Channel channel;

  @GuardedBy("lock")
  private long acknowledged;

  @GuardedBy("lock")
  private long written; // the next frame to write

  @GuardedBy("lock")
  private long everWritten; // the most that written ever was

  @GuardedBy("lock")
  private long received;

  @GuardedBy("lock")
  private long told; // the last count that was acknowledged to the peer

  @GuardedBy("lock")
  private long keptBytes;

  @GuardedBy("lock")
  private long incomingBytes;

  @GuardedBy("lock")
  private boolean paused;

  /** The link is over: what waits is counted no more, and nothing is added to it. */
  @GuardedBy("lock")
  private boolean ended;

  /** The last connection that this stream went over, also after its end. */
  @GuardedBy("lock")
  private @Nullable Channel latest;

  private final PeerTimeout silence;

  /** As {@link PeerTimeout} found it last. */
  private volatile long silenceNs;

  /**
   * @param nowNs of the loops' clock
   */
  WireStream(int number, WireLink link, long nowNs) {
    this.number = number;
    this.link = link;
    silence = new PeerTimeout(nowNs);
  }

  int number() {
    return number;
  }

  // ---- of the link's user ----

  /** Takes a frame; false when the window is full. */
  boolean offer(Frame frame, boolean always) {
    Channel current;
    lock.lock();
    try {
      if (!always && keptBytes >= WINDOW_BYTES || kept.size() >= MAX_FRAMES) {
        return false;
      }
      kept.add(new Kept(frame));
      keptBytes += frame.sizeBytes();
      current = channel;
    } finally {
      lock.unlock();
    }
    if (current != null) {
      current.eventLoop().execute(() -> pump(current));
    }
    return true;
  }

  @Nullable Frame poll() {
    lock.lock();
    try {
      Frame frame = incoming.poll();
      if (frame != null) {
        incomingBytes -= heldBytes(frame);
        if (!ended) {
          link.frames().incoming().release(heldBytes(frame));
        }
        Channel current = channel;
        if (paused && hasRoom(2) && current != null) {
          paused = false;
          current.config().setAutoRead(true);
        }
      }
      return frame;
    } finally {
      lock.unlock();
    }
  }

  /** What a frame holds while it waits: all of its buffer, however little is in it. */
  private static long heldBytes(Frame frame) {
    return FRAME_BYTES + frame.payload().capacity();
  }

  /**
   * Whether more may come, as far as this stream and all together are concerned.
   *
   * @param part of what is allowed is looked at: one over this
   */
  @GuardedBy("lock")
  private boolean hasRoom(int part) {
    return incomingBytes <= IncomingBudget.SHARE_BYTES / part
        || incomingBytes <= MAX_INCOMING_BYTES / part && !link.frames().incoming().isFull();
  }

  /** Bytes taken and not acknowledged. */
  long keptBytes() {
    lock.lock();
    try {
      return keptBytes;
    } finally {
      lock.unlock();
    }
  }

  /** For how long nothing has come, over whichever connection, or there was none. */
  long silenceNs() {
    return silenceNs;
  }

  /** Whether this side does not read just now, because it has not taken what came. */
  boolean isPaused() {
    lock.lock();
    try {
      return paused;
    } finally {
      lock.unlock();
    }
  }

  boolean isConnected() {
    lock.lock();
    try {
      return channel != null;
    } finally {
      lock.unlock();
    }
  }

  /** For tests: the event loop of its connection; null while there is none. */
  @Nullable EventLoop loop() {
    lock.lock();
    try {
      return channel == null ? null : channel.eventLoop();
    } finally {
      lock.unlock();
    }
  }

  /** Frames received; one that stands may bring more meanwhile. */
  long received() {
    lock.lock();
    try {
      return received;
    } finally {
      lock.unlock();
    }
  }

  // ---- of the connections' threads ----

  /**
   * Goes on over a connection.
   *
   * @param peerReceived what the peer says it has
   */
  void attach(Channel connection, long peerReceived) {
    long _ = takeOver(connection, peerReceived);
    pump(connection);
  }

  /**
   * As {@link #attach}, but writes nothing yet: the peer is to be told first where it goes on.
   * Nothing is taken from the former connection any more.
   *
   * @return frames received so far
   */
  long takeOver(Channel connection, long peerReceived) {
    Channel former;
    long count;
    lock.lock();
    try {
      if (peerReceived < acknowledged || peerReceived > everWritten) {
        throw WireFailure.protocol("it has received what was never sent, stream=" + number);
      }
      former = channel;
      channel = connection;
      latest = connection;
      // A new connection brings nothing that the former one was not to bring.
      paused = !hasRoom(1);
      if (paused) {
        connection.config().setAutoRead(false);
      }
      told = received;
      count = received;
      drop(peerReceived);
      written = peerReceived;
    } finally {
      lock.unlock();
    }
    if (former != null && former != connection) {
      former.close();
    }
    return count;
  }

  /** Something came: no silence is told of that ended just now. */
  void heard(Channel connection) {
    lock.lock();
    try {
      if (latest == connection) {
        silenceNs = 0;
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Whoever hears a connection has looked at the clock; also after its end, until there is another.
   *
   * @param heardNs when something came over it last
   * @return for how long nothing came; negative when another connection has taken its place
   */
  long look(Channel connection, long heardNs, long nowNs) {
    long found;
    lock.lock();
    try {
      if (latest != connection) {
        return -1;
      }
      found = silence.look(heardNs, nowNs);
      silenceNs = found;
    } finally {
      lock.unlock();
    }
    if (found > WireLoops.SAY_SOMETHING_NS) {
      link.wake();
    }
    return found;
  }

  /** The connection is gone; whether it was this stream's. */
  boolean detach(Channel connection) {
    lock.lock();
    try {
      if (channel != connection) {
        return false;
      }
      channel = null;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Writes what there is to write, as long as the connection takes it. */
  void pump(Channel connection) {
    boolean wrote = false;
    while (connection.isWritable()) {
      Kept next = next(connection);
      if (next == null) {
        break;
      }
      Frame frame = next.frame;
      var _ =
          connection
              .write(new WireSection(frame.type().number(), frame.version(), frame.payload()))
              .addListener(_ -> ended(next));
      wrote = true;
    }
    if (wrote) {
      connection.flush();
    }
  }

  private void ended(Kept frame) {
    lock.lock();
    try {
      frame.writes--;
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Kept next(Channel connection) {
    lock.lock();
    try {
      int index = (int) (written - acknowledged);
      if (channel != connection || index >= kept.size()) {
        return null;
      }
      Kept frame = at(index);
      frame.writes++;
      boolean again = written < everWritten;
      written++;
      everWritten = Math.max(everWritten, written);
      link.count(frame.frame.sizeBytes(), again);
      return frame;
    } finally {
      lock.unlock();
    }
  }

  /** The frame written next is near the end of a short window, or the walk is over soon. */
  @GuardedBy("lock")
  private Kept at(int index) {
    if (index == kept.size() - 1) {
      return kept.getLast();
    }
    Iterator<Kept> from = kept.iterator();
    for (int i = 0; i < index; i++) {
      from.next();
    }
    return from.next();
  }

  /** Takes a section that is a frame. */
  void take(Channel connection, WireSection section) {
    FrameType type = FrameType.of(section.id());
    if (type == null || section.version() == 0) {
      throw WireFailure.protocol(
          "a frame that nobody knows, id=0x" + Integer.toHexString(section.id()));
    }
    Frame frame = new Frame(type, section.version(), section.payload());
    lock.lock();
    try {
      if (channel != connection || ended) {
        return; // a former connection's: the new one brings it again; or nobody's
      }
      if (incoming.size() >= MAX_FRAMES || incomingBytes > MOST_INCOMING_BYTES) {
        throw WireFailure.protocol("too many frames at once, stream=" + number);
      }
      incoming.add(frame);
      incomingBytes += heldBytes(frame);
      link.frames().incoming().hold(heldBytes(frame));
      received++;
      if (!paused && !hasRoom(1)) {
        paused = true;
        connection.config().setAutoRead(false);
      }
    } finally {
      lock.unlock();
    }
    link.counted(frame.sizeBytes());
    link.wake();
  }

  /** Acknowledges what has come; with always, even when there is nothing new. */
  void acknowledge(Channel connection, boolean always) {
    long count;
    lock.lock();
    try {
      if (channel != connection || !always && told == received) {
        return;
      }
      told = received;
      count = received;
    } finally {
      lock.unlock();
    }
    var _ = connection.writeAndFlush(WireMessages.ack(count));
  }

  /** The peer has received so many frames. */
  void acknowledged(Channel connection, long count) {
    lock.lock();
    try {
      if (channel != connection) {
        return;
      }
      if (count < acknowledged || count > written) {
        throw WireFailure.protocol("it acknowledges what was not sent, stream=" + number);
      }
      drop(count);
    } finally {
      lock.unlock();
    }
    link.wake();
  }

  @GuardedBy("lock")
  private void drop(long count) {
    while (acknowledged < count) {
      Kept gone = kept.remove();
      keptBytes -= gone.frame.sizeBytes();
      acknowledged++;
      if (gone.writes == 0) {
        link.used(gone.frame);
      } // else a connection may still look at it
    }
  }

  /** Ends counting: what waits is whoever's who still takes it. */
  @GuardedBy("lock")
  private void end() {
    if (!ended) {
      ended = true;
      link.frames().incoming().release(incomingBytes);
    }
  }

  /** Forgets what has come, and takes no more. */
  void discard() {
    lock.lock();
    try {
      end();
      incoming.forEach(link::used);
      incoming.clear();
      incomingBytes = 0;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the connection, after a last word. */
  void close(WireSection lastWord) {
    Channel current;
    lock.lock();
    try {
      end();
      current = channel;
      channel = null;
    } finally {
      lock.unlock();
    }
    if (current != null) {
      var _ = current.writeAndFlush(lastWord).addListener(ChannelFutureListener.CLOSE);
    }
  }
}
