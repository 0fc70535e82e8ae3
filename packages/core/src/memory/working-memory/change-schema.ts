import { isJsonSchemaObject, type JsonSchema } from '../../schema/schema.ts';
import { fieldsFromSchema, itemsFromSchema, withoutNull } from './fields.ts';

/**
 * The schema of a change: at every depth that is merged, no field is required and none has a
 * default. A field that may be removed can be null, and a list can be `{ add, remove }`. It adds
 * only keywords that the strict modes of providers accept.
 */
export function changeSchema(object: JsonSchema): JsonSchema {
  const { required: _, default: __, ...schema } = object;
  const { properties, additionalProperties } = schema;
  const fields = fieldsFromSchema(object);
  const change = (name: string, property: unknown): unknown =>
    isJsonSchemaObject(property) ? fieldChange(property, fields?.isRequired(name) === true) : property;
  return {
    ...schema,
    ...(isJsonSchemaObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, change(name, property)]),
      ),
    }),
    ...(isJsonSchemaObject(additionalProperties) && { additionalProperties: fieldChange(additionalProperties, false) }),
  };
}

function fieldChange({ description, default: _, ...schema }: JsonSchema, isRequired: boolean): JsonSchema {
  const value = withoutNull(schema) ?? schema;
  const items = itemsFromSchema(value);
  const branches = [
    fieldsFromSchema(value) === undefined ? value : changeSchema(value),
    ...(items === undefined ? [] : [itemChanges(items)]),
    ...(isRequired && value === schema ? [] : [{ type: 'null' }]),
  ];
  const [branch = value, ...others] = branches;
  return { ...(description !== undefined && { description }), ...(others.length === 0 ? branch : { anyOf: branches }) };
}

function itemChanges(items: JsonSchema): JsonSchema {
  const list = { type: 'array', items };
  return {
    type: 'object',
    description: 'Adds and removes items of the list. A list instead replaces all of its items.',
    properties: { add: list, remove: list },
    required: ['add', 'remove'],
    additionalProperties: false,
  };
}
