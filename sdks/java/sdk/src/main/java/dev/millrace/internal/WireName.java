// Names of enum constants as they travel.
package dev.millrace.internal;

/** An enum that travels in other words than its constants' names. */
public interface WireName {
  /** As JSON has it. */
  String wire();

  /** Of any enum: its own word, or the constant's name. */
  static String name(Enum<?> constant) {
    return constant instanceof WireName own ? own.wire() : constant.name();
  }

  /** A word that this version does not know gives UNRECOGNIZED. */
  static Object constant(Class<?> type, String word) {
    Object unrecognized = null;
    for (Object constant : type.getEnumConstants()) {
      if (name((Enum<?>) constant).equalsIgnoreCase(word)) return constant;
      if (((Enum<?>) constant).name().equals("UNRECOGNIZED")) unrecognized = constant;
    }
    return unrecognized;
  }
}
