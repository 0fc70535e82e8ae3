import type { Storage } from '@halyard/contracts';
import { checkEqual, checkFound } from '../check.ts';
import {
  listed,
  messageIds,
  messagesOf,
  sampleConversation,
  sampleMessage,
} from '../conversation-store/sample-conversations.ts';
import { everyRoot, sampleEntry, sampleEvent, sampleExecution } from '../execution-store/sample-records.ts';
import { begin, leaseMs, TestRunner } from '../execution-store/test-runner.ts';
import { dueCount } from '../execution-store/what-is-due.ts';
import { ada } from '../sample-owners.ts';
import { hostileText, providerUserIds, unstorableText } from '../sample-values.ts';
import { begin as beginStream, place } from '../stream-store/sample-streams.ts';
import { contentOf, ofConversation, ofUser } from '../working-memory-store/sample-keys.ts';
import { exported, exportedSorted, fill, filled } from './sample-user.ts';
import type { UserDataCase } from './user-data-harness.ts';

const nothing = { conversations: 0, messages: 0, executions: 0 };

export const deleteCases: readonly UserDataCase[] = [
  {
    name: 'deletes all data of a user in all stores, and returns the counts',
    run: async ({ storage }) => {
      const { conversations, executions, users, workingMemory } = storage;
      await fill(storage, 'ada');
      checkEqual(await users.delete('ada'), filled, 'What was deleted');
      checkEqual(await exported(storage, 'ada'), [], 'What is exported');
      checkEqual(await listed(conversations, 'anyone'), { ids: [], total: 0 }, 'The conversations that are listed');
      checkEqual(
        await executions.list('anyone', everyRoot),
        { executions: [], total: 0, hasMore: false },
        'The executions listed',
      );
      for (const id of ['ada:talk', 'ada:silent']) {
        checkEqual(await conversations.find('anyone', id), undefined, id);
        checkEqual(await conversations.isTaken(id), false, `Whether ${id} is taken`);
        checkEqual(await conversations.messages('anyone', id, { limit: 9 }), undefined, `The messages of ${id}`);
      }
      checkEqual(
        await contentOf(workingMemory, ofConversation('ada:talk')),
        [],
        'The working memory of a conversation',
      );
      checkEqual(await contentOf(workingMemory, ofUser('ada')), [], 'The working memory of the user');
      for (const root of ['ada:ended', 'ada:waiting', 'ada:leased']) {
        for (const id of [root, `${root}:child`]) {
          checkEqual(await executions.find('anyone', id), undefined, id);
          checkEqual(await executions.events('anyone', id, { after: 0, limit: 9 }), [], `The events of ${id}`);
        }
        checkEqual(await executions.journal('anyone', root), [], `The journal of ${root}`);
        checkEqual(
          (await executions.list('anyone', { ...everyRoot, parentExecutionId: root })).total,
          0,
          `Those below ${root}`,
        );
      }
      checkEqual(await users.delete('ada'), nothing, 'What is deleted again');
    },
  },
  {
    name: 'deletes the streams of a user and of no other user, in a storage with streams',
    run: async ({ storage: { streams, users } }) => {
      if (streams === undefined) return;
      for (const userId of ['ada', 'ben']) await beginStream(streams, userId, { userId });
      await users.delete('ada');
      checkEqual(await streams.read('ada', { after: 0, limit: 9 }), undefined, 'What is there of the stream');
      checkEqual(await streams.findLive(ada, place), undefined, 'What is live');
      checkEqual((await streams.findLive('anyone', place))?.id, 'ben', 'What is live of another');
    },
  },
  {
    name: 'deletes the decisions about requests of a user and of no other user',
    run: async ({ storage: { approvals, users } }) => {
      const decide = async (id: string, userId: string | undefined, by: string): Promise<readonly unknown[]> => {
        const options = { quorum: 2, userId, expiresAt: 9e15 };
        const decisions = await approvals.decide(id, { userId: by, approved: true, decidedAt: 1 }, options);
        return decisions.map((decision) => decision.userId);
      };
      for (const userId of ['ada', 'ben', undefined]) await decide(`of ${userId}`, userId, 'ada');
      await users.delete('ada');
      checkEqual(await decide('of ada', 'ada', 'kim'), ['kim'], 'The decisions after the deletion');
      checkEqual(await decide('of ben', 'ben', 'kim'), ['ada', 'kim'], 'The decisions about a request of another');
      checkEqual(await decide('of undefined', undefined, 'kim'), ['ada', 'kim'], 'Those about a request of nobody');
    },
  },
  {
    name: 'keeps the data of other users, and data without a user',
    run: async ({ storage }) => {
      for (const userId of ['ada', 'ada2', 'Ada', 'ben']) await fill(storage, userId);
      await begin(storage.executions, { id: 'of-nobody' });
      const before = await Promise.all(['ada2', 'Ada', 'ben'].map((userId) => exportedSorted(storage, userId)));
      checkEqual(await storage.users.delete('ada'), filled, 'What was deleted of Ada');
      for (const userId of ['', '%', 'ad_', 'unknown']) {
        checkEqual(await storage.users.delete(userId), nothing, `What was deleted of "${userId}"`);
      }
      const after = await Promise.all(['ada2', 'Ada', 'ben'].map((userId) => exportedSorted(storage, userId)));
      checkEqual(after, before, 'What is stored of others');
      checkEqual(
        (await storage.executions.find('anyone', 'of-nobody'))?.status,
        'running',
        'The execution without a user',
      );
    },
  },
  {
    name: 'frees the ids: new records contain nothing of the deleted ones',
    run: async ({ storage }) => {
      const { conversations, executions, users, workingMemory } = storage;
      await fill(storage, 'ada');
      await users.delete('ada');
      await conversations.create(sampleConversation('ada:talk', { userId: 'ben' }));
      checkEqual(await messagesOf(conversations, 'ada:talk'), [], 'The messages of what has the id now');
      checkEqual(await contentOf(workingMemory, ofConversation('ada:talk')), [], 'Its working memory');
      const execution = sampleExecution('ada:ended', { userId: 'ben' });
      checkEqual(
        await executions.create(execution, { requestId: 'again' }),
        'created',
        'The execution that has the id now',
      );
      checkEqual(await executions.journal('anyone', 'ada:ended'), [], 'Its journal');
      checkEqual(
        (await executions.events('anyone', 'ada:ended', { after: 0, limit: 9 })).length,
        1,
        'The number of its events',
      );
      await fill(storage, 'ben');
      checkEqual(
        await users.delete('ben'),
        { ...filled, conversations: 3, executions: 4 },
        'What is deleted of the next',
      );
    },
  },
  {
    name: 'stops running executions at their next commit, and leaves none of them due',
    run: async ({ storage: { executions, users } }) => {
      const runner = await begin(executions, { userId: 'ada' });
      const sleeper = await begin(executions, { id: 'asleep', userId: 'ada' });
      await sleeper.rest(0);
      const beside = await begin(executions, { id: 'beside', userId: 'ben' });
      checkEqual((await users.delete('ada')).executions, 2, 'The number deleted');
      const commit = runner.commitOf({ changes: [{ events: [sampleEvent('step-complete')] }] });
      checkEqual(await executions.commit(commit), { status: 'fenced' }, 'The answer to its next commit');
      const leases = [{ executionId: 'run', epoch: runner.epoch }];
      const lost = await executions.renew(leases, { runner: 'a runner', leaseMs });
      checkEqual(lost, ['run'], 'What is lost');
      checkEqual(await dueCount(executions), 0, 'What is due');
      checkEqual(
        await executions.claim('asleep', { runner: 'a runner', leaseMs }),
        undefined,
        'A claim of the sleeper',
      );
      const request = await executions.request(ada, 'run', { kind: 'cancel', reason: 'no more' });
      checkEqual(request, 'not-found', 'The answer to a request');
      checkEqual(await executions.find('anyone', 'run'), undefined, 'What is left of it');
      await beside.finish();
    },
  },
  {
    name: 'keeps the runner of a deleted execution from the execution of another user that has its id now',
    run: async ({ storage: { executions, users } }) => {
      const old = await begin(executions, { userId: 'ada' });
      await users.delete('ada');
      await executions.create(sampleExecution('run', { userId: 'ben' }), { requestId: 'create again' });
      const held = [{ executionId: 'run', epoch: old.epoch }];
      const lease = { runner: 'a runner', leaseMs };
      checkEqual(await executions.renew(held, lease), ['run'], 'What is lost before the next claim');
      const claimed = await executions.claim('run', { runner: 'another runner', leaseMs });
      const runner = new TestRunner(executions, checkFound(claimed, 'A claim'));
      checkEqual(await executions.renew(held, lease), ['run'], 'What is lost');
      const late = { epoch: runner.epoch, expectedSeq: runner.seq };
      const commits = [
        old.commitOf({ ...late, entries: [sampleEntry('a')] }),
        old.commitOf({ ...late, release: { dueAt: null, expectedSignals: 0 } }),
        old.commitOf({ ...late, changes: [{ status: 'completed', output: 'of Ada' }] }),
      ];
      for (const commit of commits)
        checkEqual(await executions.commit(commit), { status: 'fenced' }, 'The answer to a late commit');
      checkEqual(await executions.journal('anyone', 'run'), [], 'The journal');
      await runner.finish();
      const { output, userId } = checkFound(await executions.find('anyone', 'run'), 'The execution');
      checkEqual({ output, userId }, { output: { ok: true }, userId: 'ben' }, 'What it has in the end');
    },
  },
  {
    name: 'deletes any amount of data',
    run: async ({ storage }) => {
      const { conversations, executions, users } = storage;
      const messages = Array.from({ length: 30 }, (_, index) => sampleMessage(`m-${index}`));
      for (let index = 0; index < 250; index += 1) {
        const create = sampleConversation(`c-${index}`);
        await conversations.save(ada, { conversationId: create.id, messages: index < 40 ? messages : [], create });
        await begin(executions, { id: `e-${index}`, userId: 'ada' });
      }
      checkEqual(
        await users.delete('ada'),
        { conversations: 250, messages: 1_200, executions: 250 },
        'What was deleted',
      );
      checkEqual(await exported(storage, 'ada'), [], 'What is left');
    },
  },
  {
    name: 'deletes each record once when concurrent calls delete it',
    run: async ({ storage }) => {
      await fill(storage, 'ada');
      const counts = await Promise.all(Array.from({ length: 6 }, () => storage.users.delete('ada')));
      const sum = (key: keyof typeof filled): number => counts.reduce((total, count) => total + count[key], 0);
      const all = { conversations: sum('conversations'), messages: sum('messages'), executions: sum('executions') };
      checkEqual(all, filled, 'What the calls deleted together');
    },
  },
  {
    name: 'leaves no partial writes when data is written during the deletion',
    run: async ({ storage }) => {
      const { conversations, users, workingMemory } = storage;
      for (let index = 0; index < 6; index += 1) {
        await fill(storage, 'ada');
        await Promise.all([
          write(storage, index),
          users.delete('ada'),
          write(storage, index + 100),
          workingMemory.update(ada, ofConversation('ada:talk'), () => 'late'),
          conversations.clone(ada, { id: 'ada:talk', newId: `copy-${index}`, includeMessages: true }),
        ]);
        await users.delete('ada');
        checkEqual(await exported(storage, 'ada'), [], 'What is left');
        await conversations.create(sampleConversation('ada:talk'));
        checkEqual(await messageIds(conversations, 'ada:talk'), [], 'The messages of what has the id now');
        checkEqual(await contentOf(workingMemory, ofConversation('ada:talk')), [], 'Its working memory');
        await users.delete('ada');
      }
    },
  },
  {
    name: 'deletes the data of any user id',
    run: async ({ storage }) => {
      const userIds = ['__proto__', 'constructor', hostileText, unstorableText, ...providerUserIds];
      for (const userId of userIds) await fill(storage, userId);
      for (const userId of userIds) {
        checkEqual(await storage.users.delete(userId), filled, 'What was deleted');
        checkEqual(await exported(storage, userId), [], 'What is left');
      }
    },
  },
];

async function write({ conversations }: Storage, index: number): Promise<void> {
  await conversations.save(ada, { conversationId: 'ada:talk', messages: [sampleMessage(`late-${index}`)] });
}
