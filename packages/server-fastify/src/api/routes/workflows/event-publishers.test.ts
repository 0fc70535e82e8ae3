import { createWorkflow } from '@halyard/core';
import { afterEach, describe, expect, it } from 'vitest';
import type { AuthOptions } from '../../../access/auth-options.ts';
import { serve, type Served } from '../../../testing/serve.ts';
import { requestWorkflows } from '../../../testing/workflows.ts';

const key = 'the key of the console';
const provider = { type: 'names', verifyToken: (token: string) => ({ id: token }) };
const common = { provider, consoleKey: key, rejectedPerMinute: false } as const;
const open = 'POST /workflows/events';
const settings = {
  policy: common,
  'policy, with the route public': { ...common, publicRoutes: [open] },
  legacy: { ...common, mode: 'legacy' },
  'legacy, with the route public': { ...common, mode: 'legacy', publicRoutes: [open] },
  none: undefined,
} satisfies Record<string, AuthOptions | undefined>;

const who = {
  nobody: {},
  ada: { authorization: 'Bearer ada' },
  eve: { authorization: 'Bearer eve' },
  'the key': { 'x-console-access-key': key },
  'the dev bypass': { 'x-service-dev': 'true' },
} as const;

/**
 * How many executions of ada receive an event of this caller: of one that waits for the app, and
 * one that waits for its owner, too. Or the status of the refusal. In the order of {@link who}.
 */
type Row = readonly number[];
const table: Readonly<Record<keyof typeof settings, Row>> = {
  policy: [401, 1, 0, 2, 2],
  // A public route verifies no token.
  'policy, with the route public': [401, 401, 401, 2, 2],
  legacy: [401, 1, 0, 2, 2],
  'legacy, with the route public': [401, 401, 401, 2, 2],
  none: [2, 2, 2, 2, 2],
};

const workflows = (['server', 'owner'] as const).map((from) =>
  createWorkflow({ id: from }).andWaitForEvent({ id: 'pay', event: 'paid', from }),
);

let server: Served | undefined;
afterEach(() => server?.close());

describe.each(Object.keys(settings) as (keyof typeof settings)[])('mode %s', (mode) => {
  it.each(Object.entries(who).map(([name, headers], index) => [name, headers, table[mode][index]] as const))(
    'delivers an event of %s',
    async (_, headers, expected) => {
      const auth = settings[mode];
      server = await serve([], { workflows, ...(auth !== undefined && { auth }) });
      for (const { id } of workflows) await server.runtime.execute(id, {}, { userId: 'ada' });
      const { data, status } = await requestWorkflows(server.origin, '/events', { name: 'paid' }, headers);
      expect(status === 200 ? data['delivered'] : status).toBe(expected);
    },
  );
});

it('lets a user resume only a wait that receives events of this user', async () => {
  server = await serve([], { workflows, auth: common });
  const { origin, runtime } = server;
  for (const [id, status, code] of [
    ['server', 403, 'OPERATION_NOT_ALLOWED'],
    ['owner', 200, null],
  ] as const) {
    const { executionId } = await runtime.execute(id, {}, { userId: 'ada' });
    for (const options of [{}, { stepId: 'pay' }]) {
      const body = { resumeData: { paid: true }, options };
      const reply = await requestWorkflows(origin, `/${id}/executions/${executionId}/resume`, body, who.ada);
      if (reply.status !== 404) expect(reply).toMatchObject({ status, code });
    }
    const state = await runtime.get({ owner: 'anyone', workflowId: id, executionId });
    expect(state.status).toBe(status === 403 ? 'suspended' : 'completed');
    if (status === 403) await runtime.resume({ owner: 'anyone', workflowId: id, executionId }, { resumeData: 1 });
  }
});
