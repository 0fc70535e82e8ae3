import { type AccessLevel, Agent, createMemory, createTool, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { type AuthOptions, createServer, type HalyardServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { unreachableLimits } from '../../../../tools/limits/unreachable-limits.ts';

export const levels = ['users', 'operators', 'server'] as const satisfies readonly AccessLevel[];
const key = 'the key of the operators';
const provider = { type: 'names', verifyToken: (token: string) => ({ id: token }) };
const common = { provider, consoleKey: key, rejectedPerMinute: false } as const;

export const modes = {
  policy: common,
  legacy: { ...common, mode: 'legacy' },
  none: undefined,
} as const satisfies Record<string, AuthOptions | undefined>;
export type Mode = keyof typeof modes;

export const callers = {
  nobody: {},
  owner: { authorization: 'Bearer ada' },
  other: { authorization: 'Bearer eve' },
  key: { 'x-console-access-key': key },
  bypass: { 'x-service-dev': 'true' },
} as const;
export type CallerName = keyof typeof callers;

const input = Type.Object({});

/**
 * One agent, tool and workflow of each level, with their level as the id. The workflow waits for a
 * person.
 */
export async function openTargets(mode: Mode): Promise<HalyardServer> {
  const auth = modes[mode];
  const agents = levels.map(
    (access) => new Agent({ id: access, access, model: scriptedModel(() => '{"a":1}'), description: `of ${access}` }),
  );
  return createServer({
    logger: 'silent',
    signals: false,
    limits: unreachableLimits,
    memory: createMemory(),
    agents,
    tools: levels.map((access) => createTool({ name: access, access, description: '', input, execute: () => 'done' })),
    workflows: levels.map((access) =>
      createWorkflow({ id: access, access, input }).andThen({
        id: 'approve',
        execute: ({ resumeData, suspend }) => (resumeData === undefined ? suspend('a person decides') : resumeData),
      }),
    ),
    ...(auth !== undefined && { auth }),
  });
}
