import type { Attributes, AttributeValue } from '@halyard/contracts';

/**
 * The attributes of a foreign span. Values of a type that attributes cannot have are converted to
 * JSON.
 */
export function readAttributes(attributes: { readonly [name: string]: unknown }): Attributes {
  const entries = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries.map(([name, value]) => [name, isAttributeValue(value) ? value : toText(value)]));
}

function isAttributeValue(value: unknown): value is AttributeValue {
  return (
    isPlain(value) || (Array.isArray(value) && value.every((item) => isPlain(item) && typeof item === typeof value[0]))
  );
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function toText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value;
  }
}
