/**
 * An assembler for sm_20: text to 64-bit words.
 *
 * <p>The syntax is that of NVIDIA's disassemblers where it is unambiguous: {@code @!P0 IADD.X
 * R2.CC, R3, c[0x0][0x20];}. Encodings come from envytools' tables.
 */
@NullMarked
package io.sluice.testbed.workloads.asm;

import org.jspecify.annotations.NullMarked;
