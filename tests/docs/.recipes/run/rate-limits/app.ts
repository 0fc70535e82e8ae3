import { openai } from '@ai-sdk/openai';
import { customAuth } from '@halyard/auth-custom';
import { HalyardError } from '@halyard/contracts';
import { Agent, createMemory } from '@halyard/core';
import { createServer, verifiedUser } from '@halyard/server-fastify';

const budget = Number(process.env['TOKENS_PER_DAY'] ?? 200_000);

/** Stands for a table with the columns user, day and tokens. */
const used = new Map<string, number>();
const today = (userId = ''): string => `${userId} ${new Date().toISOString().slice(0, 10)}`;
const usedBy = (userId?: string): number => used.get(today(userId)) ?? 0;
const checkBudget = (userId?: string): void => {
  const isUsedUp = usedBy(userId) >= budget;
  if (isUsedUp) throw new HalyardError('rate-limited', 'BUDGET_USED_UP', 'Your budget of today is used up');
};

const assistant = new Agent({
  id: 'assistant',
  maxSteps: 5,
  // Called before each run, so that nothing is sent to a provider when the budget is used up.
  model: ({ userId }) => {
    checkBudget(userId);
    return openai(usedBy(userId) < budget / 2 ? 'gpt-5' : 'gpt-5-mini');
  },
  // Called before each model call. A request may ask for more steps and longer answers: the budget still ends the run.
  prepareStep: ({ userId }) => {
    checkBudget(userId);
    return { maxOutputTokens: 2_000 };
  },
  // Called after each model call, also in runs that are aborted later.
  hooks: {
    onStepEnd: ({ userId }, { usage }) => {
      used.set(today(userId), usedBy(userId) + (usage.totalTokens ?? 0));
    },
  },
});

const tokens = new Map([['token-of-ada', { id: 'ada' }]]);
const server = await createServer({
  agents: [assistant],
  memory: createMemory(),
  auth: { provider: customAuth({ type: 'token', verifyToken: (token) => tokens.get(token) ?? null }) },
  rateLimit: { max: 60 },
});
server.app.get('/budget', (request) => {
  const userId = String(verifiedUser(request)?.id);
  return { budget, used: usedBy(userId) };
});
await server.listen();
