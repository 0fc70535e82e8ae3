import type { HalyardServer } from '@halyard/server-fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallerName, callers, levels, type Mode, openTargets } from './targets.ts';

type Level = (typeof levels)[number];

/**
 * By caller, in the order of {@link callers}. `A`: 401 "Authentication required". `C`: 401 "Console
 * access required".
 */
type Row = readonly [nobody: Cell, owner: Cell, other: Cell, key: Cell, bypass: Cell];
type Cell = 200 | 204 | 404 | 'A' | 'C';
type Rows = Readonly<Record<Level, Row>>;

const closed: Row = ['C', 'C', 'C', 200, 200];

/** Runs something. */
const calls: Readonly<Record<Mode, Rows>> = {
  policy: { users: ['A', 200, 200, 'A', 200], operators: closed, server: ['A', 404, 404, 'A', 404] },
  legacy: { users: ['A', 200, 200, 'A', 200], operators: closed, server: ['A', 404, 404, 'A', 404] },
  none: {
    users: [200, 200, 200, 200, 200],
    operators: [200, 200, 200, 200, 200],
    server: [404, 404, 404, 404, 404],
  },
};
/** Reads or changes an execution of the owner. Legacy mode leaves these routes open. */
const executions: Readonly<Record<Mode, Rows>> = {
  policy: { users: ['A', 200, 404, 'A', 200], operators: closed, server: ['A', 404, 404, 200, 200] },
  legacy: { users: [200, 200, 200, 200, 200], operators: closed, server: [404, 404, 404, 200, 200] },
  none: everywhere(200),
};
/** Describes a thing, for operators. */
const details: Readonly<Record<Mode, Rows>> = {
  policy: { users: closed, operators: closed, server: closed },
  legacy: { users: [200, 200, 200, 200, 200], operators: closed, server: [404, 404, 404, 200, 200] },
  none: everywhere(200),
};
const cards: Readonly<Record<Mode, Rows>> = {
  policy: { users: closed, operators: closed, server: ['C', 'C', 'C', 404, 404] },
  legacy: { users: [200, 200, 200, 200, 200], operators: closed, server: [404, 404, 404, 404, 404] },
  none: { ...everywhere(200), server: [404, 404, 404, 404, 404] },
};

interface Route {
  readonly name: string;
  readonly rows: Readonly<Record<Mode, Rows>>;
  readonly url: (id: string, execution: string) => string;
  readonly method?: 'GET' | 'POST';
  readonly body?: object;
  /** The status instead of 200. */
  readonly success?: 204;
  /** Default: all. */
  readonly of?: readonly Level[];
}

const chat = { messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] };
const routes: readonly Route[] = [
  ...['text', 'stream', 'chat'].map((kind) => call(`agents/:id/${kind}`, kind === 'chat' ? chat : { input: 'Hi' })),
  ...['object', 'stream-object'].map((kind) =>
    call(`agents/:id/${kind}`, { input: 'Hi', schema: { type: 'object', properties: { a: { type: 'integer' } } } }),
  ),
  { ...call('agents/:id/chat/c1/stream'), method: 'GET', success: 204 },
  call('agents/:id/chat/c1/stop', {}),
  call('tools/:id/execute', { input: {} }),
  call('workflows/:id/execute', { input: {} }),
  call('workflows/:id/stream', { input: {} }),
  { ...onExecution(''), method: 'GET' },
  { ...onExecution('/stream'), method: 'GET' },
  onExecution('/cancel'),
  // The callers that may resume an execution depend on the step, too.
  { ...onExecution('/resume'), body: { resumeData: 1 }, of: ['operators', 'server'] },
  { ...call('agents/:id'), method: 'GET', rows: details },
  { ...call('agents/:id/history'), method: 'GET', rows: details },
  { ...call('workflows/:id'), method: 'GET', rows: details },
  { ...call('agents/:id/card'), method: 'GET', rows: cards },
];

function call(path: string, body?: object): Route {
  return { name: path, rows: calls, url: (id) => `/${path.replace(':id', id)}`, ...(body !== undefined && { body }) };
}

function onExecution(path: string): Route {
  const name = `workflows/:id/executions/:executionId${path}`;
  return {
    name,
    rows: executions,
    url: (id, execution) => `/workflows/${id}/executions/${execution}${path}`,
    body: {},
  };
}

function everywhere(cell: Cell): Rows {
  const row: Row = [cell, cell, cell, cell, cell];
  return { users: row, operators: row, server: row };
}

describe.each(['policy', 'legacy', 'none'] as const)('in mode %s', (mode) => {
  let server: HalyardServer;
  beforeAll(async () => {
    server = await openTargets(mode);
    await server.app.ready();
  });
  afterAll(() => server.close());

  async function send(
    { body, method = 'POST', url }: Pick<Route, 'body' | 'method' | 'url'>,
    caller: CallerName,
    id: string,
    execution = '',
  ) {
    return server.app.inject({
      method,
      url: url(id, execution),
      headers: callers[caller],
      ...(method === 'POST' && { payload: body ?? {} }),
    });
  }

  /** An execution of ada that waits, however it may be started. */
  const begin = (id: string): Promise<string> => server.runtime.execute(id, {}, { userId: 'ada' }).then(idOf);

  describe.each(routes)('$name', (route) => {
    it.each(route.of ?? levels)('of access %s answers each caller as the table says', async (level) => {
      const found: Cell[] = [];
      for (const caller of Object.keys(callers) as CallerName[]) {
        const execution = route.rows === executions ? await begin(level) : '';
        const { body, statusCode } = await send(route, caller, level, execution);
        found.push(cellOf(statusCode, body));
      }
      const success = route.success;
      const expected = route.rows[mode][level].map((cell) => (cell === 200 && success !== undefined ? success : cell));
      expect(found).toEqual(expected);
    });

    it('answers for what only the server runs as for an unknown id', async () => {
      for (const caller of Object.keys(callers) as CallerName[]) {
        const execution = route.rows === executions ? await begin('server') : '';
        const known = await send(route, caller, 'server', execution);
        if (known.statusCode === 200) continue;
        const unknown = await send(route, caller, 'nobody', execution);
        expect([known.statusCode, known.body, known.headers['x-error-code']]).toEqual([
          unknown.statusCode,
          unknown.body.replaceAll('nobody', 'server'),
          unknown.headers['x-error-code'],
        ]);
      }
    });
  });

  const all = [...levels];
  const visible = { policy: [401, 401, 401, all, all], legacy: [['users'], ['users'], ['users'], all, all] } as const;
  const reachable = ['users', 'operators'];
  const lists = [
    ['/agents', 'id', mode === 'none' ? [all, all, all, all, all] : visible[mode]],
    ['/workflows', 'id', mode === 'none' ? [all, all, all, all, all] : visible[mode]],
    ['/tools', 'name', mode === 'none' ? [all, all, all, all, all] : visible[mode]],
  ] as const;

  it.each(lists)('%s lists what each caller may see', async (url, field, expected) => {
    const found = [];
    for (const caller of Object.keys(callers) as CallerName[]) {
      const reply = await send({ method: 'GET', url: () => url }, caller, '');
      const { data } = reply.json<{ data?: Record<string, string>[] }>();
      found.push(data?.map((item) => item[field]) ?? reply.statusCode);
    }
    expect(found).toEqual(expected);
  });

  it('GET /api/catalog lists what each caller may call', async () => {
    const found = [];
    for (const caller of Object.keys(callers) as CallerName[]) {
      const reply = await send({ method: 'GET', url: () => '/api/catalog' }, caller, '');
      const { data } = reply.json<{
        data?: Record<'agents' | 'tools' | 'workflows', { id?: string; name: string }[]>;
      }>();
      const ids = (['agents', 'workflows', 'tools'] as const).map((kind) =>
        data?.[kind].map(({ id, name }) => id ?? name).join(),
      );
      found.push(data === undefined ? reply.statusCode : ids);
    }
    const three = (names: readonly string[]) => [names.join(), names.join(), names.join()];
    const [some, more] = [three(['users']), three(reachable)];
    const expected = {
      policy: [401, some, some, 401, more],
      legacy: [some, some, some, more, more],
      none: [more, more, more, more, more],
    }[mode];
    expect(found).toEqual(expected);
  });

  it('lists of executions and approvals leave out entries that a user may not control', async () => {
    const ids = new Map<string, string>();
    for (const level of levels) ids.set(level, await begin(level));
    const listed = async (caller: CallerName, url: string, field: string) => {
      const reply = await send({ method: 'GET', url: () => url }, caller, '');
      const { data } = reply.json<{ data?: Record<string, unknown> }>();
      const items = (Array.isArray(data) ? data : (data?.['approvals'] ?? [])) as Record<string, string>[];
      return levels.filter((level) => items.some((item) => item[field] === ids.get(level)));
    };
    const isUser = mode !== 'none';
    expect(await listed('owner', '/api/executions', 'id')).toEqual(isUser ? ['users'] : all);
    expect(await listed('owner', '/api/approvals', 'executionId')).toEqual(isUser ? ['users'] : all);
    expect(await listed('bypass', '/api/executions', 'id')).toEqual(all);
    expect(await listed('key', '/workflows/executions', 'id')).toEqual(all);
    expect(await listed('key', '/approvals', 'executionId')).toEqual(all);
  });

  it('a response to an approval reaches executions that its sender may control', async () => {
    for (const level of levels) {
      const executionId = await begin(level);
      const { data } = (await send({ method: 'GET', url: () => '/approvals' }, 'key', '')).json<{
        data: { approvals: { id: string; executionId: string }[] };
      }>();
      const id = data.approvals.find((approval) => approval.executionId === executionId)?.id;
      const body = { id, executionId, resumeData: 1 };
      const answer = async (caller: CallerName, url: string) =>
        (await send({ body, url: () => url }, caller, '')).statusCode;
      expect(await answer('owner', '/api/approvals/answer')).toBe(level === 'users' || mode === 'none' ? 200 : 404);
      if (level !== 'users' && mode !== 'none') expect(await answer('key', '/approvals/answer')).toBe(200);
    }
  });
});

function idOf({ executionId }: { readonly executionId: string }): string {
  return executionId;
}

function cellOf(status: number, body: string): Cell {
  if (status !== 401) return status as Cell;
  return body.includes('Console access required') ? 'C' : 'A';
}
