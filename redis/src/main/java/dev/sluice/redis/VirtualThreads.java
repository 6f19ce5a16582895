package dev.sluice.redis;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Whether a thread is virtual, which Java 17 cannot say for it has none. */
final class VirtualThreads {
  private static final MethodHandle IS_VIRTUAL = isVirtual();

  private VirtualThreads() {}

  private static MethodHandle isVirtual() {
    try {
      return MethodHandles.lookup()
          .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
    } catch (ReflectiveOperationException before21) {
      return MethodHandles.dropArguments(
          MethodHandles.constant(boolean.class, false), 0, Thread.class);
    }
  }

  /** Whether the thread that asks is one. */
  static boolean isCurrent() {
    try {
      return (boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
    } catch (Throwable impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
