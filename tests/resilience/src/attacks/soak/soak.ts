import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attack } from '../harness/attack.ts';
import { drawCurves } from './draw-curves.ts';
import { runSoak } from './run-soak.ts';
import { type Sample, toCsv } from './samples.ts';

/**
 * A server under mixed load for a long time, whose memory, handles and latency must stay the same.
 */
export const soak: Attack = {
  name: 'soak',
  summary: 'mixed requests, streams, WebSockets and aborts for a minute, or two hours: does anything grow?',
  needsOwnTarget: 'the soak measures the process of the server',
  plants: { 'leaked-heap': /the heap grows/, 'leaked-handles': /handles grew/ },
  run: async ({ bySize, minutes: asked, plant, random, rate: askedRate }) => {
    const minutes = asked ?? bySize({ planted: 0.75, short: 1, long: 120 });
    const rate = askedRate ?? bySize({ planted: 20, short: 20, long: 50 });
    const directory = mkdtempSync(join(tmpdir(), 'halyard-soak-'));
    const caption = `Memory, handles and latency of a server during ${minutes} minutes with ${rate} requests per second`;
    const write = (samples: readonly Sample[]): void => {
      writeFileSync(join(directory, 'soak.csv'), toCsv(samples));
      writeFileSync(join(directory, 'soak.svg'), drawCurves(samples, caption));
    };
    const { figures, problems } = await runSoak({
      minutes,
      rate,
      random: () => random.next(),
      plant: plant === 'leaked-heap' || plant === 'leaked-handles' ? plant : undefined,
      // A verdict needs some samples.
      sampleMs: minutes < 10 ? 2_000 : 10_000,
      onSample: write,
    });
    console.log(`  ${directory}/soak.csv, ${directory}/soak.svg`);
    const { aborted, handlesFirst, handlesLast, heapHigh, heapLow, heapMb, heapMbPerHour, p99FirstMs, p99LastMs } =
      figures;
    return {
      count: `${minutes} minutes, ${figures['requests']} requests, ${aborted} aborted`,
      measured: `heap ${heapMb} MB, growth ${heapMbPerHour} MB/h (95 %: ${heapLow} to ${heapHigh}), handles ${handlesFirst} → ${handlesLast}, p99 ${p99FirstMs} → ${p99LastMs} ms`,
      target: 'heap, handles and p99 flat',
      findings: problems,
    };
  },
};
