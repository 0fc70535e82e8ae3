import { ConformanceError } from './conformance-error.ts';

/** Throws a ConformanceError with the message `fault` unless `condition` is true. */
export function check(condition: boolean, fault: string): asserts condition {
  if (!condition) throw new ConformanceError(fault);
}

/** Compares as JSON: the order of keys, undefined values and classes of objects do not matter. */
export function checkEqual(actual: unknown, expected: unknown, what: string): void {
  const [is, should] = [canonical(actual), canonical(expected)];
  if (is !== should) throw new ConformanceError(`${what} should be ${short(should)}, but is ${short(is)}`);
}

/** Returns the value, and throws a ConformanceError when it is undefined. */
export function checkFound<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new ConformanceError(`${what} should be there, but is not`);
  return value;
}

/** The value of a call or its error, in a form that can be compared. */
export async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    return { rejected: error instanceof Error ? `${error.name}: ${error.message}` : error };
  }
}

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.toSorted().join(',')}}`;
}

function short(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}… (${text.length} characters)` : text;
}
