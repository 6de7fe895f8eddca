package io.sluice.sluicectl;

/** The form of output. Names are what the operator types. */
enum Format {
  /** For people; may change. */
  table,
  /** For programs; promised by {@code schemaVersion}. */
  json,
  /** For spreadsheets: the fields of the JSON. */
  csv
}
