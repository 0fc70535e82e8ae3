import { startPostgresServer } from '../../../../../packages/memory-postgres/src/testing/postgres-server.ts';
import type { AttackOutcome } from '../harness/attack.ts';
import { LargeRequests } from './large-requests.ts';
import type { MeasuredSettings } from './measured-process.ts';
import { MeasuredTarget, megabyte } from './measured-target.ts';

export const stores = ['memory', 'postgres'] as const;
export type Store = (typeof stores)[number];

/** Everything that the process takes: heap, buffers, code. */
const rssBoundMb = 1024;

/** A few requests that store something large, and a few that read it. */
export interface Amplification {
  readonly write: (requests: LargeRequests) => Promise<void>;
  readonly read: (requests: LargeRequests) => Promise<void>;
}

export interface AmplifyOptions extends Pick<MeasuredSettings, 'plant'> {
  /** The heap of the process under attack. */
  readonly heapMb: number;
  /** The share of the writes that are made. Default: 1. */
  readonly share?: number;
  /** Also reads each by itself, before all are read at the same time. */
  readonly readsEach?: boolean;
}

export interface AmplifyResult {
  readonly writes: number;
  readonly refused: number;
  readonly readMb: number;
  readonly peakRssMb: number;
  readonly isAlive: boolean;
  readonly findings: readonly string[];
}

/** Writes everything to a new server, then reads all of it at the same time. */
export async function amplify(
  store: Store,
  amplifications: Readonly<Record<string, Amplification>>,
  { heapMb, plant, readsEach = false, share = 1 }: AmplifyOptions,
): Promise<AmplifyResult> {
  const database = store === 'postgres' ? await startPostgresServer() : undefined;
  const target = await MeasuredTarget.start({
    heapMb,
    records: true,
    connectionString: database?.connectionString,
    plant,
  });
  const requests = new LargeRequests(target, share);
  let peakRssMb = 0;
  const watch = setInterval(() => (peakRssMb = target.peakRssMb ?? peakRssMb), 200);
  try {
    const all = Object.entries(amplifications);
    for (const [name, { write }] of all) {
      await write(requests);
      console.log(`  ${store}: ${name} written, ${target.peakRssMb ?? peakRssMb} MB resident`);
    }
    for (const [name, { read }] of readsEach ? all : []) {
      await read(requests);
      console.log(`  ${store}: ${name} read, ${target.peakRssMb ?? peakRssMb} MB resident`);
    }
    await Promise.all(all.map(([, { read }]) => read(requests)));
    peakRssMb = target.peakRssMb ?? peakRssMb;
    return report(`${Object.keys(amplifications).join(' and ')}, ${store}`, requests, {
      peakRssMb,
      isAlive: target.isAlive,
    });
  } finally {
    clearInterval(watch);
    await target.close();
    await database?.remove();
  }
}

function report(
  what: string,
  { failed, failures, readBytes, refused, writes, writtenBytes }: LargeRequests,
  { isAlive, peakRssMb }: Pick<AmplifyResult, 'isAlive' | 'peakRssMb'>,
): AmplifyResult {
  const [readMb, writtenMb] = [readBytes, writtenBytes].map((bytes) => Math.round(bytes / megabyte)) as [
    number,
    number,
  ];
  const findings: string[] = [];
  if (!isAlive) findings.push(`${what}: the process ran out of memory after ${writtenMb} MB were written`);
  else if (failed > 0)
    findings.push(
      `${what}: ${failed} requests got no reply, or a 500: ${[...failures].map(([each, count]) => `${count} × ${each}`).join('; ')}`,
    );
  if (peakRssMb > rssBoundMb) findings.push(`${what}: the process took ${peakRssMb} MB`);
  console.log(
    `  ${what}: ${writtenMb} MB written, ${readMb} MB read, ${isAlive ? '' : 'ended at '}${peakRssMb} MB resident`,
  );
  return { writes, refused, readMb, peakRssMb, isAlive, findings };
}

export function describeResults(results: readonly AmplifyResult[], heapMb: number): AttackOutcome {
  const sum = (valueOf: (result: AmplifyResult) => number): number =>
    results.reduce((total, one) => total + valueOf(one), 0);
  return {
    count: `${sum((one) => one.writes)} writes (${sum((one) => one.refused)} refused), ${sum((one) => one.readMb)} MB read`,
    measured: `largest process ${Math.max(...results.map((one) => one.peakRssMb))} MB, ${results.filter((one) => !one.isAlive).length} of ${results.length} ended`,
    target: `none ends at --max-old-space-size=${heapMb}, < ${rssBoundMb} MB resident`,
    findings: results.flatMap((one) => one.findings),
  };
}
