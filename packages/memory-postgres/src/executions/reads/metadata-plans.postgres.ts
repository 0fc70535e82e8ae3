import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExplainedStorage, openExplainedStorage } from '../../testing/explained-storage.ts';
import { metadataDigests } from './metadata-digests.ts';

/** Each has one of four shops, so that PostgreSQL knows no rare value. */
const rows = 150_000;
const shops = ['Oslo', 'Bergen', 'Tromsø', 'Bodø'];

describe('lists of executions with metadata', () => {
  let planned: ExplainedStorage;
  beforeAll(async () => {
    planned = await openExplainedStorage(fill);
  });
  afterAll(() => planned.close());

  it.each([
    ['nothing', { shop: 'Paris' }, {}, 0],
    ['nothing, of one workflow', { shop: 'Paris' }, { workflowId: 'w-3' }, 0],
    ['nothing, with a status', { shop: 'Paris' }, { status: 'completed' as const }, 0],
    ['nothing, though each member matches some', { shop: 'Oslo', label: 'old' }, {}, 0],
  ])('read the index of metadata when the filter matches %s', async (_, metadata, filter, total) => {
    const { plansOf, storage } = planned;
    const plans = await plansOf(async () => {
      const page = { parentExecutionId: null, limit: 20, offset: 0, metadata, ...filter };
      expect(await storage.executions.list('anyone', page)).toMatchObject({ total, hasMore: false });
    });
    expect(plans).toContain('executions_with_metadata');
    expect(plans.match(/(?:Seq Scan on executions|executions_(?:newest|of_\w+))\b/g) ?? []).toEqual([]);
  });

  it('read the index of metadata when the filter matches only the oldest', async () => {
    const { plansOf, pool, storage } = planned;
    await pool.query(
      `update halyard.executions set metadata_digests = metadata_digests || '{${digest({ label: 'oldest' })}}' where created_at <= 30`,
    );
    const plans = await plansOf(async () => {
      const page = { parentExecutionId: null, limit: 20, offset: 0, metadata: { label: 'oldest' } };
      const found = await storage.executions.list('anyone', page);
      expect(found).toMatchObject({ total: 30, hasMore: true });
      expect(found.executions[0]?.id).toBe('run-30');
    });
    expect(plans).not.toContain('executions_newest');
  });

  it('read the newest first when the filter matches more than are counted', async () => {
    const { plansOf, storage } = planned;
    const plans = await plansOf(async () => {
      const page = { parentExecutionId: null, limit: 20, offset: 0, metadata: { shop: 'Oslo' } };
      const found = await storage.executions.list('anyone', page);
      expect(found).toMatchObject({ total: 10_000, hasMore: true });
      expect(found.executions[0]?.id).toBe(`run-${rows}`);
    });
    expect(plans).toContain('executions_newest');
  });
});

function digest(metadata: Readonly<Record<string, string>>): string {
  return metadataDigests(metadata)[0] ?? '';
}

const columns =
  'id, root_id, path, workflow_id, workflow_name, user_id, status, created_at, updated_at, ended_at, seq, journal_position, metadata_digests, state, input, context, metadata';
const fill = `
insert into halyard.executions (${columns})
select 'run-' || n, 'run-' || n, '', 'w-' || n % 40, 'W', 'user-' || n % 500, 'completed', n, n, n, 3, 3,
  array[(array['${shops.map((shop) => digest({ shop })).join("','")}'])[1 + n % 4]],
  '{}', to_json(repeat('x', 300))::text, '{}', '{}'
from generate_series(1, ${rows}) as n;
`;
