/** Benches of quotas, kill-timeouts and fairness: P12, P13. */
@NullMarked
package io.sluice.testbed.bench.sharing;

import org.jspecify.annotations.NullMarked;
