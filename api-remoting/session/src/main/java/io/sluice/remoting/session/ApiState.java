package io.sluice.remoting.session;

import io.sluice.remoting.state.UnmovableException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of a session's API that a move needs. Every method is called by the session's thread, or
 * by the thread that makes a session again before it has one.
 */
public interface ApiState {
  /**
   * An event to which nothing can happen any more.
   *
   * @param status complete, or an error
   * @param times what the API says of it; empty for none
   */
  record SettledEvent(int status, List<Long> times) {
    /** Keeps the list as it is now. */
    public SettledEvent {
      times = List.copyOf(times);
    }
  }

  /**
   * A map of an object whose storage is the application's memory.
   *
   * @param object that is mapped
   */
  record StorageMap(SessionObject object, long offset, long bytes, long flags) {}

  /** What executes the calls, in words that are equal for implementations that are equal. */
  String implementation();

  /** What keeps the session from moving now, each by its name. */
  List<String> obstacles();

  /** The kind of objects to which something happens: they are sent as {@link SettledEvent}. */
  ObjectKind events();

  /** An object that was there before the session, for people. */
  String nameOf(SessionObject root);

  /**
   * What it takes, besides the message, to make an object again.
   *
   * @throws UnmovableException when it cannot be had
   */
  byte[] payloadOf(SessionObject object) throws UnmovableException;

  /** The calls that are to be made again to have an object as it is, of those that changed it. */
  List<CallRecord> changesOf(SessionObject object);

  /**
   * Objects that one call made, in the order in which it did; those that are gone are null.
   *
   * @param object one of them
   */
  List<SessionObject> madeWith(SessionObject object);

  /**
   * Has something done when all commands that were taken so far have run, but for those that wait
   * for the application: what they write is touched again when they may run.
   *
   * @return true
   */
  boolean whenAllHaveRun(Runnable done);

  /** Lets all that was taken come to its end, but for what waits for the application. */
  void finish();

  /** Whether it has come to its end. */
  boolean isFinished();

  /** Calls whose effect is still to come, in the order in which they were taken. */
  List<OpenCall> openCalls();

  /** The state of an event to which nothing can happen any more; null for one that is open. */
  @Nullable SettledEvent settled(SessionObject event);

  /** Failures that the application has not been told of, by the object that would tell. */
  Map<SessionObject, Integer> failures();

  /**
   * Maps of objects whose storage is the application's memory, as they are before {@link
   * #openCalls}, in the order in which they are added; that memory is as it must be.
   */
  List<StorageMap> maps();

  /** Objects whose contents may have changed since this was last asked. */
  Set<SessionObject> takeTouched();

  /** The objects whose contents are to be sent if these are needed. */
  Set<SessionObject> withContents(Set<SessionObject> needed);

  /** The way to objects' contents; may be used from another thread, one at a time. */
  Contents contents();

  // What follows makes a session again.

  /**
   * Makes objects again.
   *
   * @param in at the first parameter of the message
   * @param implementation of the host that made them first
   * @return why they could not be made; empty when they are
   */
  String remake(int number, CallReader in, byte[] payload, String implementation);

  /** A status that a call led to, for people. */
  String statusName(int status);

  /** Changes an object again; what that leads to is known once works are finished. */
  void change(int number, CallReader in, Answer answer);

  /** Adds an event to which nothing can happen any more. */
  SessionObject addSettled(int index, SettledEvent event);

  /** Notes a failure that the application has not been told of. */
  void addFailure(SessionObject object, int status);

  /**
   * Adds a map, before calls that may end it; the memory may not be as it must be yet.
   *
   * @throws IndexOutOfBoundsException for one that is not within its object
   */
  void addMap(StorageMap map);

  /** The application's memory is as it must be: has storage in it read again. */
  void readStorage();

  /** Gives back an object that the application has released already. */
  void forget(SessionObject object);
}
