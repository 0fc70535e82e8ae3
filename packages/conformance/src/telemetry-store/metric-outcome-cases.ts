import type { MetricSums } from '@halyard/contracts';
import { checkEqual } from '../check.ts';
import { atStart, minute, modelCall, query } from './sample-metrics.ts';
import { aborted, failed, ofEntity, refused, sampleEntry, writeSpans } from './sample-telemetry.ts';
import type { TelemetryStoreCase } from './telemetry-store-harness.ts';

/** How counted requests ended. */
export const metricOutcomeCases: readonly TelemetryStoreCase[] = [
  {
    name: 'counts requests that were aborted or refused apart from errors, also in groups',
    run: async ({ store }) => {
      const by = (outcome: typeof aborted | typeof refused): object => ({
        attributes: { ...ofEntity('agent', 'helper', 'ada'), ...outcome.attributes },
        status: outcome.status,
      });
      await writeSpans(
        store,
        sampleEntry(1, 1, atStart, by(aborted)),
        sampleEntry(2, 2, atStart, by(aborted)),
        sampleEntry(3, 3, atStart, by(refused)),
        sampleEntry(4, 4, atStart, failed),
        sampleEntry(5, 5, atStart),
        sampleEntry(6, 6, atStart - 3 * minute, by(refused)),
        sampleEntry(7, 7, atStart, {
          ...by(aborted),
          attributes: { ...ofEntity('agent', 'other'), ...aborted.attributes },
        }),
        modelCall(1, 8, atStart, aborted.attributes),
      );
      const outcomes = ({
        aborted: stopped,
        errors,
        refused: blocked,
        requests,
      }: Omit<MetricSums, 'latencies'>): unknown => [requests, errors, stopped, blocked];
      for (const [owner, total] of [
        ['anyone', [6, 1, 3, 1]],
        [{ user: 'ada' }, [5, 1, 2, 1]],
      ] as const) {
        const { points, previous } = await store.metrics(owner, query);
        checkEqual(points.map(outcomes)[2], total, 'Requests, errors, aborted and refused ones of the minute');
        checkEqual(outcomes(previous), [1, 0, 0, 1], 'Those before');
      }
      const { groups, others } = await store.metrics('anyone', { ...query, groupBy: 'agent', maxGroups: 1 });
      checkEqual(groups.map(outcomes), [[5, 1, 2, 1]], 'Those of the agent');
      checkEqual(others && outcomes(others), [1, 0, 1, 0], 'Those of the other agent');
      const { groups: models } = await store.metrics('anyone', { ...query, groupBy: 'model' });
      checkEqual(models.map(outcomes), [[1, 0, 1, 0]], 'Calls of the model');

      await store.deleteUser('ada');
      const rest = await store.metrics('anyone', query);
      checkEqual(rest.points.map(outcomes)[2], [1, 0, 1, 0], 'Those of the minute after the spans were deleted');
    },
  },
];
