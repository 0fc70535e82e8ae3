import type { Attack } from '../harness/attack.ts';
import { type Amplification, amplify, type AmplifyResult, describeResults, type Store, stores } from './amplify.ts';
import { atOnce } from './large-requests.ts';
import { megabyte } from './measured-target.ts';

/** The heap of the process under attack. */
const heapMb = 256;
/** A store in memory holds what is written: less is written, and only what the reads add is the attack. */
const shareInMemory = 0.15;

/** A few large writes, then reads with the largest limits. */
export const memoryAmplification: Attack = {
  name: 'memory-amplification',
  summary: 'large messages, metadata, inputs and working memories, read with the largest limits, in a heap of 256 MB',
  needsOwnTarget: true,
  plants: { 'unlimited-pages': /ran out of memory|the process took/ },
  run: async ({ bySize, plant }) => {
    const names = Object.keys(amplifications) as AmplificationName[];
    const chosen = bySize<readonly (readonly AmplificationName[])[]>({
      planted: [['messages']],
      short: [names],
      long: [...names.map((name) => [name]), names],
    });
    const results: AmplifyResult[] = [];
    for (const store of bySize<readonly Store[]>({ planted: ['postgres'], short: stores, long: stores }))
      for (const some of chosen) {
        const settings = { plant: plant === 'unlimited-pages' ? plant : undefined, heapMb };
        const share = store === 'memory' ? shareInMemory : 1;
        results.push(
          await amplify(store, Object.fromEntries(some.map((name) => [name, amplifications[name]])), {
            ...settings,
            share,
          }),
        );
      }
    return describeResults(results, heapMb);
  },
};

type AmplificationName = keyof typeof amplifications;

const readers = 8;
const memory = '/api/memory';

const amplifications = {
  /** Messages of the largest body that is accepted, read as one context and as one page. */
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
      await Promise.all([
        ...atOnce(readers, () => requests.read('POST', '/agents/assistant/text', { input: 'Hi', options })),
        ...atOnce(readers, () => requests.read('GET', `${memory}/conversations/large/messages?limit=1000`)),
      ]);
    },
  },
  /** Conversations with metadata as large as a body may be. */
  lists: {
    write: async (requests) => {
      const metadata = { text: 'x'.repeat(megabyte - 1_000) };
      await requests.times(200, (index) =>
        requests.write(`${memory}/conversations`, { userId: 'attacker', conversationId: `list-${index}`, metadata }),
      );
    },
    read: async (requests) => {
      await Promise.all(atOnce(readers, () => requests.read('GET', `${memory}/conversations?limit=200`)));
    },
  },
  /** Executions with inputs as large as a body may be, in the list of the console. */
  executions: {
    write: async (requests) => {
      const input = { text: 'x'.repeat(megabyte - 1_000) };
      await requests.times(200, () => requests.write('/workflows/keep/execute', { input }));
    },
    read: async (requests) => {
      await Promise.all([
        ...atOnce(readers, () => requests.read('GET', '/workflows/executions?limit=200')),
        ...atOnce(readers, () => requests.read('GET', '/observability/traces?limit=200')),
      ]);
    },
  },
  /** An execution with many large outputs, followed from its start by several clients. */
  outputs: {
    write: async (requests) => {
      const input = { text: 'x'.repeat(megabyte - 1_000) };
      await requests.times(2, (index) =>
        requests.write('/workflows/multiply/execute', { input, options: { executionId: `multiplied-${index}` } }),
      );
    },
    read: async (requests) => {
      const path = '/workflows/multiply/executions/multiplied-0';
      await Promise.all([
        ...atOnce(readers, () => requests.read('GET', `${path}/stream`)),
        ...atOnce(readers, () => requests.read('GET', path)),
      ]);
    },
  },
  /** A working memory that grows with each append. */
  workingMemory: {
    write: async (requests) => {
      await requests.write(`${memory}/conversations`, { userId: 'attacker', conversationId: 'notes' });
      await requests.times(110, () =>
        requests.write(`${memory}/conversations/notes/working-memory`, {
          content: 'x'.repeat(900_000),
          mode: 'append',
        }),
      );
    },
    read: async (requests) => {
      const options = { conversationId: 'notes' };
      await Promise.all([
        ...atOnce(readers, () => requests.read('GET', `${memory}/conversations/notes/working-memory`)),
        ...atOnce(readers, () => requests.read('POST', '/agents/assistant/text', { input: 'Hi', options })),
      ]);
    },
  },
} as const satisfies Record<string, Amplification>;
