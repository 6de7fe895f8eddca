package io.sluice.abi.sys;

import java.util.function.UnaryOperator;

/**
 * The custody of descriptors that come from others: whoever closes one does not wait for what they
 * may have it wait for.
 */
public interface FdCustody extends UnaryOperator<Fd> {
  /** The same descriptor, which its owner closes without waiting. */
  @Override
  Fd apply(Fd received);

  /**
   * Waits a while until few enough wait to be closed.
   *
   * @return false when they are still too many: who sends more of them is not served
   */
  boolean awaitRoom();
}
