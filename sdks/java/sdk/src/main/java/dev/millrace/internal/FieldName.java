// Names the field of JSON that a component of a record stands for.
package dev.millrace.internal;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** On a component whose field has a name that Java does not allow for it, such as {@code wait}. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface FieldName {
  /** As JSON has it. */
  String value();
}
