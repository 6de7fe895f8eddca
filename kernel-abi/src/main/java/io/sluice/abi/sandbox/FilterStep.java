package io.sluice.abi.sandbox;

/**
 * An instruction of a filter; {@code struct sock_filter}.
 *
 * @param code operation
 * @param whenTrue instructions to leave out when a comparison holds
 * @param whenFalse instructions to leave out when it does not
 * @param operand of the operation
 */
public record FilterStep(int code, int whenTrue, int whenFalse, int operand) {}
