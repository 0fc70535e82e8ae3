import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  type PostgresServer,
  startPostgresServer,
} from '../../packages/memory-postgres/src/testing/postgres-server.ts';
import { median } from '../harness/median.ts';
import { type EngineProcess, type Place, type Request, startEngine } from './engine-process.ts';

/*
 * Measures durable engines in turn, on one PostgreSQL server with default settings: workflows of five steps, the duration of a workflow of one step, write-ahead log, statements while
 * workflows wait, claims in vain, and how long the work of a killed process takes to continue.
 * Run, after `pnpm build`: node benchmarks/engine/side-by-side.ts [--only steps,wal,idle,claims,takeover] [--before tree] [name=module …]
 * `--before` names a work tree of an older commit whose packages are built. Each module is another engine: it does what `engine-process.ts` describes. ROUNDS: default 15. SECONDS: of each round and engine, default 0.5; many short rounds suit a busy machine.
 */
interface Engine {
  readonly name: string;
  readonly module: string;
  readonly args: readonly string[];
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { before: { type: 'string' }, only: { type: 'string' } },
});
const parts = { steps, wal, idle, claims, takeover };
const rounds = Number(process.env['ROUNDS'] ?? 15);
const seconds = Number(process.env['SECONDS'] ?? 0.5);
const halyard = join(import.meta.dirname, 'halyard-engine.ts');
const tree = join(import.meta.dirname, '../..');
const bare: Engine = { name: 'Halyard, no spans', module: halyard, args: [tree] };
const engines: readonly Engine[] = [
  { name: 'Halyard, spans', module: halyard, args: [tree, 'spans'] },
  bare,
  ...(values.before === undefined
    ? []
    : [
        { name: 'before, spans', module: halyard, args: [values.before, 'spans'] },
        { name: 'before, no spans', module: halyard, args: [values.before] },
      ]),
  ...positionals.map((given) => {
    const [name = '', module = ''] = given.split('=');
    return { name, module, args: [] };
  }),
];
let databases = 0;

for (const [name, measure] of Object.entries(parts)) {
  if (values.only !== undefined && !values.only.split(',').includes(name)) continue;
  const server = await startPostgresServer();
  try {
    await measure(server);
  } finally {
    await server.remove();
  }
}

/**
 * Steps per second with 50 workflows of five steps at a time, and the duration of a workflow of one
 * step.
 */
async function steps(server: PostgresServer): Promise<void> {
  const running = await startAll(server, engines);
  const results = running.map(({ name }) => ({ name, rates: [] as number[], p50s: [] as number[] }));
  for (const { process } of running) {
    await process.ask({ type: 'five', seconds: 2, atOnce: 50 });
    await process.ask({ type: 'one', runs: 50 });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { process }] of running.entries()) {
      const five = await process.ask({ type: 'five', seconds, atOnce: 50 });
      results[index]?.rates.push((five.runs * 5_000) / five.tookMs);
    }
    for (const [index, { process }] of running.entries()) {
      const { p50Ms = Number.NaN } = await process.ask({ type: 'one', runs: 20 });
      results[index]?.p50s.push(p50Ms);
    }
  }
  const first = results[0];
  for (const { name, p50s, rates } of results) {
    const ratio = ratioOf(rates, first?.rates);
    const ratioOfP50 = ratioOf(p50s, first?.p50s);
    print(`steps of ${name}`, {
      'steps/s': median(rates),
      least: Math.min(...rates),
      most: Math.max(...rates),
      [`× ${first?.name}`]: ratio,
      'p50 ms of one step': median(p50s),
      'least p50': Math.min(...p50s),
      [`p50 × ${first?.name}`]: ratioOfP50,
    });
  }
  await stopAll(running);
}

/** The median over the rounds of the ratio within a round. */
function ratioOf(figures: readonly number[], base: readonly number[] = []): number {
  return median(figures.map((figure, round) => figure / (base[round] ?? Number.NaN)));
}

/**
 * Write-ahead log of a run of five steps, one at a time and 50 at a time, with and without
 * full-page images. Runs between the checkpoint and the measurement write most of these images.
 */
async function wal(server: PostgresServer): Promise<void> {
  await server.query('create extension pg_walinspect');
  for (const engine of engines) {
    const [running] = await startAll(server, [engine]);
    if (running?.process.isOnPostgres === true) {
      const { ask } = running.process;
      await ask({ type: 'repeat', runs: 500 });
      await server.query('checkpoint');
      await ask({ type: 'repeat', runs: 500 });
      await ask({ type: 'five', seconds: 1, atOnce: 50 });
      print(`WAL of ${engine.name}, KB per run`, {
        ...(await written(server, () => ask({ type: 'repeat', runs: 500 }), 'one at a time')),
        ...(await written(server, () => ask({ type: 'five', seconds: 2, atOnce: 50 }), '50 at a time')),
      });
    }
    if (running !== undefined) await stopAll([running]);
  }
}

async function written(
  server: PostgresServer,
  work: () => Promise<{ readonly runs: number }>,
  name: string,
): Promise<Readonly<Record<string, number>>> {
  // Spans are written up to 200 ms later.
  await delay(1_000);
  const from = await position(server);
  const { runs } = await work();
  await delay(1_000);
  const to = await position(server);
  const [sizes] = await server.query(
    `select '${to}'::pg_lsn - '${from}'::pg_lsn as bytes, sum(fpi_size) as images from pg_get_wal_stats('${from}', '${to}')`,
  );
  const { bytes, images } = sizes as { readonly bytes: string; readonly images: string };
  return { [name]: Number(bytes) / runs / 1_024, 'of full-page images': Number(images) / runs / 1_024 };
}

async function position(server: PostgresServer): Promise<string> {
  const [row] = await server.query('select pg_current_wal_flush_lsn()::text as position');
  return (row as { readonly position: string }).position;
}

/** Statements and transactions per second while workflows wait or are idle in a step. */
async function idle(server: PostgresServer): Promise<void> {
  await server.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
  await server.stop();
  await server.start();
  await server.query('create extension pg_stat_statements');
  const cases: readonly (readonly [Place, number])[] = [
    ['waits', 1_000],
    ['waits', 3_000],
    ['sleeps', 1_000],
    ['sleeps', 3_000],
    ['in-step', 1_000],
  ];
  for (const [place, count] of cases) {
    const running = await startAll(
      server,
      engines.map((engine) => ({ ...engine, args: [...engine.args, ...(place === 'in-step' ? ['many'] : [])] })),
    );
    const onPostgres = running.filter(({ process }) => process.isOnPostgres);
    for (const { process } of onPostgres) await process.ask({ type: 'hold', place, count });
    await delay(15_000);
    const before = await Promise.all(onPostgres.map(({ database }) => calls(server, database)));
    await delay(30_000);
    for (const [index, { database, name }] of onPostgres.entries()) {
      const { statements, transactions } = await calls(server, database);
      print(`${name}, ${count} in '${place}', per second`, {
        statements: (statements - (before[index]?.statements ?? 0)) / 30,
        transactions: (transactions - (before[index]?.transactions ?? 0)) / 30,
      });
    }
    await stopAll(running);
  }
}

async function calls(
  server: PostgresServer,
  database: string,
): Promise<{ readonly statements: number; readonly transactions: number }> {
  const [row] = await server.query(
    `select sum(calls)::integer as statements, max(xact_commit + xact_rollback)::integer as transactions
      from pg_stat_database join pg_stat_statements on dbid = datid where datname = '${database}'`,
  );
  return row as { readonly statements: number; readonly transactions: number };
}

/** Claims in vain under the load of `steps`, of one process and of three. */
async function claims(server: PostgresServer): Promise<void> {
  for (const count of [1, 3]) {
    const [first] = await startAll(server, [bare]);
    if (first === undefined) return;
    const url = urlOf(server, first.database);
    const others = await Promise.all(
      Array.from({ length: count - 1 }, () => startEngine(bare.module, url, ...bare.args)),
    );
    const processes = [first.process, ...others];
    const load: Request = { type: 'five', seconds: seconds * rounds, atOnce: 50 };
    const answers = await Promise.all(processes.map(({ ask }) => ask(load)));
    const sum = (field: 'claims' | 'inVain' | 'runs'): number =>
      answers.reduce((total, answer) => total + (answer[field] ?? 0), 0);
    print(`claims of ${count} process${count > 1 ? 'es' : ''}`, {
      runs: sum('runs'),
      claims: sum('claims'),
      'in vain': sum('inVain'),
      'in vain, %': (100 * sum('inVain')) / sum('claims'),
    });
    await Promise.all(processes.map(({ stop }) => stop()));
  }
}

/** The time from the kill of a process until another one has claimed what it ran. */
async function takeover(server: PostgresServer): Promise<void> {
  const survivor = await startEngine(bare.module, server.connectionString, ...bare.args);
  const took: number[] = [];
  for (let time = 0; time < 5; time += 1) {
    const killed = await startEngine(bare.module, server.connectionString, ...bare.args);
    await killed.ask({ type: 'hold', place: 'in-step', count: 1 });
    // The kills hit different moments between two renewals.
    await delay(4_000 + 700 * time);
    const began = performance.now();
    const gone = once(killed.child, 'exit');
    killed.child.kill('SIGKILL');
    await gone;
    while (!(await isTakenOver(server))) await delay(10);
    took.push(performance.now() - began);
  }
  print('takeover after SIGKILL, ms', { median: median(took), least: Math.min(...took), most: Math.max(...took) });
  await survivor.stop();
}

async function isTakenOver(server: PostgresServer): Promise<boolean> {
  return (await server.query('select from halyard.executions where epoch < 2')).length === 0;
}

interface Running {
  readonly name: string;
  readonly database: string;
  readonly process: EngineProcess;
}

/** Each engine gets a database. */
async function startAll(server: PostgresServer, started: readonly Engine[]): Promise<readonly Running[]> {
  const running: Running[] = [];
  for (const { args, module, name } of started) {
    databases += 1;
    const database = `engine_${databases}`;
    await server.query(`create database ${database}`);
    running.push({ name, database, process: await startEngine(module, urlOf(server, database), ...args) });
  }
  return running;
}

async function stopAll(running: readonly Running[]): Promise<void> {
  for (const { process } of running) await process.stop();
}

function urlOf({ connectionString }: PostgresServer, database: string): string {
  return connectionString.replace(/[^/]*$/, database);
}

function print(name: string, figures: Readonly<Record<string, number>>): void {
  const texts = Object.entries(figures).map(([unit, value]) => `${unit} ${Math.round(value * 100) / 100}`);
  console.log(`${name}: ${texts.join(', ')}`);
}
