import type { AccessLevel } from '@halyard/core';
import type { RegisteredTool, WorkflowDefinition } from '@halyard/core/server';
import { KindGuard, type TObject, type TSchema, Type } from '@sinclair/typebox';
import type { EndpointDescription } from '../define/endpoint.ts';
import { defineRunResult } from '../routes/executions/run-result.ts';
import type { AppSchemas } from './app-schemas.ts';
import { ComponentNames } from './component-names.ts';

/** The workflows and tools of an app, which have schemas of their own. */
export interface RegisteredParts {
  readonly workflows: readonly WorkflowDefinition[];
  readonly tools: readonly RegisteredTool[];
}

/**
 * An endpoint for one workflow or tool: `/workflows/order/execute` instead of
 * `/workflows/:id/execute`.
 */
export interface RegisteredOperation {
  readonly endpoint: EndpointDescription;
  /** The parameter of the path that has a fixed value. */
  readonly parameter: string;
  readonly value: string;
  /** Describes the tag of a workflow. */
  readonly tagDescription?: string;
}

/**
 * The operations that run each workflow and tool, with the schemas of its input, resume data and
 * result, so that generated clients are typed. Those that users may not run are left out. OpenAPI
 * prefers such a path to the one with the parameter, which remains for ids that are known at run
 * time only.
 */
export function registeredOperations(
  endpoints: readonly EndpointDescription[],
  { tools, workflows }: RegisteredParts,
  described: Described,
): readonly RegisteredOperation[] {
  const bases = new ComponentNames();
  return [
    ...workflows
      .filter(isForUsers)
      .flatMap((workflow) => workflowOperations(endpoints, workflow, bases.take(`workflow.${workflow.id}`), described)),
    ...tools
      .filter((tool) => isForUsers(tool))
      .flatMap((tool) => toolOperations(endpoints, tool, bases.take(`tool.${tool.name}`), described)),
  ];
}

function isForUsers({ access }: { readonly access: AccessLevel }): boolean {
  return access === 'users';
}

/** Where the operations put their schemas. */
export interface Described {
  readonly schemas: AppSchemas;
  /** The names of all components of the document. */
  readonly names: ComponentNames;
}

/** The fields of a request or a reply that a schema of the app replaces. */
interface Replaced {
  readonly body?: Readonly<Record<string, TSchema>>;
  readonly data?: Readonly<Record<string, TSchema>>;
  /** The result of the workflow, in the reply of a run. */
  readonly result?: TSchema;
}

function workflowOperations(
  endpoints: readonly EndpointDescription[],
  workflow: WorkflowDefinition,
  base: string,
  { names, schemas }: Described,
): RegisteredOperation[] {
  const { id, input, name, purpose, result } = workflow;
  const part = `workflow "${id}"`;
  const request =
    input &&
    schemas.add(input.jsonSchema, { name: `${base}.input`, part: `the input of ${part}`, insertsDefaults: true });
  const reply =
    result &&
    schemas.add(result.jsonSchema, { name: `${base}.result`, part: `the result of ${part}`, insertsDefaults: false });
  const resumeData = describeResumeData(workflow, base, schemas);
  const run = {
    ...(request && { body: { input: request } }),
    ...(reply && { result: reply }),
  };
  const state = { ...(request && { input: request }), ...(reply && { output: Type.Optional(reply) }) };
  const replaced: Readonly<Record<string, Replaced>> = {
    executeWorkflow: run,
    streamWorkflow: run,
    getExecution: { data: state },
    resumeExecution: { ...run, body: resumeData === undefined ? {} : { resumeData: Type.Optional(resumeData) } },
  };
  const nameOf = namesWithin(base, names);
  return endpoints.flatMap((endpoint) => {
    const fields = replaced[endpoint.operationId];
    if (fields === undefined) return [];
    const described = describe(endpoint, 'id', fields, nameOf);
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
  { name, tool }: RegisteredTool,
  base: string,
  { names, schemas }: Described,
): RegisteredOperation[] {
  // Neither can be executed over HTTP.
  if (tool.clientSide || tool.approval === true) return [];
  const { description, input, output } = tool;
  const part = `tool "${name}"`;
  const request = { name: `${base}.input`, part: `the input of ${part}`, insertsDefaults: true };
  const reply = { name: `${base}.result`, part: `the output of ${part}`, insertsDefaults: false };
  const fields: Replaced = {
    body: { input: schemas.add(input.jsonSchema, request) },
    ...(output && { data: { result: schemas.add(output.jsonSchema, reply) } }),
  };
  const nameOf = namesWithin(base, names);
  return endpoints
    .filter(({ operationId }) => operationId === 'executeTool')
    .map((endpoint) => ({
      endpoint: {
        ...describe(endpoint, 'name', fields, nameOf),
        summary: `Execute ${name}`,
        description,
        operationId: `${endpoint.operationId}_${identifier(base)}`,
      },
      parameter: 'name',
      value: encodeURIComponent(name),
    }));
}

/**
 * The resume data that a client may send: by the schema of the workflow, or of the steps that have
 * their own. Undefined where a step accepts anything: without a schema of the workflow, and for the
 * approvals of agents.
 */
function describeResumeData(workflow: WorkflowDefinition, base: string, schemas: AppSchemas): TSchema | undefined {
  const steps = [...workflow.index.values()].map(({ step }) => step);
  if (workflow.resumeSchema === undefined || steps.some(({ type, workflow: inner }) => type === 'andAgent' || inner))
    return undefined;
  const of = `workflow "${workflow.id}"`;
  const shared = schemas.add(workflow.resumeSchema.jsonSchema, {
    name: `${base}.resumeData`,
    part: `the resume data of ${of}`,
    insertsDefaults: true,
  });
  const own = steps.flatMap(({ id, resumeSchema }) =>
    resumeSchema === undefined
      ? []
      : [
          schemas.add(resumeSchema.jsonSchema, {
            name: `${base}.${id}.resumeData`,
            part: `the resume data of step "${id}" of ${of}`,
            insertsDefaults: true,
          }),
        ],
  );
  return own.length === 0 ? shared : Type.Union([shared, ...own]);
}

function describe(
  endpoint: EndpointDescription,
  parameter: string,
  { body, data, result }: Replaced,
  nameOf: (component: string) => string,
): EndpointDescription {
  const params = endpoint.params === undefined ? undefined : Type.Omit(endpoint.params as TObject, [parameter]);
  const described = {
    ...endpoint,
    params: Object.keys(params?.properties ?? {}).length === 0 ? undefined : params,
    body: replaceFields(endpoint.body, body, nameOf),
  };
  if (described.kind !== 'route') return described;
  const reply =
    result === undefined ? replaceFields(described.data, data, nameOf) : defineRunResult(result, nameOf('RunResult'));
  return { ...described, data: reply };
}

/**
 * The schema of an object with other schemas for some of its fields. A component that is changed
 * gets a name of its own.
 */
function replaceFields<S extends TSchema | undefined>(
  schema: S,
  fields: Readonly<Record<string, TSchema>> = {},
  nameOf: (component: string) => string,
): S {
  if (schema === undefined || !KindGuard.IsObject(schema) || Object.keys(fields).length === 0) return schema;
  const { $id, properties } = schema;
  return {
    ...schema,
    ...($id !== undefined && { $id: nameOf($id) }),
    properties: { ...properties, ...fields },
  };
}

/** Names for components that differ for a workflow or tool. Its operations share them. */
function namesWithin(base: string, names: ComponentNames): (component: string) => string {
  const known = new Map<string, string>();
  return (component) => {
    const name = known.get(component) ?? names.take(`${base}.${component}`);
    known.set(component, name);
    return name;
  };
}

function identifier(base: string): string {
  return base.slice(base.indexOf('.') + 1).replaceAll(/[^A-Za-z0-9]/g, '_');
}
