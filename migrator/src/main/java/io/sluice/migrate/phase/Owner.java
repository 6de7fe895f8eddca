package io.sluice.migrate.phase;

/** The side that may run the guest's channels and processors. */
public enum Owner {
  /** The source does, or may from one moment to the next. */
  SOURCE,
  /** The source does not; whether the destination does is the destination's to say. */
  DESTINATION_DECIDES,
  /** The destination does. */
  DESTINATION,
  /** This side does not, whatever the other does. */
  NOT_THIS_SIDE
}
