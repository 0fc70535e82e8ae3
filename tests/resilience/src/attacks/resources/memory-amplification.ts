import type { Attack, AttackOutcome, AttackRun } from '../harness/attack.ts';
import { type Amplification, amplify, type AmplifyResult, describeResults, type Store, stores } from './amplify.ts';
import { Bystander, describeFare, judgeFare } from './bystander.ts';
import { atOnce, LargeRequests } from './large-requests.ts';
import { megabyte } from './measured-target.ts';
import { openResourceTarget } from './resource-target.ts';

/** The heap of the process under attack. */
const heapMb = 256;
/**
 * A store in memory holds what is written: less is written, and only what the reads add is the
 * attack.
 */
const shareInMemory = 0.15;

/** A few large writes, then reads with the largest limits. */
export const memoryAmplification: Attack = {
  name: 'memory-amplification',
  summary: 'large messages, metadata, inputs and working memories, read with the largest limits, in a heap of 256 MB',
  plants: { 'unlimited-pages': /ran out of memory|the process took/ },
  run: async (run) => {
    if (run.server !== undefined) return amplifyOutside(run);
    const { bySize, plant } = run;
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

/**
 * Of another server, only its replies are known, and its memory is not its attacker's to fill: a
 * part is written.
 */
async function amplifyOutside(run: AttackRun): Promise<AttackOutcome> {
  const target = await openResourceTarget(run);
  const requests = new LargeRequests(target, run.bySize({ planted: 0.01, short: 0.15, long: 1 }));
  const { lists, messages, workingMemory } = amplifications;
  const chosen: readonly Amplification[] = [lists, messages, workingMemory];
  const bystander = await Bystander.start(target);
  for (const { write } of chosen) await write(requests);
  await Promise.all(chosen.map(({ read }) => read(requests)));
  const others = await bystander.stop();
  await target.report();
  const ids = ['large', 'notes', ...Array.from({ length: 200 }, (_, index) => `list-${index}`)];
  for (const id of ids) await requests.remove(`${memory}/conversations/${id}`);
  const { failed, failures, readBytes, refused, writes } = requests;
  return {
    count: `${writes} writes (${refused} refused), ${Math.round(readBytes / megabyte)} MB read`,
    measured: `${failed} requests without a reply or with a 500, ${describeFare(others, NaN)}, memory not measured`,
    target: 'every request is answered, others too, and the process lives',
    findings: [
      ...judgeFare(others, NaN),
      ...(failed > 0 ? [`${failed} requests got no reply, or a 500: ${[...failures.keys()].join('; ')}`] : []),
      ...(target.isAlive ? [] : ['the server does not answer any more']),
    ],
  };
}

type AmplificationName = keyof typeof amplifications;

const readers = 8;
const memory = '/api/memory';

const amplifications = {
  /** Messages of the largest body that is accepted, read as one context and as one page. */
  messages: {
    write: async (requests) => {
      await requests.write(`${memory}/conversations`, { ...requests.owner, conversationId: 'large' });
      const content = 'x'.repeat(4 * megabyte - 1_000);
      await requests.times(110, () =>
        requests.write(`${memory}/save-messages`, {
          ...requests.owner,
          conversationId: 'large',
          messages: [{ role: 'user', content }],
        }),
      );
    },
    read: async (requests) => {
      const options = { conversationId: 'large', memory: { options: { contextLimit: 1000 } } };
      await Promise.all([
        ...atOnce(readers, () => requests.read('POST', `/agents/${requests.agent}/text`, { input: 'Hi', options })),
        ...atOnce(readers, () => requests.read('GET', `${memory}/conversations/large/messages?limit=1000`)),
      ]);
    },
  },
  /** Conversations with metadata as large as a body may be. */
  lists: {
    write: async (requests) => {
      const metadata = { text: 'x'.repeat(megabyte - 1_000) };
      await requests.times(200, (index) =>
        requests.write(`${memory}/conversations`, {
          ...requests.owner,
          conversationId: `list-${index}`,
          metadata,
        }),
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
      await requests.write(`${memory}/conversations`, { ...requests.owner, conversationId: 'notes' });
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
        ...atOnce(readers, () => requests.read('POST', `/agents/${requests.agent}/text`, { input: 'Hi', options })),
      ]);
    },
  },
} as const satisfies Record<string, Amplification>;
