import type { SoakRequest } from './requests.ts';

const users = 100;
/**
 * How many of the actions may be given up by their client: about a tenth of the requests end so,
 * because others are answered sooner.
 */
const abortShare = 0.2;
const longestAbortMs = 12;

export type Random = () => number;

/** A client's next action: one request, or several one after the other. */
export type Action = readonly SoakRequest[];

/**
 * The requests of all kinds in about equal parts: texts, workflows, memory, lists. Each user's data
 * stays small, because conversations are deleted as often as they are created.
 */
export function nextAction(random: Random, count: number): Action {
  const user = `user-${Math.floor(random() * users)}`;
  const action = kinds[Math.floor(random() * kinds.length)]?.({ user, random, count }) ?? [];
  if (random() >= abortShare) return action;
  return action.slice(0, 1).map((one) => ({ ...one, abortAfterMs: Math.ceil(random() * longestAbortMs) }));
}

interface Chance {
  readonly user: string;
  readonly random: Random;
  /** The number of the action, for new ids. */
  readonly count: number;
}

const memory = '/api/memory';

function post(user: string, path: string, body: object): SoakRequest {
  return { method: 'POST', user, path, body };
}

function text({ random, user }: Chance): Action {
  const conversationId = `${user}-chat`;
  const answered = post(user, '/agents/assistant/text', { input: 'Where to?', options: { conversationId } });
  const removed: SoakRequest = { method: 'DELETE', user, path: `${memory}/conversations/${conversationId}` };
  return random() < 0.1 ? [answered, removed] : [answered];
}

function order({ random, user }: Chance): Action {
  return [post(user, '/workflows/order/execute', { input: { total: Math.round(random() * 100) } })];
}

function approval({ count, user }: Chance): Action {
  const executionId = `approval-${count}-${process.pid}`;
  return [
    post(user, '/workflows/approval/execute', { input: {}, options: { executionId } }),
    post(user, `/workflows/approval/executions/${executionId}/resume`, { resumeData: { by: user } }),
  ];
}

function remember({ count, user }: Chance): Action {
  const conversationId = `notes-${count}-${process.pid}`;
  const path = `${memory}/conversations/${conversationId}`;
  const messages = ['Where to?', 'Rome.'].map((content, index) => ({
    role: index === 0 ? 'user' : 'assistant',
    content,
  }));
  return [
    post(user, `${memory}/conversations`, { userId: user, conversationId, title: 'A trip', metadata: { count } }),
    post(user, `${memory}/save-messages`, { userId: user, conversationId, messages }),
    post(user, `${path}/working-memory`, { content: 'Travels by train.', mode: 'append' }),
    { method: 'GET', user, path: `${path}/messages?limit=20` },
    { method: 'DELETE', user, path },
  ];
}

function list({ random, user }: Chance): Action {
  const paths = [
    '/workflows/executions?limit=20',
    '/observability/traces?limit=20',
    '/api/logs?limit=50',
    '/agents/assistant/history?limit=10',
    '/agents',
  ];
  const index = Math.floor(random() * (paths.length + 1));
  const path = paths[index];
  return [
    path === undefined ? { method: 'GET', user, path: `${memory}/conversations?limit=20` } : { method: 'GET', path },
  ];
}

/** How often each kind occurs. `remember` is five requests. */
const kinds: readonly ((chance: Chance) => Action)[] = [text, text, text, order, order, approval, remember, list, list];
