import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionStoreHarness } from '@halyard/conformance';
import {
  type ClaimedExecution,
  type Execution,
  type ClaimOptions,
  type ExecutionStore,
  type Lease,
  systemClock,
} from '@halyard/contracts';
import { InMemoryExecutionMirror } from '@halyard/memory-in-memory/executions';
import { Deliveries } from '../deliveries.ts';
import { Endpoint } from '../endpoint.ts';
import { IngressClient } from '../ingress-client.ts';
import { RestateExecutions } from '../restate-executions.ts';
import { Watches } from '../watches.ts';
import type { RestateServer } from './restate-server.ts';

interface StoredRoot {
  readonly record: Pick<Execution, 'id' | 'runner' | 'definition' | 'priority'>;
  readonly place: { readonly dueAt: number | null; readonly isListed: boolean };
}

/**
 * The ports on a real server, for the conformance cases. Cases claim by hand and let leases end by
 * the clock: here such a claim has a newer delivery, as after the death of a runner.
 */
export class RestateHarness {
  readonly #server: RestateServer;
  readonly #endpoint: Endpoint;
  readonly #mirror: InMemoryExecutionMirror;
  readonly #client: IngressClient;
  readonly #executions: RestateExecutions;
  readonly #leases = new Map<string, number>();
  #shiftMs = 0;
  #tickets = 1_000_000;

  private constructor(
    {
      endpoint,
      mirror,
      server,
    }: { readonly server: RestateServer; readonly endpoint: Endpoint; readonly mirror: InMemoryExecutionMirror },
    client: IngressClient,
    executions: RestateExecutions,
  ) {
    this.#server = server;
    this.#mirror = mirror;
    this.#endpoint = endpoint;
    this.#client = client;
    this.#executions = executions;
  }

  static async open(server: RestateServer, port: number): Promise<RestateHarness> {
    const client = new IngressClient(server.ingress);
    const watches = new Watches(client);
    const deliveries = new Deliveries(client, watches);
    const mirror = new InMemoryExecutionMirror();
    const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const shift = (): number => harness.#shiftMs;
    const endpoint = await Endpoint.open({
      port,
      host: '127.0.0.1',
      identityKeys: undefined,
      clock: { now: async (ctx) => (await ctx.date.now()) + shift() },
      logger,
      client,
      deliveries,
      mirror,
    });
    const executions = new RestateExecutions({
      client,
      watches,
      deliveries,
      mirror,
      eventsKeptMs: 600_000,
      now: () => systemClock.now() + shift(),
      disconnect: () => endpoint.close(),
    });
    const harness: RestateHarness = new RestateHarness({ server, endpoint, mirror }, client, executions);
    // What Restate delivers is claimed by the cases.
    executions.start({ maxClaims: 1_000, isFull: false, run: async () => 'released', quarantine: async () => {} });
    await server.register(port);
    return harness;
  }

  async close(): Promise<void> {
    await this.#endpoint.close();
  }

  /** Deletes the state of all objects. */
  async empty(): Promise<void> {
    await this.#settle();
    const objects = await this.#server.query<{ service_name: string; service_key: string }>(
      'select distinct service_name, service_key from state',
    );
    for (const { service_key, service_name } of objects)
      await fetch(`${this.#server.admin}/services/${service_name}/state`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ object_key: service_key, new_state: {} }),
      });
    while ((await this.#server.query('select service_key from state limit 1')).length > 0);
    const everyRoot = { parentExecutionId: null, limit: Infinity, offset: 0 };
    const { executions } = await this.#mirror.list('anyone', everyRoot);
    await this.#mirror.remove(executions.map(({ id }) => id));
    this.#leases.clear();
    this.#shiftMs = 0;
  }

  get harness(): ExecutionStoreHarness {
    return { store: this.#store(), advance: (ms) => void (this.#shiftMs += ms) };
  }

  #now(): number {
    return systemClock.now() + this.#shiftMs;
  }

  #store(): ExecutionStore {
    const log = this.#executions;
    const settled =
      <Call extends readonly unknown[], Result>(method: (...call: Call) => Promise<Result>) =>
      async (...call: Call): Promise<Result> => {
        await this.#settle();
        return method(...call);
      };
    return {
      create: (...call) => log.create(...call),
      commit: settled((...call) => log.commit(...call)),
      resume: settled((...call) => log.resume(...call)),
      request: settled((...call) => log.request(...call)),
      rewind: settled((...call) => log.rewind(...call)),
      quarantine: settled((...call) => log.quarantine(...call)),
      terminate: settled((...call) => log.terminate(...call)),
      supersede: settled((...call) => log.supersede(...call)),
      find: settled((...call) => log.find(...call)),
      journal: settled((...call) => log.journal(...call)),
      events: settled((...call) => log.events(...call)),
      list: settled((...call) => log.list(...call)),
      histories: settled((...call) => log.histories(...call)),
      purge: settled((...call) => log.purge(...call)),
      publish: settled((...call) => log.publish(...call)),
      deliverPending: () => log.deliverPending(),
      purgeEvents: () => log.purgeEvents(),
      watch: (...call) => log.watch(...call),
      claim: settled((...call) => this.#claim(...call)),
      backlog: settled(async (definitions, limit) => {
        const due = (await this.#waiting(definitions)).filter(({ place }) => (place.dueAt ?? Infinity) <= this.#now());
        return { count: Math.min(limit, due.length), oldestDueMs: 0 };
      }),
      claimNext: settled(async (lease, { definitions, limit }) => {
        const waiting = await this.#waiting(Object.keys(definitions));
        const due = waiting.filter(({ place }) => (place.dueAt ?? Infinity) <= this.#now());
        const claimed: ClaimedExecution[] = [];
        for (const { record } of due.toSorted(compareDue)) {
          const one = claimed.length < limit ? await this.#claim(record.id, lease, { definitions }) : undefined;
          if (one !== undefined) claimed.push(one);
          await this.#settle();
        }
        const times = waiting.filter((one) => !due.includes(one)).flatMap(({ place }) => place.dueAt ?? []);
        const nextDueInMs = times.length === 0 ? undefined : Math.max(0, Math.min(...times) - this.#now());
        return { claimed, exhausted: [], hasLeftOut: false, nextDueInMs };
      }),
      renew: async (held, { leaseMs, runner }) => {
        const lost: string[] = [];
        for (const { epoch, executionId } of held) {
          const execution = await log.find('anyone', executionId);
          const hasEnded = (this.#leases.get(executionId) ?? Infinity) <= this.#now();
          const isHeld = execution?.runner === runner && execution.epoch === epoch && !hasEnded;
          if (isHeld) this.#leases.set(executionId, this.#now() + leaseMs);
          else lost.push(executionId);
        }
        return lost;
      },
      dueElsewhere: async () => [],
      announceDue: () => {},
      watchDue: () => () => {},
    };
  }

  async #claim(
    id: string,
    { leaseMs, runner }: Lease,
    { definitions }: ClaimOptions = {},
  ): Promise<ClaimedExecution | undefined> {
    const hasEnded = (this.#leases.get(id) ?? Infinity) <= this.#now();
    this.#tickets += 1;
    const result = await this.#client.call('execution', id, 'claim', {
      runner,
      definitions: definitions ?? null,
      claimId: randomUUID(),
      delivery: hasEnded ? { ticket: this.#tickets, attempt: 1 } : null,
      awakeable: null,
      maxClaims: null,
    });
    if (result.status !== 'claimed') return undefined;
    this.#leases.set(id, this.#now() + leaseMs);
    return result.claimed;
  }

  /** Roots that have no runner, or whose lease has run out. */
  async #waiting(definitions: readonly string[]): Promise<readonly StoredRoot[]> {
    return (await this.#roots())
      .filter(({ record }) => definitions.includes(record.definition))
      .map(({ place, record }) => {
        const leaseEnd = this.#leases.get(record.id) ?? Infinity;
        return {
          record,
          place: record.runner === null ? place : { ...place, dueAt: leaseEnd <= this.#now() ? leaseEnd : null },
        };
      });
  }

  /**
   * Waits until no handler runs or is about to: twice, because a message to another partition is not
   * seen on its way.
   */
  async #settle(): Promise<void> {
    const active = "select id from sys_invocation_status where status in ('inboxed', 'invoked', 'suspended') limit 1";
    for (let quiet = 0; quiet < 2;) {
      const isActive =
        (await this.#server.query(active)).length > 0 || (await this.#roots()).some(({ place }) => place.isListed);
      quiet = isActive ? 0 : quiet + 1;
      await delay(20);
    }
  }

  async #roots(): Promise<readonly StoredRoot[]> {
    const rows = await this.#server.query<{ value_utf8: string }>(
      "select value_utf8 from state where service_name = 'HalyardExecution' and key = 'root'",
    );
    return rows.map(({ value_utf8 }) => JSON.parse(value_utf8) as StoredRoot);
  }
}

function compareDue(one: StoredRoot, other: StoredRoot): number {
  return other.record.priority - one.record.priority || (one.place.dueAt ?? 0) - (other.place.dueAt ?? 0);
}
