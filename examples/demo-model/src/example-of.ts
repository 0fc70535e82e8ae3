import type { JSONSchema7, JSONSchema7Definition } from '@ai-sdk/provider';

/**
 * A value that matches a plain JSON Schema: its texts are the message, its numbers those of the
 * message.
 */
export function exampleOf(schema: JSONSchema7Definition, message: string): unknown {
  if (typeof schema === 'boolean') return null;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return namedIn(message, schema.enum);
  const [option] = schema.anyOf ?? schema.oneOf ?? [];
  if (option !== undefined) return exampleOf(option, message);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'array':
      return Array.from({ length: schema.minItems ?? 1 }, () => exampleOf(toItem(schema), message));
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return numberIn(message, schema);
    case 'null':
      return null;
    case 'string':
      return message.slice(0, schema.maxLength).padEnd(schema.minLength ?? 0, '.');
    default: {
      const fields = Object.entries(schema.properties ?? {});
      return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, message)]));
    }
  }
}

function toItem({ items = true }: JSONSchema7): JSONSchema7Definition {
  return Array.isArray(items) ? (items[0] ?? true) : items;
}

/** The value that the message names, or the first. */
function namedIn(message: string, values: readonly unknown[]): unknown {
  return values.find((value) => typeof value === 'string' && message.includes(value)) ?? values[0];
}

function numberIn(message: string, { maximum = Infinity, minimum = -Infinity, type }: JSONSchema7): number {
  const found = Number(/-?\d+(?:\.\d+)?/u.exec(message)?.[0] ?? 1);
  const value = Math.min(maximum, Math.max(minimum, found));
  return type === 'integer' ? Math.round(value) : value;
}
