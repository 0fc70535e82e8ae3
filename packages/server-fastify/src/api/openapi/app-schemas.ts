import { type TSchema, Type } from '@sinclair/typebox';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { appSchema, referenceTo } from './app-schema.ts';
import { endlessComponents } from './component-cycles.ts';
import type { ComponentNames } from './component-names.ts';
import type { Json } from './schema-keywords.ts';

/**
 * Reports a part of the app that the document cannot describe exactly. @param reason the end of a
 * sentence about the part.
 */
export type ReportUndescribed = (part: string, reason: string) => void;

export interface AppSchemaToDescribe {
  /** The schema in a report: `the input of workflow "order"`. */
  readonly part: string;
  /** The wanted name of its component. */
  readonly name: string;
  /** Whether properties with a default may be missing. */
  readonly insertsDefaults: boolean;
}

/**
 * The components that describe the schemas of the app. A schema that cannot be described is
 * reported, and any JSON is documented.
 */
export class AppSchemas {
  readonly #components = new Map<string, Json | boolean>();
  readonly #names: ComponentNames;
  readonly #report: ReportUndescribed;

  constructor(names: ComponentNames, report: ReportUndescribed) {
    this.#names = names;
    this.#report = report;
  }

  get components(): ReadonlyMap<string, Json | boolean> {
    return this.#components;
  }

  /** Adds a schema, and returns a reference to its component. */
  add(schema: Json, { insertsDefaults, name, part }: AppSchemaToDescribe): TSchema {
    const isTooDeep = isDeeperThan(greatestDepth, schema);
    if (isTooDeep) this.#report(part, `is nested more than ${greatestDepth} levels deep`);
    const converted = appSchema(isTooDeep ? anyJson : schema, { insertsDefaults, name, names: this.#names });
    const endless = endlessComponents(converted.components);
    for (const reference of converted.lost) this.#report(part, `contains no schema for its reference ${reference}`);
    for (const [component, described] of converted.components) {
      const fault = endless.has(component) ? 'refers to itself without end' : findFault(described);
      if (fault !== undefined) this.#report(part, fault);
      this.#components.set(component, fault === undefined ? described : anyJson);
    }
    return Type.Unsafe(referenceTo(converted.name));
  }
}

let checker: Ajv2020 | undefined;

/**
 * Finds the fault of a schema of the app. Schemas that other libraries generate are not checked
 * when the app registers them.
 */
function findFault(schema: Json | boolean): string | undefined {
  checker ??= new Ajv2020({ strict: false, logger: false, validateFormats: false, code: { optimize: false } });
  if (checker.validateSchema(schema) === true) return undefined;
  return `is not valid JSON Schema: ${checker.errorsText(checker.errors, { dataVar: 'schema' })}`;
}

const anyJson = { description: 'Any JSON: the schema cannot be described. The log of the server contains the reason.' };

/** Tools that read documents fail before this depth, and recursion soon after it. */
const greatestDepth = 500;

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}
