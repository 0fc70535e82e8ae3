import type { Attack } from '../harness/attack.ts';
import { type Amplification, amplify, type AmplifyResult, describeResults, type Store, stores } from './amplify.ts';
import { atOnce } from './large-requests.ts';
import { megabyte } from './measured-target.ts';

/** The heap of the process under attack. */
const heapMb = 512;
const memory = '/api/memory';

/**
 * The first campaign, in its sizes. What the limits refuse is also sent in the largest size that
 * they accept.
 */
export const memoryCampaign: Attack = {
  name: 'memory-campaign',
  summary: 'the writes and reads that ended a process of 1 GB before there were limits, in a heap of 512 MB',
  needsOwnTarget: 'the server must have a heap of 512 MB; memory-amplification makes the same kinds of requests',
  plants: { 'unlimited-pages': /ran out of memory|the process took/ },
  run: async ({ bySize, plant }) => {
    const results: AmplifyResult[] = [];
    for (const store of bySize<readonly Store[]>({ planted: ['postgres'], short: stores, long: stores }))
      results.push(
        await amplify(store, plant === undefined ? campaign : { messages: campaign.messages }, {
          heapMb,
          readsEach: true,
          plant: plant === 'unlimited-pages' ? plant : undefined,
        }),
      );
    return describeResults(results, heapMb);
  },
};

const campaign = {
  /** 110 messages of 4 MB, and calls whose context has 1000 messages. */
  messages: {
    write: async (requests) => {
      await requests.write(`${memory}/conversations`, { userId: 'attacker', conversationId: 'large' });
      const content = 'x'.repeat(4 * megabyte - 1_000);
      await requests.times(110, () =>
        requests.write(`${memory}/save-messages`, {
          userId: 'attacker',
          conversationId: 'large',
          messages: [{ role: 'user', content }],
        }),
      );
    },
    read: async (requests) => {
      const options = { conversationId: 'large', memory: { options: { contextLimit: 1000 } } };
      await Promise.all(atOnce(4, () => requests.read('POST', '/agents/assistant/text', { input: 'Hi', options })));
    },
  },
  /** 200 conversations with 1 MB of metadata each, and eight lists of them. */
  lists: {
    write: async (requests) => {
      for (const [name, bytes] of [
        ['large', megabyte - 1_000],
        ['accepted', 16_000],
      ] as const) {
        const metadata = { text: 'x'.repeat(bytes) };
        await requests.times(200, (index) =>
          requests.write(`${memory}/conversations`, {
            userId: 'attacker',
            conversationId: `${name}-${index}`,
            metadata,
          }),
        );
      }
    },
    read: async (requests) => {
      await Promise.all(atOnce(8, () => requests.read('GET', `${memory}/conversations?limit=200`)));
    },
  },
  /** 200 executions with 1 MB of input each, and four lists of them. */
  executions: {
    write: async (requests) => {
      const input = { text: 'x'.repeat(megabyte - 1_000) };
      await requests.times(200, () => requests.write('/workflows/keep/execute', { input }));
    },
    read: async (requests) => {
      await requests.read('GET', '/workflows/executions?limit=200');
      await Promise.all(atOnce(4, () => requests.read('GET', '/workflows/executions?limit=200')));
    },
  },
  /**
   * 40 writes of 900 kB to a working memory, and smaller ones that are accepted until it is full.
   */
  workingMemory: {
    write: async (requests) => {
      await requests.write(`${memory}/conversations`, { userId: 'attacker', conversationId: 'notes' });
      for (const bytes of [900_000, 30_000])
        await requests.times(40, () =>
          requests.write(`${memory}/conversations/notes/working-memory`, {
            content: 'x'.repeat(bytes),
            mode: 'append',
          }),
        );
    },
    read: async (requests) => {
      await requests.read('GET', `${memory}/conversations/notes/working-memory`);
    },
  },
  /** 190 answers of 4 MB, of which nothing is read. */
  unread: {
    write: async () => {},
    read: async (requests) => requests.askWithoutReading(190, `${memory}/conversations/large/messages?limit=1000`),
  },
  /**
   * 100 bodies of 8 MB at the same time, of four users. A text outside Latin-1 takes two bytes for
   * each character.
   */
  bodies: {
    write: async () => {},
    read: async (requests) => {
      const body = new TextEncoder().encode(JSON.stringify({ input: `${'x'.repeat(8 * megabyte - 1_000)}€` }));
      const users = ['attacker', 'second', 'third', 'fourth'];
      await Promise.all(users.flatMap((user) => atOnce(25, () => requests.post('/agents/assistant/text', body, user))));
    },
  },
} as const satisfies Record<string, Amplification>;
