import type { CommitOutcome, Execution, Owner } from '@halyard/contracts';
import { subjectForUser } from '@halyard/contracts';
import {
  toChannel,
  commitChanges,
  type ExecutionTree,
  isFinal,
  isLeased,
  isWaitFor,
  mayReceive,
  newRecord,
  toOutcome,
  quarantineRoot,
  receiveEvent,
  resumeRoot,
  rewindRoot,
  terminateRoot,
} from '@halyard/memory-in-memory/executions';
import { type ObjectContext, TerminalError } from '@restatedev/restate-sdk';
import { call, send } from './calls.ts';
import { claimTree, isOlder } from './claim-tree.ts';
import type { EngineClock } from './engine-clock.ts';
import {
  concurrencyKey,
  initialPlace,
  type LoadedTree,
  loadTree,
  makeDue,
  savePlace,
  saveTree,
  signal,
  toRow,
  wakeRunner,
} from './execution-state.ts';
import { fromKey } from './object-key.ts';
import type { ClaimResult, Created, Delivery, ExecutionHandlers, InputsOf, Receipt } from './protocol.ts';
import { applyStartRules, enterAgain, leaveKeys } from './start-rules.ts';

type Inputs = InputsOf<ExecutionHandlers>;

/** Status of an error that repeating the call does not repair. */
const invalid = 422;

/** The handlers that change an execution: Restate runs one at a time. */
export class ExecutionObject {
  readonly #clock: EngineClock;

  constructor(clock: EngineClock) {
    this.#clock = clock;
  }

  async create(ctx: ObjectContext, { execution, options }: Inputs['create']): Promise<Created> {
    const existing = await loadTree(ctx, { children: [] });
    if (existing?.tree.record.creationId === options.requestId) return { outcome: 'created', row: toRow(existing) };
    if (existing !== undefined || (await ctx.get('alias')) !== null) return { outcome: 'taken', row: null };
    const now = await this.#clock.now(ctx);
    const rules = await applyStartRules(ctx, execution.id, options, now);
    if (rules === 'skipped') return { outcome: 'skipped', row: null };
    const { events, ...values } = execution;
    const own = { parentExecutionId: null, rootExecutionId: execution.id, path: '', creationId: options.requestId };
    const record = newRecord({ ...values, ...own }, now);
    record.definition = options.definition ?? execution.workflowId;
    record.priority = options.priority ?? 0;
    record.concurrency = options.concurrency ?? null;
    record.resumptions = options.resumptions ?? [];
    record.seq = events.length;
    const loaded: LoadedTree = {
      tree: {
        record,
        events: [...events],
        children: undefined,
        subject: options.subject ?? subjectForUser(execution.userId),
        journal: [...(options.journal ?? [])],
        checkpoint: undefined,
        descendants: undefined,
        claimsWithoutCommit: 0,
        lastCommitId: undefined,
        lastCommitSignals: 0,
        resumeRequestIds: [],
        received: [],
      },
      place: { ...initialPlace, keys: rules.keys },
      hasJournal: true,
      positions: new Map(),
      childIds: [],
      rows: new Map(),
      checkpoint: undefined,
    };
    makeDue(ctx, loaded, Math.max(0, rules.dueAt - now), now);
    saveTree(ctx, loaded);
    return { outcome: 'created', row: toRow(loaded) };
  }

  async claim(ctx: ObjectContext, input: Inputs['claim']): Promise<ClaimResult> {
    return claimTree(ctx, input, await this.#clock.now(ctx));
  }

  async listen(ctx: ObjectContext, { awakeable, delivery }: Inputs['listen']): Promise<void> {
    const loaded = await loadTree(ctx, { children: [] });
    if (loaded === undefined || !isSame(loaded.place.delivery, delivery)) return;
    await savePlace(ctx, { ...loaded.place, awakeable });
  }

  /** The run of a delivery ended without a release, or could not take what an earlier one has left. */
  async left(ctx: ObjectContext, { delayMs, delivery, isGivenUp = false }: Inputs['left']): Promise<void> {
    const loaded = await loadTree(ctx, { children: [] });
    if (loaded === undefined || isFinal(loaded.tree.record)) return;
    const { place, tree } = loaded;
    const isNext = place.dueAt !== null && place.ticket === delivery.ticket;
    const isUncounted = isGivenUp && uncount(loaded, delivery);
    if (tree.record.runner === null ? !isNext : isOlder(delivery, place.delivery)) {
      if (isUncounted) saveTree(ctx, loaded);
      return;
    }
    tree.record.runner = null;
    makeDue(ctx, loaded, delayMs, await this.#clock.now(ctx));
    saveTree(ctx, loaded);
  }

  async commit(ctx: ObjectContext, commit: Inputs['commit']): Promise<CommitOutcome> {
    const children = commit.checkpoint === undefined ? { children: commit.changes.map(({ id }) => id) } : {};
    const loaded = await loadTree(ctx, { ...children, journal: commit.checkpoint !== undefined });
    const { place, tree } = loaded ?? {};
    if (loaded === undefined || place === undefined || tree?.record.creationId !== commit.creationId)
      return { status: 'fenced' };
    const { record } = tree;
    const others = new Map((tree.descendants ?? []).map((child) => [child.record.id, child]));
    const executions = {
      get: (id: string) => (id === record.id ? tree : others.get(id)),
      getChild: (id: string) => others.get(id),
      addChild: (child: NonNullable<ExecutionTree['descendants']>[number]) => {
        others.set(child.record.id, child);
        (tree.descendants ??= []).push(child);
      },
    };
    if (tree.lastCommitId === commit.commitId) return toOutcome(executions, tree, commit);
    if (!isLeased(tree, commit.epoch) || record.seq !== commit.expectedSeq) return { status: 'fenced' };
    const { release } = commit;
    if (release !== undefined && release.expectedSignals !== record.signals) return { status: 'signalled' };

    for (const { created, id } of commit.changes) {
      if (created === undefined || (await call(ctx, 'execution', id, 'reserve', { rootId: record.id }))) continue;
      throw new TerminalError(`A commit of ${record.id} creates ${id}, whose id is in use`, { errorCode: invalid });
    }
    const now = await this.#clock.now(ctx);
    try {
      commitChanges(executions, tree, commit, now);
    } catch (error) {
      throw new TerminalError(error instanceof Error ? error.message : String(error), { errorCode: invalid });
    }
    const outcome = toOutcome(executions, tree, commit);
    if (isFinal(record)) finish(ctx, loaded);
    else if (release !== undefined) {
      record.runner = null;
      place.awakeable = null;
      if (release.dueAt === null) place.dueAt = null;
      else makeDue(ctx, loaded, Math.max(0, release.dueAt - now), now);
    }
    saveTree(ctx, loaded);
    const channels = commit.suspensions.flatMap(({ event }) => (event === undefined ? [] : toChannel(event)));
    for (const channel of new Set(channels)) send(ctx, 'channel', channel, 'wait', { rootId: record.id });
    return outcome;
  }

  async resume(ctx: ObjectContext, { owner, resume }: Inputs['resume']): Promise<'resumed' | 'not-suspended'> {
    const loaded = await this.#loadOwn(ctx, owner);
    const answered = loaded && resumeRoot(loaded.tree, resume);
    if (loaded === undefined || answered === undefined) return 'not-suspended';
    if (answered === 'repeated') return 'resumed';
    await this.#signal(ctx, loaded);
    return 'resumed';
  }

  async request(
    ctx: ObjectContext,
    { owner, request }: Inputs['request'],
  ): Promise<'requested' | 'idle' | 'not-found'> {
    const loaded = await this.#loadOwn(ctx, owner);
    if (loaded === undefined) return 'not-found';
    const { record } = loaded.tree;
    if (isFinal(record)) return 'idle';
    if (record.request?.kind !== 'cancel') record.request = request;
    await this.#signal(ctx, loaded);
    return 'requested';
  }

  async rewind(ctx: ObjectContext, { owner, rewind }: Inputs['rewind']): Promise<'rewound' | 'outdated'> {
    const loaded = await this.#loadOwn(ctx, owner, true);
    if (loaded === undefined) return 'outdated';
    const { place, tree } = loaded;
    const { seq, signals } = tree.record;
    if (seq !== rewind.expectedSeq || signals !== rewind.expectedSignals) return 'outdated';
    const now = await this.#clock.now(ctx);
    wakeRunner(ctx, place);
    rewindRoot(tree, rewind, now);
    enterAgain(ctx, tree.record.id, place.keys, now);
    makeDue(ctx, loaded, 0, now);
    saveTree(ctx, loaded);
    return 'rewound';
  }

  async quarantine(ctx: ObjectContext, quarantine: Inputs['quarantine']): Promise<boolean> {
    const loaded = await loadTree(ctx, { children: [] });
    if (loaded === undefined) return false;
    const { place, tree } = loaded;
    const { minClaims } = quarantine;
    const needed = tree.record.request === null ? minClaims : 2 * minClaims;
    if (tree.record.runner !== null || place.dueAt === null || tree.claimsWithoutCommit < needed) return false;
    quarantineRoot(tree, quarantine, await this.#clock.now(ctx));
    place.dueAt = null;
    saveTree(ctx, loaded);
    return true;
  }

  async terminate(
    ctx: ObjectContext,
    { owner, termination }: Inputs['terminate'],
  ): Promise<'terminated' | 'idle' | 'not-found'> {
    const loaded = await this.#loadOwn(ctx, owner, true);
    if (loaded === undefined) return 'not-found';
    if (isFinal(loaded.tree.record)) return 'idle';
    terminateRoot(loaded.tree, termination, await this.#clock.now(ctx));
    wakeRunner(ctx, loaded.place);
    finish(ctx, loaded);
    saveTree(ctx, loaded);
    return 'terminated';
  }

  /** A newer execution replaces this one. @returns null when it has ended or is being cancelled. */
  async replace(ctx: ObjectContext, { isUnclaimed, reason }: Inputs['replace']): Promise<Receipt['job']> {
    const loaded = await loadTree(ctx, { children: [] });
    if (loaded === undefined) return null;
    const { epoch, id, request, workflowId } = loaded.tree.record;
    if (isFinal(loaded.tree.record) || request?.kind === 'cancel' || (isUnclaimed && epoch > 0)) return null;
    loaded.tree.record.request = { kind: 'cancel', reason };
    await this.#signal(ctx, loaded);
    return { executionId: id, workflowId };
  }

  async receive(ctx: ObjectContext, event: Inputs['receive']): Promise<Receipt> {
    const loaded = await loadTree(ctx, { children: [] });
    if (loaded === undefined) return { job: null, isWaiting: false };
    const { tree } = loaded;
    const { id, workflowId } = tree.record;
    const waitsOf = () => tree.record.suspensions.filter((one) => isWaitFor(one, { ...event, publisher: 'anyone' }));
    const suspension = waitsOf().find((one) => isWaitFor(one, event));
    if (suspension === undefined || !mayReceive(tree, event)) return { job: null, isWaiting: waitsOf().length > 0 };
    receiveEvent(tree, suspension, event);
    await this.#signal(ctx, loaded);
    return { job: { executionId: id, workflowId }, isWaiting: waitsOf().length > 0 };
  }

  async wake(ctx: ObjectContext): Promise<void> {
    const loaded = await loadTree(ctx, { children: [] });
    if (loaded === undefined || loaded.tree.record.runner !== null) return;
    const { concurrency, id, waitingSince } = loaded.tree.record;
    if (isFinal(loaded.tree.record) || waitingSince === null) {
      if (concurrency !== null) send(ctx, 'key', concurrencyKey(concurrency.key), 'free', { id });
      return;
    }
    makeDue(ctx, loaded, 0, await this.#clock.now(ctx));
    saveTree(ctx, loaded);
  }

  async reserve(ctx: ObjectContext, { forMs, rootId }: Inputs['reserve']): Promise<boolean> {
    const alias = await ctx.get<string>('alias');
    if (alias !== null) return alias === rootId && forMs !== undefined;
    if ((await ctx.get('root')) !== null) return false;
    ctx.set('alias', rootId);
    if (forMs !== undefined) send(ctx, 'execution', fromKey(ctx.key), 'release', { rootId }, forMs);
    return true;
  }

  async release(ctx: ObjectContext, { rootId }: Inputs['release']): Promise<void> {
    if ((await ctx.get('alias')) === rootId) ctx.clear('alias');
  }

  /** Deletes a root, whether it has ended or not. The next commit of its runner is fenced. */
  async remove(ctx: ObjectContext): Promise<boolean> {
    const loaded = await loadTree(ctx, { children: [] });
    if (loaded === undefined) return false;
    const { childIds, place, tree } = loaded;
    const { concurrency, id } = tree.record;
    wakeRunner(ctx, place);
    leaveKeys(ctx, id, place.keys);
    if (concurrency !== null && place.isAtKey) send(ctx, 'key', concurrencyKey(concurrency.key), 'free', { id });
    for (const childId of childIds) send(ctx, 'execution', childId, 'release', { rootId: id });
    ctx.clearAll();
    send(ctx, 'lists', id, 'write', { rootId: id });
    return true;
  }

  async #loadOwn(ctx: ObjectContext, owner: Owner, isWhole = false): Promise<LoadedTree | undefined> {
    const loaded = await loadTree(ctx, isWhole ? { journal: true } : { children: [] });
    return loaded !== undefined && isOwner(owner, loaded.tree.record) ? loaded : undefined;
  }

  async #signal(ctx: ObjectContext, loaded: LoadedTree): Promise<void> {
    signal(ctx, loaded, await this.#clock.now(ctx));
    saveTree(ctx, loaded);
  }
}

/** A process that lives has not died of the execution. @returns whether the claim had been counted. */
function uncount({ place, tree }: LoadedTree, delivery: Delivery): boolean {
  if (tree.claimsWithoutCommit === 0 || !place.claims.some((claim) => isSame(claim, delivery))) return false;
  place.claims = place.claims.filter((claim) => !isSame(claim, delivery));
  tree.claimsWithoutCommit -= 1;
  return true;
}

/** The root has ended: nothing waits for anything any more. */
function finish(ctx: ObjectContext, { place, tree }: LoadedTree): void {
  Object.assign(tree.record, { suspensions: [], resumptions: [], timers: [], request: null, runner: null });
  tree.record.waitingSince = null;
  place.dueAt = null;
  place.awakeable = null;
  leaveKeys(ctx, tree.record.id, place.keys);
}

export function isOwner(owner: Owner, { userId }: Pick<Execution, 'userId'>): boolean {
  return owner === 'anyone' || userId === owner.user;
}

function isSame(one: Delivery | null, other: Delivery): boolean {
  return one !== null && one.ticket === other.ticket && one.attempt === other.attempt;
}
