/** Decoding: from words to instructions that are legal, and what each reads and writes. */
@NullMarked
package io.sluice.gpu.sm.decode;

import org.jspecify.annotations.NullMarked;
