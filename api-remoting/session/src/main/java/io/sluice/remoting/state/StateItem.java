package io.sluice.remoting.state;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** An item of a session's state stream; docs/session-protocol.md has the layouts. */
public sealed interface StateItem {
  /**
   * An object as the stream names it.
   *
   * @param kind its kind's number
   * @param index by which the application names it
   * @param serial by which the stream names it; no two objects of a session have the same
   * @param released whether the application cannot name it any more
   */
  record Entity(int kind, int index, long serial, boolean released) {}

  /**
   * A call that is kept.
   *
   * @param number of the call in its API
   * @param serial its place in the order of all that happened
   * @param message as it came
   * @param named serials of the objects that it names, in order
   */
  record KeptCall(int number, long serial, byte[] message, List<Long> named) {}

  /** The place where an application runs, and so what comes with the head. */
  enum ApplicationPlace {
    /** On this host: its connection and its doorbell come. */
    HOST,
    /** In a machine: its doorbell comes, and the eventfd that interrupts the machine. */
    MACHINE,
    /** In a machine that moves too: nothing comes, the reader is given the machine's memory. */
    MOVING_MACHINE
  }

  /**
   * The head, first and once.
   *
   * @param api number of the API
   * @param place of the application; two descriptors come with it, or none
   * @param implementation what executed the calls so far, in words that are equal for equal ones
   */
  record Head(int api, ApplicationPlace place, String implementation) implements StateItem {}

  /**
   * A part of a file, in whole pages.
   *
   * @param file its place among those that come with the item
   */
  record FilePart(int file, long offset, long bytes) {
    /** Most parts of a segment. */
    public static final int MOST = 2048;

    /** Most files that they are of. */
    public static final int MOST_FILES = 8;
  }

  /**
   * A segment of the application's memory; its files come with it.
   *
   * @param index of the segment
   * @param parts of files, one behind the other; none for one file that is the segment, and in a
   *     machine that moves, where no file comes
   */
  record Segment(int index, long bytes, List<FilePart> parts) implements StateItem {
    /** How many files it is of. */
    public int files() {
      return 1 + parts.stream().mapToInt(FilePart::file).max().orElse(0);
    }
  }

  /**
   * An object that was there before the session, such as a device.
   *
   * @param name for people
   */
  record Root(Entity object, String name) implements StateItem {}

  /**
   * A call that made objects.
   *
   * @param payload what it takes besides the message to make them again
   */
  record Made(List<Entity> objects, KeptCall call, byte[] payload) implements StateItem {}

  /**
   * A call that changed an object.
   *
   * @param object its serial
   * @param status what the call led to
   */
  record Changed(long object, KeptCall call, int status) implements StateItem {}

  /**
   * An object that was sent is not the application's any more.
   *
   * @param object its serial
   * @param needed whether others were made of it that are still there
   */
  record Gone(long object, boolean needed) implements StateItem {}

  /**
   * A piece of an object's content.
   *
   * @param object its serial
   * @param position of the first byte
   * @param length in bytes
   * @param bytes as many, or none when all are 0; not a copy
   */
  record Content(long object, long position, int length, MemorySegment bytes)
      implements StateItem {}

  /**
   * An event to which nothing can happen any more.
   *
   * @param order its place in the order of all that happened
   * @param status complete, or an error
   * @param times what the API says of it; empty for none
   */
  record Settled(Entity event, long order, int status, List<Long> times) implements StateItem {}

  /**
   * A call whose effect is still to come, to be executed again.
   *
   * @param answerSlot where it is answered, plus one; 0 when nobody waits
   * @param made the event that it makes; none or one
   */
  record Open(KeptCall call, int answerSlot, List<Entity> made) implements StateItem {}

  /**
   * A map of an object whose storage is the application's memory.
   *
   * @param object its serial
   */
  record Mapped(long object, long offset, long bytes, long flags) implements StateItem {}

  /**
   * A failure that the application has not been told of.
   *
   * @param object the serial of the object that would tell it
   */
  record Failure(long object, int status) implements StateItem {}

  /**
   * The ring: where it is read on.
   *
   * @param submitTail bytes ever taken
   * @param noticeHead notices ever written
   * @param calls taken so far, for operators
   */
  record Ring(int submitTail, int noticeHead, long calls) implements StateItem {}

  /** A notice that waits for room in the ring. */
  record Notice(int kind, int status, int index) implements StateItem {}

  /** All objects there were a moment ago have been sent: may they be made? Asks for an answer. */
  record Prepared() implements StateItem {}

  /** All has been sent. Asks for an answer. */
  record Complete() implements StateItem {}

  /** The session is the reader's from now on. */
  record Go() implements StateItem {}

  /** The reader's answer: it can go on. */
  record Ready() implements StateItem {}

  /**
   * The reader's answer: it cannot.
   *
   * @param reasons what is in the way, each by its name
   */
  record Refused(List<String> reasons) implements StateItem {}

  // What follows is said between the ends of a session that lives on another host.

  /**
   * A piece of the application's memory.
   *
   * @param place segment in the upper 16 bits, offset in the lower 48
   * @param size in bytes
   */
  record MemoryRange(long place, long size) {
    /** Most ranges that one call writes. */
    public static final int MOST = 64;
  }

  /**
   * Bytes of the application's memory.
   *
   * @param call whose command has written them; 0 when it is not for one
   */
  record Bytes(long call, long place, byte[] bytes) implements StateItem {}

  /**
   * A call of the application.
   *
   * @param number counts the session's calls there from 1
   * @param written what it will write of the application's memory
   */
  record Sent(long number, List<MemoryRange> written, byte[] message) implements StateItem {}

  /**
   * The ranges that a call will write which the state has as open; before it.
   *
   * @param serial of the call
   */
  record Writes(long serial, List<MemoryRange> written) implements StateItem {}

  /** A call that was waited for is answered; what it wrote came before. */
  record Answered(long call, int status, List<Long> values) implements StateItem {}

  /** The word that what a call writes came before; nobody waited for it. */
  record Written(long call) implements StateItem {}

  /** Bytes of the application's memory are wanted, as they are there. */
  record Wanted(MemoryRange range) implements StateItem {}

  /** The session shall come back, or be looked at whether it could. */
  record Recall(boolean checkOnly) implements StateItem {}

  /** It shall stay. */
  record Stay() implements StateItem {}

  /** A stage of its coming back begins. */
  record Stage(int number) implements StateItem {}

  /** No calls shall be sent for now. */
  record Hold() implements StateItem {}

  /** None is sent any more. */
  record Held() implements StateItem {}

  /** The word that calls may be sent again. */
  record Resume() implements StateItem {}

  /**
   * It does not come back.
   *
   * @param reasons by name, when they are the session's
   */
  record Kept(String error, List<String> reasons) implements StateItem {}

  /**
   * A sign of life.
   *
   * @param objects how many the session has of each kind
   * @param bytes of device memory that it holds
   */
  record Beat(List<Long> objects, long bytes) implements StateItem {}
}
