import type { ApiDocument } from './reply-check.ts';

type Json = Readonly<Record<string, unknown>>;

/** A schema that accepts any JSON, or an object with any fields. */
export interface VagueSchema {
  /**
   * By operation or component, then by property; variants of a union by their `type`:
   * `AgentEvent(tool-call).input`.
   */
  readonly at: string;
  /** Its description. */
  readonly description: string | undefined;
}

/** The vague schemas of all replies of a document. Those of a named schema are listed once. */
export function vagueSchemas({ components, paths }: ApiDocument): readonly VagueSchema[] {
  const found = new Map<string, VagueSchema>();
  const visited = new Set<string>();

  function visit(schema: unknown, at: string, outer?: string): void {
    if (!isObject(schema)) return;
    const description = typeof schema['description'] === 'string' ? schema['description'] : outer;
    if (typeof schema['$ref'] === 'string') visitNamed(schema['$ref'].split('/').at(-1) ?? '');
    else if (isVague(schema)) found.set(at, { at, description });
    for (const [name, property] of Object.entries(objectAt(schema, 'properties'))) visit(property, `${at}.${name}`);
    for (const variant of listAt(schema, 'anyOf')) visit(variant, `${at}${tagOf(variant)}`);
    visit(schema['items'], `${at}[]`);
    visit(schema['additionalProperties'], `${at}.*`, description);
  }

  function visitNamed(name: string): void {
    if (visited.has(name)) return;
    visited.add(name);
    visit(components.schemas[name], name);
  }

  for (const operations of Object.values(paths)) {
    for (const { operationId, responses } of Object.values(operations)) {
      for (const { content = {}, headers = {} } of Object.values(responses)) {
        for (const { schema } of [...Object.values(content), ...Object.values(headers)]) visit(schema, operationId);
      }
    }
  }
  return [...found.values()];
}

const saying = ['$ref', 'allOf', 'anyOf', 'const', 'enum', 'oneOf', 'properties', 'type'];

function isVague(schema: Json): boolean {
  if (!saying.some((keyword) => keyword in schema)) return true;
  const isOpen = !('additionalProperties' in schema) || schema['additionalProperties'] === true;
  return [schema['type']].flat().includes('object') && !('properties' in schema) && isOpen;
}

function tagOf(variant: unknown): string {
  const { const: tag } = isObject(variant) ? objectAt(objectAt(variant, 'properties'), 'type') : {};
  return typeof tag === 'string' ? `(${tag})` : '';
}

function objectAt(schema: Json, key: string): Json {
  const part = schema[key];
  return isObject(part) ? part : {};
}

function listAt(schema: Json, key: string): readonly unknown[] {
  const part = schema[key];
  return Array.isArray(part) ? part : [];
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
