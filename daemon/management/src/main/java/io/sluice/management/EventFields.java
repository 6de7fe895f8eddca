package io.sluice.management;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.CompositeDataSupport;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenDataException;
import javax.management.openmbean.OpenType;
import javax.management.openmbean.SimpleType;

/**
 * The fields of a notification, its user data: open data, which each JMX client reads without a
 * class of ours.
 */
public final class EventFields {
  private EventFields() {}

  /**
   * @param type of the notification
   * @param fields texts, whole numbers and truth values by their names; at least one
   */
  public static CompositeData of(String type, Map<String, ?> fields) {
    List<OpenType<?>> types = new ArrayList<>();
    fields.values().forEach(value -> types.add(type(value)));
    String[] names = fields.keySet().toArray(new String[0]);
    try {
      CompositeType shape =
          new CompositeType(type, type, names, names, types.toArray(new OpenType<?>[0]));
      return new CompositeDataSupport(shape, names, fields.values().toArray());
    } catch (OpenDataException e) {
      throw new AssertionError("fields of " + type + ": " + fields, e);
    }
  }

  private static OpenType<?> type(Object value) {
    return switch (value) {
      case String _ -> SimpleType.STRING;
      case Integer _ -> SimpleType.INTEGER;
      case Long _ -> SimpleType.LONG;
      case Boolean _ -> SimpleType.BOOLEAN;
      default -> throw new AssertionError("no field of an event: " + value);
    };
  }
}
