import { Agent, createTool, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import type { AuthOptions } from '../access/auth-options.ts';
import { serve } from '../testing/serve.ts';

interface Described {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly security?: object; readonly responses: object }>>>
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

it('keeps references inside the schema of a workflow', async () => {
  const { components } = await documentOf({ provider, consoleKey });
  expect(components.schemas['workflow.a.b.input']).toMatchObject({
    properties: { children: { items: { $ref: '#/components/schemas/workflow.a.b.input/$defs/Node' } } },
    $defs: { Node: { properties: { child: { $ref: '#/components/schemas/workflow.a.b.input' } } } },
  });
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

async function documentOf(auth: AuthOptions | undefined): Promise<Described> {
  const server = await serve([], {
    agents: [new Agent({ id: 'plain', model: scriptedModel('ok'), tools: [dice] })],
    workflows,
    ...(auth && { auth }),
  });
  const headers = { 'x-console-access-key': consoleKey };
  const response = await fetch(`${server.origin}/doc`, { headers });
  const document = (await response.json()) as Described;
  await server.close();
  return document;
}
