package io.sluice.remoting.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.state.UnmovableException;
import io.sluice.remoting.turns.DeviceTurns;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contents that leave in batches, of a library that refuses some of it. */
final class ContentSenderTest {
  private static final int ROOM = 4096;
  private static final int PIECE = 1024;
  private static final ObjectKind MANY = new ObjectKind(1, "thing", 1000);

  private final Kernel kernel = RealKernel.create();
  private final ExecutorService workers = Executors.newCachedThreadPool();
  private final Arena arena = Arena.ofShared();
  private final FilledContents contents = new FilledContents();
  private TestApplication application;
  private Session session;
  private StateLink here;
  private StateLink there;
  private ContentSender sender;

  @BeforeEach
  void start() throws Exception {
    SessionSettings settings =
        new SessionSettings(
            kernel,
            Map.of(9, new EchoApi()),
            1 << 20,
            new MemoryAccount(() -> 1000),
            DeviceTurns.alone(),
            Thread::new,
            workers,
            System::nanoTime);
    List<Fd> connection = kernel.socketpair();
    CompletableFuture<LinkedSession> opened = new CompletableFuture<>();
    workers.execute(() -> {
      try (Fd socket = connection.get(1)) {
        new SessionLink(settings, 1).serve(socket, opened::complete);
      }
    });
    application = new TestApplication(kernel, connection.get(0));
    assertThat(application.hello()).isZero();
    session = opened.join().session();
    List<Fd> pair = kernel.socketpair();
    here = new StateLink(kernel, pair.get(0));
    there = new StateLink(kernel, pair.get(1));
    sender = new ContentSender(session, here, contents, arena.allocate(ROOM));
  }

  @AfterEach
  void stop() throws Exception {
    application.close();
    session.over().join();
    here.close();
    there.close();
    workers.shutdownNow();
    arena.close();
  }

  /** Objects of the session. */
  private List<SessionObject> things(int count) throws Exception {
    return session
        .ask(() -> {
          ObjectTable objects = session.context().objects();
          List<SessionObject> made = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            made.add(objects.add(EchoApi.THING, i + 1, 0, CallRecord.NONE));
          }
          return made;
        })
        .get();
  }

  private void send(List<SessionObject> objects, boolean mayVanish) throws Exception {
    for (ContentSender.Batch batch : sender.batches(objects)) {
      sender.send(batch, mayVanish);
    }
  }

  /** What the other host is sent, until the stream ends. */
  private List<StateItem.Content> received() throws StateException {
    here.flush();
    here.end();
    List<StateItem.Content> all = new ArrayList<>();
    try {
      while (there.read() instanceof StateItem.Content content) {
        all.add(content);
      }
    } catch (StateException _) {
      // its end
    }
    return all;
  }

  @Test
  void read_thatIsRefusedInTheMiddleOfABatch_leavesNothingHeldOrSent() throws Exception {
    List<SessionObject> things = things(4);
    contents.bytes = PIECE;
    contents.refusesRead = things.get(2);

    assertThatThrownBy(() -> send(things, true)).isInstanceOf(UnmovableException.class);

    assertThat(contents.holds).isEqualTo(4);
    assertThat(contents.drops).isEqualTo(4);
    assertThat(received()).isEmpty();
  }

  @Test
  void batch_thatFails_leavesNothingHeldOrSent() throws Exception {
    contents.bytes = PIECE;
    contents.failsAwait = true;
    List<SessionObject> things = things(3);

    assertThatThrownBy(() -> send(things, false)).isInstanceOf(UnmovableException.class);

    assertThat(contents.holds).isEqualTo(3);
    assertThat(contents.drops).isEqualTo(3);
    assertThat(received()).isEmpty();
  }

  @Test
  void otherHost_thatIsGoneBetweenBatches_leavesNothingHeld() throws Exception {
    contents.bytes = 2 * ROOM;
    List<SessionObject> things = things(1);
    List<ContentSender.Batch> batches = sender.batches(things);
    sender.send(batches.get(0), false);
    here.end();

    sender.send(batches.get(1), false);

    assertThatThrownBy(here::flush).isInstanceOf(StateException.class);
    assertThat(contents.drops).isEqualTo(contents.holds);
  }

  @Test
  void objectWithRowsOfMoreThanTheRoom_isRefused() throws Exception {
    contents.bytes = 2 * ROOM;
    contents.pieceBytes = ROOM + 1;
    List<SessionObject> things = things(1);

    assertThatThrownBy(() -> sender.batches(things)).isInstanceOf(UnmovableException.class);
  }

  @Test
  void object_thatWasReleasedWhenItsSecondHalfIsRead_isSentAsAWholeAtTheEnd() throws Exception {
    contents.bytes = 2 * ROOM;
    List<SessionObject> things = things(1);
    List<ContentSender.Batch> batches = sender.batches(things);

    sender.send(batches.get(0), true);
    assertThat(sender.hasBegun(things.getFirst())).isTrue();
    SessionObject _ = session.ask(() -> session.context().objects().remove(EchoApi.THING, 1)).get();
    sender.send(batches.get(1), true);

    assertThat(sender.hasBegun(things.getFirst())).isFalse();
    assertThat(contents.drops).isEqualTo(1);
    send(things, false);
    assertThat(received())
        .extracting(StateItem.Content::position)
        .containsExactly(0L, 1024L, 2048L, 3072L, 4096L, 5120L, 6144L, 7168L);
  }

  @Test
  void batches_ofManySmallObjects_haveNoMoreThanTheirBound() throws Exception {
    contents.bytes = 1;
    contents.pieceBytes = 1;
    ObjectTable table = new ObjectTable(List.of(MANY));
    List<SessionObject> many = new ArrayList<>();
    for (int i = 1; i <= 600; i++) {
      many.add(table.add(MANY, i, 0, CallRecord.NONE));
    }
    ContentSender wide = new ContentSender(session, here, contents, arena.allocate(1 << 20));

    assertThat(wide.batches(many))
        .extracting(batch -> batch.parts().size())
        .containsExactly(256, 256, 88);
    assertThat(sender.batches(many))
        .allMatch(batch ->
            batch.parts().size() == ROOM / 64 || batch.parts().size() == 600 % (ROOM / 64));
  }

  @Test
  void pieces_areSentAsTheyAre_andNotTwice() throws Exception {
    contents.bytes = ROOM + 10;
    List<SessionObject> things = things(2);

    send(things, false);
    send(things, false);

    List<StateItem.Content> received = received();
    assertThat(received).hasSize(10);
    for (StateItem.Content content : received) {
      assertThat(content.length()).isEqualTo(content.position() == ROOM ? 10 : PIECE);
      assertThat(content.bytes().toArray(ValueLayout.JAVA_BYTE))
          .containsOnly(FilledContents.fill(content.position()));
    }
  }

  /** Contents whose pieces have bytes that tell where they are, once they were waited for. */
  private static final class FilledContents implements Contents {
    private final List<Runnable> begun = new ArrayList<>();
    private long bytes;
    private int pieceBytes = PIECE;
    private int holds;
    private int drops;
    private @Nullable SessionObject refusesRead;
    private boolean failsAwait;

    static byte fill(long position) {
      return (byte) (1 + position / PIECE);
    }

    @Override
    public void hold(SessionObject object) {
      holds++;
    }

    @Override
    public void drop(SessionObject object) {
      assertThat(begun).as("what is being read").isEmpty();
      drops++;
    }

    @Override
    public long bytes(SessionObject object) {
      return bytes;
    }

    @Override
    public int pieceBytes(SessionObject object) {
      return pieceBytes;
    }

    @Override
    public void read(SessionObject object, long position, MemorySegment into)
        throws UnmovableException {
      if (object == refusesRead) {
        begun.clear();
        throw new UnmovableException(List.of("refused"));
      }
      begun.add(() -> {
        for (long at = 0; at < into.byteSize(); at++) {
          into.set(ValueLayout.JAVA_BYTE, at, fill(position + at));
        }
      });
    }

    @Override
    public void write(SessionObject object, long position, MemorySegment from) {
      throw new AssertionError("nothing comes here");
    }

    @Override
    public void await() throws UnmovableException {
      begun.forEach(Runnable::run);
      begun.clear();
      if (failsAwait) {
        throw new UnmovableException(List.of("refused"));
      }
    }

    @Override
    public void close() {}
  }
}
