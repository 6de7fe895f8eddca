package io.sluice.remoting.relay;

import io.sluice.remoting.session.RemotedApi;

/** An API whose sessions may live on another host than their application. */
public interface RelayableApi extends RemotedApi {
  /** What the calls of one session read and write of its application's memory. */
  CallRanges ranges();
}
