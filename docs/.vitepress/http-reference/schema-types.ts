import type { Schema } from './api-document.ts';

/** A field of an object, or of an object inside it. */
export interface FieldRow {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
}

/** The fields of an object, with those of its inner objects: `settings.generation`. */
export function fieldRows(schema: Schema, prefix = ''): readonly FieldRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const isRequired = schema.required?.includes(name) ?? false;
    const inner = fieldRows(field, `${prefix}${name}.`);
    const items = fieldRows(field.items ?? {}, `${prefix}${name}[].`);
    return [
      { name: `${prefix}${name}`, type: typeOf(field), description: descriptionOf(field), isRequired },
      ...inner,
      ...items,
    ];
  });
}

/** A type in words of JSON, with links to the named ones. */
export function typeOf(schema: Schema): string {
  const { $ref, anyOf, enum: values, items, type } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    return `[\`${name}\`](schemas.md#${name.toLowerCase()})`;
  }
  if ('const' in schema) return code(JSON.stringify(schema.const));
  if (values !== undefined) return values.map((value) => code(JSON.stringify(value))).join(' ');
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (type === 'array') return items === undefined ? 'list' : `list of ${typeOf(items)}`;
  if (type === 'object' && typeof schema.additionalProperties === 'object')
    return `object of ${typeOf(schema.additionalProperties)}`;
  return typeof type === 'string' ? type : (type?.join(' or ') ?? 'any JSON');
}

/** What a schema says of its values, with its limits. */
export function descriptionOf({
  default: preset,
  description = '',
  format,
  maximum,
  maxItems,
  maxLength,
  minimum,
}: Schema): string {
  const limits = [
    ...(format === 'date-time' ? ['ISO 8601'] : []),
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems} items`]),
    ...(preset === undefined ? [] : [`default ${code(JSON.stringify(preset))}`]),
  ];
  const sentence = limits.join(', ').replace(/^./, (first) => first.toUpperCase());
  return [description, sentence === '' ? '' : `${sentence}.`].filter((text) => text !== '').join(' ');
}

function code(text: string): string {
  return `\`${text}\``;
}
