// The constants of the gRPC contract carry the name of their enum; JSON leaves it out.
package dev.millrace.internal.grpc;

import com.google.protobuf.Descriptors.EnumDescriptor;

final class Enums {
  private static final String ZERO = "UNSPECIFIED";

  private Enums() {}

  /** Such as {@code INSTANCE_STATUS_}. */
  static String prefix(EnumDescriptor type) {
    String zero = type.findValueByNumber(0).getName();
    return zero.substring(0, zero.length() - ZERO.length());
  }
}
