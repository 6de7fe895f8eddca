package io.sluice.remoting.opencl;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/** A library of the host, opened by its name, as long as this process lives. */
final class NativeLibrary {
  private final String name;
  private final SymbolLookup symbols;

  private NativeLibrary(String name, SymbolLookup symbols) {
    this.name = name;
    this.symbols = symbols;
  }

  /**
   * Opens a library.
   *
   * @throws IllegalArgumentException if this host has none of the name
   */
  static NativeLibrary open(String name) {
    return new NativeLibrary(name, SymbolLookup.libraryLookup(name, Arena.global()));
  }

  /** A function that the library has. */
  MethodHandle function(String function, MemoryLayout result, MemoryLayout... arguments) {
    MemorySegment address =
        symbols
            .find(function)
            .orElseThrow(() -> new UnsatisfiedLinkError(name + " has no function " + function));
    return Linker.nativeLinker().downcallHandle(address, FunctionDescriptor.of(result, arguments));
  }

  /** A function that a library of an earlier version lacks; calling it then fails with its name. */
  MethodHandle optional(String function, MemoryLayout result, MemoryLayout... arguments) {
    Optional<MemorySegment> address = symbols.find(function);
    if (address.isPresent()) {
      return function(function, result, arguments);
    }
    MethodHandle missing =
        java.lang.invoke.MethodHandles.throwException(
            result == java.lang.foreign.ValueLayout.JAVA_INT ? int.class : long.class,
            UnsatisfiedLinkError.class);
    Class<?>[] types = FunctionDescriptor.of(result, arguments).toMethodType().parameterArray();
    return java.lang.invoke.MethodHandles.dropArguments(
        missing.bindTo(new UnsatisfiedLinkError(name + " has no function " + function)), 0, types);
  }

  /** What a call that threw comes to: a function reports its failures by its result. */
  static RuntimeException failed(String function, Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
    throw new AssertionError(function, failure);
  }
}
