import { silentLogger, type Storage } from '@halyard/contracts';
import { createMemory } from '@halyard/core';
import { createPostgresStorage } from '@halyard/memory-postgres';
import type { UIMessage } from 'ai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type PostgresServer,
  startPostgresServer,
} from '../../../../../memory-postgres/src/testing/postgres-server.ts';
import { calls, renewedLeaseMs, researcher } from '../../../testing/durable.ts';
import { ask, userOf } from '../../../testing/memory.ts';
import { askIn, read, textOf } from '../../../testing/resumable.ts';
import { serve, type Served } from '../../../testing/serve.ts';
import { gateOf } from '../../../testing/workflows.ts';

const whole = 'Now first. Now second. Both are done.';
const asking = { agent: 'researcher', options: {} };

describe('a durable chat on a PostgreSQL server that fails', () => {
  let postgres: PostgresServer;
  let storage: Storage;
  let server: Served;
  const open = async (): Promise<void> => {
    const { connectionString } = postgres;
    storage = createPostgresStorage({ connectionString, logger: silentLogger });
    const memory = createMemory({ storage });
    server = await serve([], { agents: [researcher], storage, memory, userOf, leaseMs: renewedLeaseMs });
  };
  beforeAll(async () => {
    postgres = await startPostgresServer({ fsync: false });
    await open();
  });
  afterEach(async () => {
    await postgres.query('drop trigger if exists full_disk on halyard.messages');
  });
  afterAll(async () => {
    await server.close();
    await storage.close();
    await postgres.remove();
  });

  /** Refuses the last save of a reply, as a full disk does. @param times how often. */
  const fillDisk = async (times: number): Promise<void> => {
    await postgres.query(`
      drop sequence if exists refusals;
      create sequence refusals;
      create or replace function refuse() returns trigger language plpgsql as $$
      begin
        if new.parts like '%are done%' and nextval('refusals') <= ${times} then
          raise exception 'could not extend file: No space left on device' using errcode = '53100';
        end if;
        return new;
      end $$;
      create trigger full_disk before insert or update on halyard.messages for each row execute function refuse()`);
  };
  const refusals = async (): Promise<number> => {
    const [row] = (await postgres.query('select last_value::integer as value from refusals')) as { value: number }[];
    return row?.value ?? 0;
  };
  /**
   * The client's message, the stored one, the reply to the same question, and the tools that were
   * called.
   */
  const outcomeOf = async (id: string, asked: ReturnType<typeof read>) => {
    const { chunks, message } = await asked;
    const { data } = await ask(server.origin, `/conversations/${id}/messages?userId=ada`);
    const again = await read(await askIn(id, server, asking));
    return {
      received: [message?.id, chunks.at(-1)?.type, textOf(message)],
      stored: (data['messages'] as UIMessage[]).slice(1).map((answer) => [answer.id, textOf(answer)]),
      repeated: [again.message?.id, again.chunks.at(-1)?.type, textOf(again.message)],
      calls: calls.filter((call) => call.startsWith(`${id} `)),
    };
  };
  const wholeOutcome = (id: string) => ({
    received: [expect.any(String), 'finish', whole],
    stored: [[expect.any(String), whole]],
    repeated: [expect.any(String), 'finish', whole],
    calls: [`${id} first`, `${id} second`],
  });

  it('stores the whole answer when the disk was full for some writes', async () => {
    await fillDisk(4);
    gateOf('disk').open();
    expect(await outcomeOf('disk', read(await askIn('disk', server, asking)))).toEqual(wholeOutcome('disk'));
  });

  it('continues the answer later when the disk was full for longer than writes are repeated', async () => {
    await fillDisk(1_000_000);
    gateOf('long').open();
    const asked = read(await askIn('long', server, asking));
    const epoch = async (): Promise<number> => {
      const filter = { parentExecutionId: null, limit: 50, offset: 0 };
      const { executions } = await storage.executions.list('anyone', filter);
      return executions.find(({ conversationId }) => conversationId === 'long')?.epoch ?? 0;
    };
    await expect.poll(epoch).toBeGreaterThan(1);
    expect(await refusals()).toBeGreaterThan(4);
    await postgres.query('drop trigger full_disk on halyard.messages');
    expect(await outcomeOf('long', asked)).toEqual(wholeOutcome('long'));
  });

  it.each(['the server restarts', 'the connections are lost'])(
    'sends and stores the whole answer when %s',
    async (how) => {
      const id = how.replaceAll(' ', '-');
      const asked = read(await askIn(id, server, asking));
      await gateOf(id).entered;
      if (how === 'the server restarts') {
        await postgres.stop();
        gateOf(id).open();
        await postgres.start();
      } else {
        await postgres.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
        );
        gateOf(id).open();
      }
      expect(await outcomeOf(id, asked)).toEqual(wholeOutcome(id));
    },
  );
});
