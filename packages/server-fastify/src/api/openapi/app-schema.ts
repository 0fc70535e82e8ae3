import type { ComponentNames } from './component-names.ts';
import { looksLikeReference, schemaOf } from './data-schema.ts';
import { escapePointer, innerSchemas, isJson, type Json, schemaKeywords } from './schema-keywords.ts';
import { type ReferenceTarget, SchemaReferences } from './schema-references.ts';

export interface AppSchemaOptions {
  /** The wanted name of the component. */
  readonly name: string;
  readonly names: ComponentNames;
  /** Whether properties with a default may be missing, because validation inserts them. */
  readonly insertsDefaults: boolean;
}

export interface AppSchema {
  /** The name of the component that describes the whole schema. */
  readonly name: string;
  /** That component, and one for each schema inside that is referred to. */
  readonly components: ReadonlyMap<string, Json | boolean>;
  /**
   * References that lead to no place inside the schema. The components accept any value instead.
   */
  readonly lost: readonly string[];
}

/**
 * A JSON Schema of the app, of draft-07 or later, as components of an OpenAPI 3.1 document that
 * accept the same values.
 *
 * In the document, `#` means the document, all schemas share ids and anchors, and generators follow
 * references to components only. So each schema that is referred to becomes a component, and
 * keywords of earlier drafts become those of 2020-12.
 */
export function appSchema(schema: Json, { insertsDefaults, name, names }: AppSchemaOptions): AppSchema {
  const references = new SchemaReferences(schema);
  const ignored = ignoredKeywords(schema);
  const { lost, targets } = findTargets(schema, references, ignored);
  const nameOf = new Map<string, string>();
  for (const target of targets.values())
    nameOf.set(target.pointer, names.take(target.pointer === '' ? name : `${name}.${labelOf(target)}`));

  const components = new Map<string, Json | boolean>();
  for (const [pointer, component] of nameOf) {
    const conversion: Conversion = { component: pointer, ignored, insertsDefaults, nameOf, references };
    const part = targets.get(pointer)?.schema;
    if (part !== undefined) components.set(component, isJson(part) ? convert(part, pointer, conversion) : part);
  }
  return { name: nameOf.get('') ?? name, components, lost };
}

const referenceKeywords: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef']);

/**
 * Keywords without a meaning in a component: those that references need, and those that OpenAPI
 * reads differently.
 */
const droppedKeywords: ReadonlySet<string> = new Set([
  '$anchor',
  '$defs',
  '$dynamicAnchor',
  '$id',
  '$recursiveAnchor',
  '$schema',
  '$vocabulary',
  'additionalItems',
  'definitions',
  'discriminator',
  'nullable',
]);

const keywordsSince2020 = ['prefixItems'];
const keywordsSince2019 = [
  ...keywordsSince2020,
  '$dynamicRef',
  '$recursiveRef',
  'contentSchema',
  'dependentRequired',
  'dependentSchemas',
  'maxContains',
  'minContains',
  'unevaluatedItems',
  'unevaluatedProperties',
];

/**
 * The keywords that validation ignores, because they are later than the draft that the schema
 * names.
 */
function ignoredKeywords({ $schema }: Json): ReadonlySet<string> {
  if (typeof $schema !== 'string' || $schema.includes('2020-12')) return droppedKeywords;
  return new Set([...droppedKeywords, ...($schema.includes('2019-09') ? keywordsSince2020 : keywordsSince2019)]);
}

interface Targets {
  /** By their pointers; the root comes first. */
  readonly targets: ReadonlyMap<string, ReferenceTarget>;
  readonly lost: readonly string[];
}

/** The root, and every schema inside that it refers to. */
function findTargets(root: Json, references: SchemaReferences, ignored: ReadonlySet<string>): Targets {
  const targets = new Map<string, ReferenceTarget>([['', { pointer: '', schema: root }]]);
  const lost = new Set<string>();
  const read = new Set<string>();
  const collect = (schema: Json, pointer: string): void => {
    if (read.has(pointer)) return;
    read.add(pointer);
    for (const keyword of referenceKeywords) {
      if (!Object.hasOwn(schema, keyword) || ignored.has(keyword)) continue;
      const target = references.target(keyword, schema[keyword], pointer);
      if (target === undefined) lost.add(JSON.stringify(schema[keyword]));
      else if (!targets.has(target.pointer)) targets.set(target.pointer, target);
    }
    for (const [keyword, place, inner] of innerSchemas(schema, pointer))
      if (!ignored.has(keyword) || keyword === 'additionalItems') collect(inner, place);
  };
  // The list grows while it is read: targets refer to further ones.
  for (const { pointer, schema } of targets.values()) if (isJson(schema)) collect(schema, pointer);
  return { targets, lost: [...lost] };
}

/** The id of a schema, or its name where it is. */
function labelOf({ pointer, schema }: ReferenceTarget): string {
  const id = isJson(schema) ? schema['$id'] : undefined;
  return typeof id === 'string' && /^\w+$/.test(id) ? id : pointer.slice(pointer.lastIndexOf('/') + 1);
}

interface Conversion {
  /** The pointer of the schema that becomes the component. */
  readonly component: string;
  readonly nameOf: ReadonlyMap<string, string>;
  readonly references: SchemaReferences;
  readonly ignored: ReadonlySet<string>;
  readonly insertsDefaults: boolean;
}

function convertPart(part: unknown, pointer: string, conversion: Conversion): unknown {
  const name = conversion.nameOf.get(pointer);
  if (name !== undefined) return referenceTo(name);
  return isJson(part) ? convert(part, pointer, conversion) : part;
}

function convert(schema: Json, pointer: string, conversion: Conversion): Json {
  const converted = new Map<string, unknown>();
  /** Schemas that would need a keyword twice. */
  const further: Json[] = [];
  const set = (keyword: string, value: unknown): void => {
    if (converted.has(keyword)) further.push({ [keyword]: value });
    else converted.set(keyword, value);
  };
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${pointer}/${escapePointer(keyword)}`;
    if (conversion.ignored.has(keyword)) continue;
    if (referenceKeywords.has(keyword)) {
      const target = conversion.references.target(keyword, value, pointer);
      const name = target && conversion.nameOf.get(target.pointer);
      if (name !== undefined) set('$ref', referenceTo(name).$ref);
    } else if (keyword === 'items' && Array.isArray(value)) {
      if (value.length > 0) set('prefixItems', convertList(value, at, conversion));
      if (Object.hasOwn(schema, 'additionalItems'))
        set('items', convertPart(schema['additionalItems'], `${pointer}/additionalItems`, conversion));
    } else if (keyword === 'dependencies' && isJson(value)) {
      // Ajv ignores this one name here, and only here.
      const { ['__proto__']: _ignored, ...checked } = value;
      set('dependentSchemas', convertMap(checked, at, conversion));
    } else if (keyword === 'enum' && Array.isArray(value) && value.length === 0) {
      // Many tools refuse an empty list, which no value fits.
      set('not', {});
    } else if (keyword === 'type' && schema['nullable'] === true) {
      set(keyword, [...new Set([value, 'null'].flat())]);
    } else if (keyword === 'required' && conversion.insertsDefaults) {
      const required = withoutDefaulted(value, schema['properties']);
      if (required !== undefined) set(keyword, required);
    } else if (schemaKeywords.has(keyword) || !looksLikeReference(value)) {
      set(keyword, convertValue(keyword, value, at, conversion));
    } else if (keyword === 'const') further.push(schemaOf(value));
    else if (keyword === 'enum' && Array.isArray(value)) further.push({ anyOf: value.map(schemaOf) });
  }
  if (further.length > 0) converted.set('allOf', [...[converted.get('allOf') ?? []].flat(), ...further]);
  return Object.fromEntries(converted);
}

/** Validation inserts no defaults below these keywords. */
const keywordsWithoutDefaults: ReadonlySet<string> = new Set([
  'anyOf',
  'contains',
  'if',
  'not',
  'oneOf',
  'propertyNames',
]);

function convertValue(keyword: string, value: unknown, pointer: string, outer: Conversion): unknown {
  const conversion = keywordsWithoutDefaults.has(keyword) ? { ...outer, insertsDefaults: false } : outer;
  switch (schemaKeywords.get(keyword)) {
    case 'schema':
      return convertPart(value, pointer, conversion);
    case 'list':
      return Array.isArray(value) ? convertList(value, pointer, conversion) : value;
    case 'map':
      return isJson(value) ? convertMap(value, pointer, conversion) : value;
    default:
      return value;
  }
}

function convertList(parts: readonly unknown[], pointer: string, conversion: Conversion): unknown[] {
  return parts.map((part, index) => convertPart(part, `${pointer}/${index}`, conversion));
}

/** The value of a name in `dependencies` may be a list of properties. */
function convertMap(parts: Json, pointer: string, conversion: Conversion): Json {
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [
      name,
      Array.isArray(part) ? { required: part } : convertPart(part, `${pointer}/${escapePointer(name)}`, conversion),
    ]),
  );
}

function withoutDefaulted(required: unknown, properties: unknown): unknown {
  if (!Array.isArray(required) || !isJson(properties)) return required;
  const names = required.filter((name: string) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return !isJson(property) || !Object.hasOwn(property, 'default');
  });
  return names.length === 0 ? undefined : names;
}

/** A reference to a component. */
export function referenceTo(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}
