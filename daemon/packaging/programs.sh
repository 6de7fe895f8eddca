# shellcheck shell=sh
# shellcheck disable=SC2034 # used by those who source this
# What the programs are started with: by ./sluice from a source tree, and by the launchers of the package. Sourced.

# As MODULE/CLASS.
readonly DAEMON=io.sluice.daemon/io.sluice.daemon.Sluiced
readonly CONTROL=io.sluice.sluicectl/io.sluice.sluicectl.SluiceCtl

# Only kernel-abi calls native code, in the daemon and the benches also zstd and the TLS of migrations (Netty's BoringSSL);
# anything else that tries is refused.
readonly NATIVE_OPTIONS='--illegal-native-access=deny --enable-native-access=io.sluice.abi'
readonly LIBRARIES='com.github.luben.zstd_jni,io.netty.common,io.netty.tcnative.classes.openssl'
# The daemon's heap is small and its data is not in it; collectors with threads of their own wake up while all is idle.
readonly DAEMON_OPTIONS="-XX:+UseSerialGC $NATIVE_OPTIONS,$LIBRARIES"
# Of a command that ends within a fraction of a second nothing is worth compiling; one that goes on, such as top, is.
readonly CONTROL_COMPILER='-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=30'
# sluicectl has no native code, and is short: let nobody watch, and make no code for what is called once by reflection.
# Refusing native code would keep the JVM from taking its modules from a cache.
readonly CONTROL_OPTIONS="$CONTROL_COMPILER -XX:+UseSerialGC -XX:-UsePerfData -Djdk.reflect.useNativeAccessorOnly=true"

# What the product uses of the JDK.
readonly PRODUCT_MODULES=java.base,java.management,java.management.rmi,java.naming,java.rmi,java.xml,jdk.management,jdk.net,jdk.unsupported

# What the Prometheus exporter, an agent, uses of the JDK (docs/metrics.md): in the package's Java, and taken only where
# SLUICE_JAVA_OPTS names an agent, as it makes a start longer.
readonly AGENT_MODULES=java.desktop,java.instrument,java.logging,jdk.httpserver

# say_columns: tells sluicectl how wide the terminal is that it prints to, if it is one.
say_columns() {
  unset SLUICE_COLUMNS
  if [ -t 1 ] && screen=$(stty size </dev/tty 2>/dev/null); then
    export SLUICE_COLUMNS="${screen#* }"
  fi
}

# agent_options: the options for an agent, if there is one.
agent_options() {
  case ${SLUICE_JAVA_OPTS:-} in
    *-javaagent:*) printf '%s\n' "--add-modules=$AGENT_MODULES" ;;
  esac
}
