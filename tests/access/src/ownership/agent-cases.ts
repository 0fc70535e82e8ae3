import { modelResponse, uiResponse } from '../../../../packages/server-fastify/src/testing/approvals.ts';
import type { OwnershipCase } from './ownership-case.ts';
import type { Thing } from './things.ts';

/**
 * Requests in a conversation. An agent creates a conversation with an unused id, so other users
 * learn that an id is in use.
 */
const talks: readonly OwnershipCase[] = ['text', 'stream', 'chat', 'object', 'stream-object'].flatMap((kind) => {
  const route = `POST /agents/:id/${kind}`;
  const more = kind.includes('object') ? { schema: { type: 'object' } } : {};
  const ask = (by: string, named: (id: string) => object): OwnershipCase => ({
    thing: 'conversation',
    own: 200,
    others: 404,
    route,
    by: [by],
    request: ({ id }) => ({
      params: { id: 'parrot' },
      body: { ...more, input: 'What do you know of roses?', ...named(id) },
    }),
    revealsIdInUse: true,
  });
  return [
    ask('body.options.conversationId', (conversationId) => ({ options: { conversationId } })),
    ask('body.options.memory.conversationId', (conversationId) => ({ options: { memory: { conversationId } } })),
    ...(kind === 'chat' ? [ask('body.id', (id) => ({ id }))] : []),
  ];
});

/** For operators only, and no answer is accepted: api/routes/agents/trials.test.ts. */
const trials: readonly OwnershipCase[] = (['call', 'wait'] as const).map((thing) => ({
  route: 'POST /agents/:id/try',
  thing,
  by: ['body.messages[].content[].approvalId'],
  request: ({ asked }: Thing) => ({ params: { id: 'cashier' }, body: { messages: modelResponse(asked) } }),
  own: 403,
  others: 403,
  anonymous: 400,
}));

/** Answers of another person, which count as forged. */
const answers: readonly OwnershipCase[] = (['call', 'wait'] as const).flatMap((thing) =>
  ['text', 'stream', 'chat', 'object', 'stream-object'].flatMap((kind) =>
    [uiResponse, modelResponse].map((answer) => ({
      route: `POST /agents/:id/${kind}`,
      thing,
      by: ['body.input[].content[].approvalId'],
      request: ({ asked }: Thing) => ({
        params: { id: 'cashier' },
        body: {
          ...(kind.includes('object') && { schema: { type: 'object' } }),
          input: answer(asked),
          options: {},
        },
      }),
      own: ownAnswer(thing, kind),
      others: 400,
      anonymous: 400,
    })),
  ),
);

/** Requests in a conversation, which is loaded first. */
const rememberedReplies: readonly OwnershipCase[] = (
  [
    ['remembered', 'cashier'],
    ['delegated', 'boss'],
  ] as const
).flatMap(([thing, agentId]) =>
  ['text', 'stream', 'chat'].map((kind) => ({
    route: `POST /agents/:id/${kind}`,
    thing,
    by: ['body.options.conversationId'],
    request: ({ asked, id }: Thing) => ({
      params: { id: agentId },
      body: { input: modelResponse(asked).slice(2), options: { conversationId: id } },
    }),
    own: 200,
    others: 404,
    // Without a user, the conversation is not read, so that the answer is without its call.
    anonymous: 400,
    revealsIdInUse: true,
  })),
);

/** Object routes do not continue executions, and the text of the cashier is not a JSON object. */
function ownAnswer(thing: 'call' | 'wait', kind: string): number {
  if (kind.includes('object') && thing === 'wait') return 400;
  return kind === 'object' ? 500 : 200;
}

/**
 * Requests about a running answer, while there is none. `resumable-chat.test.ts` tests access to a
 * running answer of another user.
 */
const liveReplies: readonly OwnershipCase[] = (
  [
    ['GET /agents/:id/chat/:conversationId/stream', 204],
    ['POST /agents/:id/chat/:conversationId/stop', 200],
  ] as const
).map(([route, status]) => ({
  route,
  thing: 'conversation',
  by: ['params.conversationId'],
  request: ({ id }) => ({ params: { id: 'parrot', conversationId: id } }),
  own: status,
  others: status,
}));

/**
 * Withdraws the rating of a reply, as no reply is recorded. Ratings of recorded ones:
 * api/routes/agents/feedback.test.ts.
 */
const feedback: OwnershipCase = {
  route: 'POST /agents/:id/feedback',
  thing: 'conversation',
  by: ['body.conversationId'],
  request: ({ id }) => ({
    params: { id: 'parrot' },
    body: { conversationId: id, messageId: 'reply', rating: null },
  }),
  own: 200,
  others: 404,
};

export const agentCases: readonly OwnershipCase[] = [
  ...liveReplies,
  ...talks,
  ...answers,
  ...trials,
  feedback,
  ...rememberedReplies,
];
