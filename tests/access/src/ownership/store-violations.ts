import type { Storage } from '@halyard/contracts';
import { storeCalls } from './store-calls.ts';
import { make, unknownLike } from './things.ts';
import type { World } from './world.ts';

/**
 * The store methods with which Bob can access data of Ada, or whose result differs from that for
 * unknown data.
 */
export async function storeViolations(
  { clear, origin, snapshot, storage }: World,
  seen: (storage: Storage) => Storage = (same) => same,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [name, calls] of Object.entries(storeCalls)) {
    for (const [method, call] of Object.entries(calls)) {
      const title = `${name}.${method}`;
      // A resumed execution continues by itself and would change the compared data.
      await clear();
      const [conversation, execution] = [
        await make('conversation', origin, 'ada'),
        await make('execution', origin, 'ada'),
      ];
      const row = await storage.executions.find('anyone', execution.id);
      const things = {
        conversationId: conversation.id,
        executionId: execution.id,
        suspensionId: row?.suspensions[0]?.id ?? '',
        seq: row?.seq ?? 0,
        userId: 'ada',
      };
      const unknown = {
        ...things,
        conversationId: unknownLike(conversation).id,
        executionId: unknownLike(execution).id,
        userId: 'unknown',
      };
      const before = await snapshot('ada');
      const theirs = await call(seen(storage), { user: 'bob' }, things);
      if ((await snapshot('ada')) !== before) found.push(`${title} changes what is another’s`);
      const nobodys = await call(seen(storage), { user: 'bob' }, unknown);
      if (JSON.stringify(theirs) !== JSON.stringify(nobodys)) found.push(`${title} reveals another user’s data`);
      const own = await call(storage, { user: 'ada' }, things);
      if (JSON.stringify(own) === JSON.stringify(nobodys) && title !== 'workingMemory.update')
        found.push(`${title} does nothing for the owner`);
    }
  }
  return found;
}
