import { alternate, type Rounds } from './harness/alternate.ts';
import { AppProcess } from './harness/app-process.ts';
import { type Load, runRound } from './harness/closed-loop.ts';
import { Comparison, type Environments } from './harness/comparison.ts';
import { describeMachine, pinDriver } from './harness/machine.ts';
import { type AppName, type BenchOptions, matches, readOptions } from './harness/options.ts';
import { measureStart } from './harness/startup.ts';
import { runStores, storesId } from './harness/stores.ts';
import { tableHead, tableRow } from './harness/table.ts';
import { measureTelemetryReads } from './harness/telemetry-reads.ts';
import { type Scenario, scenarios } from './scenarios.ts';

const startRounds = 5;
const readRounds = 3;
/** The number of processes per environment in a comparison. */
const processesCompared = 3;
/** The number of rounds of a comparison. Each round measures every pair of processes. */
const comparedRounds = 8;

const options = readOptions(process.argv.slice(2));
pinDriver();
const beganAt = performance.now();
const notes: string[] = [];
const processes = await startApps(options.apps);
const apps = [...processes.keys()];

console.log(`${describeMachine()}\n\n${tableHead()}`);
for (const scenario of scenarios.filter(({ id }) => matches(id, options.only))) {
  const rounds = await measure(scenario, options);
  for (const row of scenario.rows) console.log(tableRow(row, rounds));
  noteSizes(scenario, rounds);
}
await Promise.all([...processes.values()].map((app) => app.stop()));
if (!options.quick && matches(storesId, options.only)) runStores();
console.log(['', ...notes, `${((performance.now() - beganAt) / 1000).toFixed(0)} s`].join('\n'));

/** If an app does not start, the others are still measured. */
async function startApps(names: readonly AppName[]): Promise<Map<AppName, AppProcess>> {
  const started = new Map<AppName, AppProcess>();
  for (const name of names) {
    try {
      started.set(name, await AppProcess.start(name));
    } catch (reason) {
      console.log(
        `${name} does not start and is skipped: ${reason instanceof Error ? reason.message : String(reason)}`,
      );
    }
  }
  return started;
}

async function measure(
  { id, load, compare, readsTelemetry, ...own }: Scenario,
  { rounds, seconds, quick }: BenchOptions,
): Promise<Rounds> {
  const failed = (app: AppName, reason: unknown): void => {
    notes.push(`WRONG: ${app} in ${id}: ${reason instanceof Error ? reason.message : String(reason)}`);
    process.exitCode = 1;
  };
  if (readsTelemetry === true)
    return apps.includes('halyard')
      ? await alternate(['halyard'], quick ? 1 : readRounds, measureTelemetryReads, failed)
      : new Map();
  if (load === undefined) return await alternate(apps, quick ? rounds : startRounds, measureStart, failed);

  if (compare !== undefined) {
    return await measureBoth(load, compare, { rounds: Math.min(rounds, comparedRounds), seconds, quick }, failed);
  }
  const length = Math.max(seconds, quick ? 0 : (own.seconds ?? 0));
  const run = async (app: AppName): ReturnType<typeof runRound> => await runRound(getProcess(app), load, length);
  // One round of each app as warm-up. Apps that fail it are not measured.
  const warm = await alternate(
    apps,
    1,
    async (app) => await runRound(getProcess(app), load, warmUpSeconds(load, quick)),
    failed,
  );
  return await alternate([...warm.keys()], Math.min(rounds, own.rounds ?? rounds), run, failed);
}

async function measureBoth(
  load: Load,
  environments: Environments,
  { quick, rounds, seconds }: Pick<BenchOptions, 'quick' | 'rounds' | 'seconds'>,
  failed: (app: AppName, reason: unknown) => void,
): Promise<Rounds> {
  if (!apps.includes('halyard')) return new Map();
  const count = quick ? 1 : processesCompared;
  const comparison = await Comparison.open('halyard', environments, count);
  try {
    await comparison.measure(load, warmUpSeconds(load, quick), false);
    return await alternate(
      ['halyard'],
      rounds,
      () => comparison.measure(load, seconds, 'STORED_MESSAGES' in environments.other),
      failed,
    );
  } finally {
    await comparison.close();
  }
}

function getProcess(name: AppName): AppProcess {
  const app = processes.get(name);
  if (app === undefined) throw new Error(`${name} is not running`);
  return app;
}

/**
 * V8 needs about six seconds of small requests on a slow machine until its compiled code and heap
 * size are stable. Until then requests cost up to a sixth more. With many clients one answer for
 * each is enough.
 */
function warmUpSeconds({ clients }: Load, quick: boolean): number {
  if (clients > 100) return 0.1;
  return quick ? 1 : 6;
}

/** A ratio to `limit` is meaningful only if both send answers of about the same size. */
function noteSizes({ id }: Scenario, rounds: Rounds): void {
  const size = (app: AppName): number => rounds.get(app)?.[0]?.bytesPerAnswer ?? Number.NaN;
  for (const app of apps) {
    const share = size(app) / size('limit');
    if (share < 0.9 || share > 1.1)
      notes.push(`${id}: the answer of ${app} has ${size(app)} bytes, that of limit ${size('limit')}`);
  }
}
