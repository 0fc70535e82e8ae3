/** The replacement for an unknown value, as in OpenTelemetry's semantic conventions. */
export const otherValue = '_OTHER';

/** How many values there may be in addition to the registered ones. */
const maxFurther = 100;
const maxLength = 128;

/**
 * The values of an attribute of metrics: the registered ones, the first hundred others, and
 * `_OTHER`.
 */
export class KnownValues {
  readonly #values = new Set<string>();
  #further = 0;

  register(values: Iterable<string>): void {
    for (const value of values) this.#values.add(value);
  }

  /** The value itself, or `_OTHER`. */
  of(value: string): string {
    if (this.#values.has(value)) return value;
    if (this.#further >= maxFurther || value.length > maxLength) return otherValue;
    this.#further += 1;
    this.#values.add(value);
    return value;
  }
}
