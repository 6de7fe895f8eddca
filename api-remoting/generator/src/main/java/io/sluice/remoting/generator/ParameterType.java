package io.sluice.remoting.generator;

/** The types of a call's parameters; api-remoting/spec says what each means. */
enum ParameterType {
  INT,
  LONG,
  /** An index, free so far, for the object that the call makes. */
  NEW,
  OBJECT,
  OPTIONAL_OBJECT,
  OBJECTS,
  RANGE,
  OPTIONAL_RANGE,
  /** A range that the call writes. */
  ROOM,
  OPTIONAL_ROOM,
  STRING,
  BYTES,
  LONGS;
}
