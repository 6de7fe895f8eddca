/** The rules of docs/architecture.md that a compiler does not check. */
@NullMarked
package io.sluice.testbed.architecture;

import org.jspecify.annotations.NullMarked;
