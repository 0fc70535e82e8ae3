import { isJsonSchemaObject, type JsonSchema } from '../../schema/schema.ts';

/**
 * The fields of an object, as far as a schema names them in its own `properties`, without
 * references and intersections.
 */
export interface Fields {
  /** The schema of a field; undefined for a field that the schema does not describe. */
  schemaOf(name: string): JsonSchema | undefined;
  /** Whether the object must have the field. One with a default need not be given. */
  isRequired(name: string): boolean;
  /** Whether the object may have a field that the schema does not describe. */
  readonly areOpen: boolean;
}

/** The fields of an object; undefined if the schema is of something else. */
export function fieldsFromSchema(schema: JsonSchema | undefined): Fields | undefined {
  const object = withoutNull(schema);
  if (!hasType(object, 'object')) return undefined;

  const { properties, required, additionalProperties } = object;
  const others = isJsonSchemaObject(additionalProperties) ? additionalProperties : undefined;
  const schemaOf = (name: string): JsonSchema | undefined => {
    if (!isJsonSchemaObject(properties) || !Object.hasOwn(properties, name)) return others;
    const property = properties[name];
    return isJsonSchemaObject(property) ? property : {};
  };
  return {
    schemaOf,
    isRequired: (name) =>
      Array.isArray(required) && required.includes(name) && schemaOf(name)?.['default'] === undefined,
    areOpen:
      properties === undefined ||
      (additionalProperties !== undefined && additionalProperties !== false) ||
      openKeywords.some((keyword) => keyword in object),
  };
}

/**
 * The schema of the items of a list, `{}` if it does not say; undefined if the schema is of
 * something else.
 */
export function itemsFromSchema(schema: JsonSchema | undefined): JsonSchema | undefined {
  const list = withoutNull(schema);
  if (!hasType(list, 'array')) return undefined;
  return isJsonSchemaObject(list['items']) ? list['items'] : {};
}

/** The only branch of a union besides null; the schema itself if it is something else. */
export function withoutNull(schema: JsonSchema | undefined): JsonSchema | undefined {
  const union: unknown = schema?.['anyOf'] ?? schema?.['oneOf'];
  if (!Array.isArray(union)) return schema;
  const branches: readonly unknown[] = union;
  const [branch, ...others] = branches.filter((one) => !hasType(one, 'null'));
  return isJsonSchemaObject(branch) && others.length === 0 ? branch : schema;
}

function hasType(schema: unknown, type: string): schema is JsonSchema {
  if (!isJsonSchemaObject(schema)) return false;
  return [schema['type']].flat().includes(type);
}

/** With these, other parts of the schema say which fields an object may have. */
const openKeywords = ['$ref', 'allOf', 'anyOf', 'if', 'oneOf', 'patternProperties'];
