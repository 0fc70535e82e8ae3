import { ConformanceError } from './conformance-error.ts';

/** Rejects with the sentence `fault` unless `condition` holds. */
export function check(condition: boolean, fault: string): asserts condition {
  if (!condition) throw new ConformanceError(fault);
}

/** Compares as JSON: neither the order of keys, nor keys without a value, nor the classes of objects matter. */
export function checkEqual(actual: unknown, expected: unknown, what: string): void {
  const [is, should] = [canonical(actual), canonical(expected)];
  if (is !== should) throw new ConformanceError(`${what} should be ${short(should)}, but is ${short(is)}`);
}

/** What is there. */
export function checkFound<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new ConformanceError(`${what} should be there, but is not`);
  return value;
}

/** What came of a call, to be compared: its value, or what it rejected with. */
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
