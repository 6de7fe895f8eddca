package io.sluice.vdevice.protocol;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/**
 * The version data of VERSION: NUL-terminated JSON with the sender's capabilities. Names that are
 * not known are skipped; what is known must have the right type and range.
 */
public final class VersionData {
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxDocumentLength(Limits.MAX_VERSION_BYTES)
                  .maxNestingDepth(8)
                  .maxStringLength(256)
                  .maxNameLength(64)
                  .maxNumberLength(20)
                  .maxTokenCount(512)
                  .build())
          .build();

  private VersionData() {}

  /**
   * @param data the bytes behind major and minor; empty when the client sent none
   * @throws RefusedException EINVAL
   */
  static ClientCapabilities parse(byte[] data) {
    if (data.length == 0) {
      return ClientCapabilities.DEFAULT;
    }
    int end = 0;
    while (end < data.length && data[end] != 0) {
      end++;
    }
    if (end != data.length - 1) {
      throw refused("version data is not one NUL-terminated string, bytes=" + data.length);
    }
    try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), data, 0, end)) {
      return document(parser);
    } catch (JacksonException e) {
      throw refused("version data is no JSON, reason=" + e.getOriginalMessage());
    }
  }

  private static ClientCapabilities document(JsonParser parser) {
    require(parser.nextToken() == JsonToken.START_OBJECT, "version data is not an object");
    ClientCapabilities capabilities = ClientCapabilities.DEFAULT;
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      boolean known = parser.currentName().equals("capabilities");
      JsonToken value = parser.nextToken();
      if (known) {
        require(value == JsonToken.START_OBJECT, "capabilities is not an object");
        capabilities = capabilities(parser);
      } else {
        parser.skipChildren();
      }
    }
    require(parser.nextToken() == null, "something follows the version data");
    return capabilities;
  }

  private static ClientCapabilities capabilities(JsonParser parser) {
    ClientCapabilities result = ClientCapabilities.DEFAULT;
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = parser.currentName();
      parser.nextToken();
      switch (name) {
        case "max_msg_fds" -> {
          int fds = (int) number(parser, name, 0, 0xffff_ffffL, Limits.MAX_MESSAGE_FDS);
          result = new ClientCapabilities(fds, result.maxDataBytes(), result.writeMultiple());
        }
        case "max_data_xfer_size" -> {
          int bytes = (int) number(parser, name, 1, 0xffff_ffffL, Limits.MAX_DATA_BYTES);
          result = new ClientCapabilities(result.maxMessageFds(), bytes, result.writeMultiple());
        }
        case "write_multiple" -> {
          boolean multiple = parser.currentToken() == JsonToken.VALUE_TRUE;
          require(
              multiple || parser.currentToken() == JsonToken.VALUE_FALSE,
              "write_multiple is not a boolean");
          result = new ClientCapabilities(result.maxMessageFds(), result.maxDataBytes(), multiple);
        }
        case "pgsizes" -> {
          long sizes = number(parser, name, 1, Long.MAX_VALUE, Long.MAX_VALUE);
          require((sizes & Limits.PAGE_BYTES) != 0, "pages of 4096 bytes are not offered");
        }
        case "max_dma_maps" -> number(parser, name, 0, Long.MAX_VALUE, Long.MAX_VALUE);
        default -> parser.skipChildren();
      }
    }
    return result;
  }

  private static long number(JsonParser parser, String name, long least, long most, long bound) {
    require(parser.currentToken() == JsonToken.VALUE_NUMBER_INT, name + " is not a number");
    long value = parser.getLongValue();
    require(value >= least && value <= most, name + " is out of range, value=" + value);
    return Math.min(value, bound);
  }

  /** The version data of the reply: at most 194 bytes, or QEMU 11.1 cannot receive it. */
  public static byte[] reply(ClientCapabilities client) {
    // A subset of what the client proposed, as the specification asks.
    String multiple = client.writeMultiple() ? ",\"write_multiple\":true" : "";
    String json =
        "{\"capabilities\":{\"max_msg_fds\":"
            + Limits.MAX_MESSAGE_FDS
            + ",\"max_data_xfer_size\":"
            + Limits.MAX_DATA_BYTES
            + ",\"max_dma_maps\":"
            + Limits.MAX_DMA_MAPS
            + ",\"pgsizes\":"
            + Limits.PAGE_BYTES
            + multiple
            + "}}\0";
    return json.getBytes(StandardCharsets.US_ASCII);
  }

  private static void require(boolean condition, String what) {
    if (!condition) {
      throw refused(what);
    }
  }

  private static RefusedException refused(String what) {
    return new RefusedException(
        DeviceCode.VERSION, Errno.EINVAL, what, "See \"VERSION\" in docs/vfio-user.md.");
  }
}
