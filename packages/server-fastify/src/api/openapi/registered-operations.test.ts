import { Agent, createTool, createWorkflow, type Tool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Type } from '@sinclair/typebox';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import type { AuthOptions } from '../../access/auth-options.ts';
import type { ServerOptions } from '../../server-options.ts';
import { serve } from '../../testing/serve.ts';

interface Tagged {
  readonly properties?: { readonly tag?: { readonly const?: string } };
}

interface Described {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly operationId: string; readonly security?: object; readonly responses: object }>>
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const consoleKey = 'the key of the console';
const provider = { type: 'names', verifyToken: () => ({ id: 'ada' }) };
// A recursive schema, as zod generates it: its references start at the root of the schema.
const tree = {
  type: 'object',
  properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/Node' } } },
  $defs: { Node: { type: 'object', properties: { child: { $ref: '#' }, next: { $ref: '#/$defs/Node' } } } },
};
const workflows = ['a.b', 'a:b', 'A.B'].map((id) =>
  createWorkflow({ id, name: id, purpose: '', input: tree, result: tree }).andThen({ id: 's', execute: () => ({}) }),
);
const dice = createTool({
  name: 'dice',
  description: 'Rolls dice',
  input: Type.Object({ count: Type.Integer() }),
  execute: () => 1,
});

it('describes workflows and tools of any name in a valid document', async () => {
  const document = await documentOf({ provider, consoleKey });
  expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining([
      '/workflows/{id}/execute',
      '/workflows/a.b/execute',
      '/workflows/a:b/execute',
      '/workflows/A.B/execute',
      '/tools/dice/execute',
    ]),
  );
});

it('describes the schemas that a schema of a workflow refers to as components', async () => {
  const { components } = await documentOf({ provider, consoleKey });
  expect(components.schemas).toMatchObject({
    'workflow.a.b.input': {
      properties: { children: { items: { $ref: '#/components/schemas/workflow.a.b.input.Node' } } },
    },
    'workflow.a.b.input.Node': {
      properties: {
        child: { $ref: '#/components/schemas/workflow.a.b.input' },
        next: { $ref: '#/components/schemas/workflow.a.b.input.Node' },
      },
    },
  });
});

it('tells by the status whether a run has the result of its workflow', async () => {
  const result = { type: 'object', properties: { cents: { type: 'integer' } }, required: ['cents'] };
  const pay = createWorkflow({ id: 'pay', result }).andThen({ id: 's', execute: () => ({ cents: 1 }) });
  const document = await documentOf(undefined, { workflows: [pay] });
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({ ...document }, 'api');
  const accepts = (status: string, returned: unknown): boolean => {
    const validate = ajv.compile({ $ref: 'api#/components/schemas/workflow.pay.RunResult' });
    return validate({ executionId: 'e', startAt: '', endAt: null, status, result: returned });
  };
  expect(accepts('completed', { cents: 1 })).toBe(true);
  expect(accepts('completed', null)).toBe(false);
  for (const status of ['running', 'suspended', 'cancelled']) expect(accepts(status, null)).toBe(true);
  expect(accepts('error', null)).toBe(false);
  for (const operation of ['execute', 'executions/{executionId}/resume'])
    expect(JSON.stringify(document.paths[`/workflows/pay/${operation}`])).toContain('schemas/workflow.pay.RunResult"');
});

it('gives each schema a name of its own', async () => {
  const tagged = (tag: string) => ({ type: 'object', properties: { tag: { const: tag } } });
  const step = (id: string, tag: string) => ({ id, resumeSchema: tagged(tag), execute: () => ({}) });
  const workflow = (id: string) =>
    createWorkflow({ id, purpose: '', input: tagged(`${id} input`), resumeSchema: tagged(`${id} resumeData`) });
  const registered = [
    workflow('a').andThen(step('x', 'step x')).andThen(step('X', 'step X')).andThen(step('input', 'step input')),
    workflow('a.x').andThen(step('RunRequest', 'step RunRequest')),
    workflow('a.input').andThen(step('Node', 'step Node')),
  ];
  const { components, paths } = await documentOf(undefined, { workflows: registered });
  const tags = Object.values(components.schemas).flatMap((schema) => (schema as Tagged).properties?.tag?.const ?? []);
  expect(tags.toSorted()).toEqual([
    'a input',
    'a resumeData',
    'a.input input',
    'a.input resumeData',
    'a.x input',
    'a.x resumeData',
    'step Node',
    'step RunRequest',
    'step X',
    'step input',
    'step x',
  ]);
  const names = Object.keys(components.schemas).map((name) => name.replaceAll(/[^A-Za-z0-9]/g, '_').toLowerCase());
  expect(new Set(names).size).toBe(names.length);
  const operations = Object.values(paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
  expect(new Set(operations).size).toBe(operations.length);
});

it('describes any JSON for schemas that cannot be described, and logs why', async () => {
  const lines: string[] = [];
  const deep = JSON.parse(`${'{"not":'.repeat(600)}{}${'}'.repeat(600)}`);
  const tools = [
    hostile('deep', deep),
    hostile('wrong', { properties: { a: { type: 'no type' } }, required: 'yes' }),
    hostile('remote', { properties: { city: { $ref: 'https://x.test/city' } } }),
    hostile('endless', { properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { allOf: [{ $ref: '#/$defs/A' }] } } }),
    hostile('openapi', { discriminator: 5, xml: 5, externalDocs: 5, example: 5, 'x-y': { $ref: '#/nowhere' } }),
  ];
  const { components, ...document } = await documentOf(undefined, {
    tools,
    logger: { level: 'warn', stream: { write: (line: string) => lines.push(line) } },
  });
  expect(await new Validator().validate({ ...document, components })).toEqual({ valid: true });
  const any = { description: expect.stringContaining('Any JSON') };
  expect(components.schemas).toMatchObject({
    'tool.deep.input': any,
    'tool.wrong.input': any,
    'tool.remote.input': { properties: { city: {} } },
    'tool.endless.input': { properties: { a: { $ref: '#/components/schemas/tool.endless.input.A' } } },
    'tool.endless.input.A': any,
  });
  expect(lines.map((line) => JSON.parse(line)).map(({ part, reason }) => [part, reason])).toEqual([
    ['the input of tool "deep"', 'is nested more than 500 levels deep'],
    ['the input of tool "wrong"', expect.stringContaining('schema/properties/a/type must be')],
    ['the input of tool "remote"', 'contains no schema for its reference "https://x.test/city"'],
    ['the input of tool "endless"', 'refers to itself without end'],
  ]);
});

it('describes properties whose names are keywords elsewhere', async () => {
  const names = ['if', 'const', 'examples', '$ref', '$id', '$schema', 'nullable', '__proto__'];
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  const odd = createTool({
    name: 'odd',
    description: 'Odd',
    execute: () => 1,
    input: { type: 'object', properties, required: names },
  });
  const document = await documentOf(undefined, { tools: [odd] });
  expect(document.components.schemas['tool.odd.input']).toEqual({ type: 'object', properties, required: names });
  // The validator takes every key `$ref` for a reference, also the name of a property.
  const readable = JSON.parse(JSON.stringify(document).replaceAll('"$ref":{', '"ref":{'));
  expect(await new Validator().validate(readable)).toEqual({ valid: true });
});

it('documents the credential of each route, and the replies to a wrong one', async () => {
  const { components, paths } = await documentOf({ provider, consoleKey });
  expect(components).toMatchObject({
    securitySchemes: {
      userToken: { type: 'http', scheme: 'bearer' },
      consoleKey: { type: 'apiKey', in: 'header', name: 'x-console-access-key' },
    },
  });
  expect(paths['/workflows/a.b/execute']?.['post']?.security).toEqual([{ userToken: [] }]);
  expect(paths['/agents']?.['get']?.security).toEqual([{ consoleKey: [] }]);
  expect(paths['/healthz']?.['get']?.security).toEqual([]);
  expect(Object.keys(paths['/agents']?.['get']?.responses ?? {})).toEqual(expect.arrayContaining(['401', '429']));
  expect(Object.keys(paths['/healthz']?.['get']?.responses ?? {})).not.toContain('401');
});

it('documents no credentials without access control', async () => {
  const { components, paths } = await documentOf(undefined);
  expect(components).not.toHaveProperty('securitySchemes');
  expect(paths['/agents']?.['get']).not.toHaveProperty('security');
});

/**
 * A tool of which the JSON Schema was generated, so that it was not checked when the tool was
 * created.
 */
function hostile(name: string, jsonSchema: object): Tool {
  const generated = { input: () => ({ type: 'object', ...jsonSchema }), output: () => jsonSchema };
  const validate = (value: unknown) => ({ value });
  const input = { '~standard': { version: 1, vendor: 'test', validate, jsonSchema: generated } } as const;
  return createTool({ name, description: 'Odd', input, execute: () => 1 });
}

async function documentOf(auth: AuthOptions | undefined, options: Partial<ServerOptions> = {}): Promise<Described> {
  const server = await serve([], {
    agents: [new Agent({ id: 'plain', model: scriptedModel('ok'), tools: [dice] })],
    workflows,
    ...(auth && { auth }),
    ...options,
  });
  const headers = { 'x-console-access-key': consoleKey };
  const response = await fetch(`${server.origin}/doc`, { headers });
  const document = (await response.json()) as Described;
  await server.close();
  return document;
}
