import type { RegisteredTool, WorkflowDefinition } from '@halyard/core';
import { KindGuard, type TObject, type TSchema, Type } from '@sinclair/typebox';
import type { EndpointDescription } from '../define/endpoint.ts';
import { appSchema } from './app-schema.ts';

/** The workflows and tools of an app, which have schemas of their own. */
export interface RegisteredParts {
  readonly workflows: readonly WorkflowDefinition[];
  readonly tools: readonly RegisteredTool[];
}

/** An endpoint for one workflow or tool: `/workflows/order/execute` instead of `/workflows/:id/execute`. */
export interface RegisteredOperation {
  readonly endpoint: EndpointDescription;
  /** The parameter of the path that has a fixed value. */
  readonly parameter: string;
  readonly value: string;
  /** Describes the tag of a workflow. */
  readonly tagDescription?: string;
}

/**
 * The operations that run each workflow and tool, with the schemas of its input, resume data and result, so that generated clients are
 * typed. OpenAPI prefers such a path to the one with the parameter, which remains for ids that are known at run time only.
 */
export function registeredOperations(
  endpoints: readonly EndpointDescription[],
  { tools, workflows }: RegisteredParts,
): readonly RegisteredOperation[] {
  const names = new Names();
  return [
    ...workflows.flatMap((workflow) => workflowOperations(endpoints, workflow, names)),
    ...tools.flatMap((tool) => toolOperations(endpoints, tool, names)),
  ];
}

/** The fields of a request or a reply that a schema of the app replaces. */
interface Replaced {
  readonly body?: Readonly<Record<string, TSchema>>;
  readonly data?: Readonly<Record<string, TSchema>>;
}

function workflowOperations(
  endpoints: readonly EndpointDescription[],
  workflow: WorkflowDefinition,
  names: Names,
): RegisteredOperation[] {
  const { id, input, name, purpose, result } = workflow;
  const base = names.take(`workflow.${id}`);
  const request = input && named(`${base}.input`, input.jsonSchema);
  const reply = result && named(`${base}.result`, result.jsonSchema);
  const resumeData = resumeDataOf(workflow, base);
  const run = {
    ...(request && { body: { input: request } }),
    ...(reply && { data: { result: orNull(reply) } }),
  };
  const state = { ...(request && { input: request }), ...(reply && { output: Type.Optional(reply) }) };
  const replaced: Readonly<Record<string, Replaced>> = {
    executeWorkflow: run,
    streamWorkflow: run,
    getExecution: { data: state },
    resumeExecution: { ...run, body: resumeData === undefined ? {} : { resumeData: Type.Optional(resumeData) } },
  };
  return endpoints.flatMap((endpoint) => {
    const fields = replaced[endpoint.operationId];
    if (fields === undefined) return [];
    const described = describe(endpoint, 'id', fields, base);
    return [
      {
        endpoint: { ...described, tag: `Workflow ${id}`, operationId: `${endpoint.operationId}_${identifier(base)}` },
        parameter: 'id',
        value: id,
        tagDescription: purpose === '' ? name : `${name}: ${purpose}`,
      },
    ];
  });
}

function toolOperations(
  endpoints: readonly EndpointDescription[],
  { tool }: RegisteredTool,
  names: Names,
): RegisteredOperation[] {
  // Neither can be executed over HTTP.
  if (tool.clientSide || tool.approval === true) return [];
  const base = names.take(`tool.${tool.name}`);
  const fields: Replaced = {
    body: { input: named(`${base}.input`, tool.input.jsonSchema) },
    ...(tool.output && { data: { result: named(`${base}.result`, tool.output.jsonSchema) } }),
  };
  return endpoints
    .filter(({ operationId }) => operationId === 'executeTool')
    .map((endpoint) => ({
      endpoint: {
        ...describe(endpoint, 'name', fields, base),
        summary: `Execute ${tool.name}`,
        description: tool.description,
        operationId: `${endpoint.operationId}_${identifier(base)}`,
      },
      parameter: 'name',
      value: tool.name,
    }));
}

/**
 * What a client may send to resume the workflow: the schema of the workflow, or of the steps that have their own. Undefined where a
 * step accepts anything: without a schema of the workflow, and for the approvals of agents.
 */
function resumeDataOf(workflow: WorkflowDefinition, base: string): TSchema | undefined {
  const steps = [...workflow.index.values()].map(({ step }) => step);
  if (workflow.resumeSchema === undefined || steps.some(({ type, workflow: inner }) => type === 'andAgent' || inner))
    return undefined;
  const own = steps.flatMap(({ id, resumeSchema }) =>
    resumeSchema === undefined ? [] : [named(`${base}.${id}.resumeData`, resumeSchema.jsonSchema)],
  );
  const shared = named(`${base}.resumeData`, workflow.resumeSchema.jsonSchema);
  return own.length === 0 ? shared : Type.Union([shared, ...own]);
}

function describe(
  endpoint: EndpointDescription,
  parameter: string,
  { body, data }: Replaced,
  base: string,
): EndpointDescription {
  const params = endpoint.params === undefined ? undefined : Type.Omit(endpoint.params as TObject, [parameter]);
  const described = {
    ...endpoint,
    params: Object.keys(params?.properties ?? {}).length === 0 ? undefined : params,
    body: replaceFields(endpoint.body, body, base),
  };
  return described.kind === 'route' ? { ...described, data: replaceFields(described.data, data, base) } : described;
}

/** The schema of an object with other schemas for some of its fields. A component that is changed gets a name of its own. */
function replaceFields<S extends TSchema | undefined>(
  schema: S,
  fields: Readonly<Record<string, TSchema>> = {},
  base: string,
): S {
  if (schema === undefined || !KindGuard.IsObject(schema) || Object.keys(fields).length === 0) return schema;
  const { $id, properties } = schema;
  return { ...schema, $id: `${base}.${$id}`, properties: { ...properties, ...fields } };
}

function named(name: string, schema: object): TSchema {
  return Type.Unsafe(appSchema(componentName(name), schema));
}

function orNull(schema: TSchema): TSchema {
  return Type.Union([schema, Type.Null()], { description: 'Null unless the status is completed.' });
}

/** Names of components may contain letters, digits and `._-`. */
function componentName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_.-]/g, '_');
}

function identifier(base: string): string {
  return base.slice(base.indexOf('.') + 1).replaceAll(/[^A-Za-z0-9]/g, '_');
}

/** Ids that differ only in characters that names of components cannot contain get different names. */
class Names {
  readonly #taken = new Set<string>();

  take(wanted: string): string {
    const name = componentName(wanted);
    let free = name;
    for (let count = 2; this.#taken.has(keyOf(free)); count += 1) free = `${name}_${count}`;
    this.#taken.add(keyOf(free));
    return free;
  }
}

/** Generators turn names into identifiers, in which other characters and the case of letters may be lost. */
function keyOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '_').toLowerCase();
}
