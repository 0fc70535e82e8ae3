import { inject } from 'vitest';
import {
  type PostgresServer,
  ready,
  type Replica,
  type ReplicaOptions,
  startPostgresServer,
  startReplica,
} from '../image/replicas.ts';

/** A PostgreSQL server, and replicas of examples/deploy that a test starts. */
export interface Installation extends AsyncDisposable {
  readonly database: PostgresServer;
  /** Starts a replica and waits until it is ready. */
  readonly start: (options?: Partial<ReplicaOptions>) => Promise<Replica>;
  /** A connection string for another role or database of the server. */
  readonly urlFor: (changed: {
    readonly user?: string;
    readonly password?: string;
    readonly database?: string;
  }) => string;
}

export async function openInstallation(): Promise<Installation> {
  const image = inject('image');
  const database = await startPostgresServer();
  const replicas: Replica[] = [];
  return {
    database,
    start: async (options = {}) => {
      const replica = await startReplica(image, { databaseUrl: database.connectionString, ...options });
      replicas.push(replica);
      await ready(replica);
      return replica;
    },
    urlFor: ({ database: name, password, user }) => {
      const url = new URL(database.connectionString);
      if (user !== undefined) url.username = user;
      if (password !== undefined) url.password = password;
      if (name !== undefined) url.pathname = `/${name}`;
      return url.href;
    },
    [Symbol.asyncDispose]: async () => {
      for (const { container } of replicas) await container.remove();
      await database.remove();
    },
  };
}

/** Ends a replica as a deploy does. */
export async function stop({ container }: Replica): Promise<void> {
  await container.signal('SIGTERM');
  await container.ended;
}

/**
 * Places an order. A large one waits for approval. @returns the id of the execution, and its
 * status.
 */
export async function placeOrder(
  replica: Replica,
  { cents = 4_900, user = 'ada' } = {},
): Promise<{ readonly executionId: string; readonly status: string }> {
  const body = JSON.stringify({ input: { product: 'lamp', cents } });
  const response = await replica.asUser(user, '/workflows/order/execute', { method: 'POST', body });
  const reply = (await response.json()) as { data?: { executionId: string; status: string }; error?: string };
  if (reply.data === undefined) throw new Error(`${response.status}: ${reply.error}`);
  return reply.data;
}

/**
 * Approves an order as an operator, and waits until its execution has ended. @returns its status.
 */
export async function approveOrder({ asOperator }: Pick<Replica, 'asOperator'>, executionId: string): Promise<string> {
  const waiting = (await (await asOperator('/approvals')).json()) as {
    data: { approvals: readonly { readonly id: string; readonly executionId: string | null }[] };
  };
  const id = waiting.data.approvals.find((approval) => approval.executionId === executionId)?.id;
  const body = JSON.stringify({ id, executionId, resumeData: { by: 'grace' } });
  const answered = await asOperator('/approvals/answer', { method: 'POST', body });
  if (answered.status !== 200) return `${answered.status}: ${await answered.text()}`;

  const execution = `/workflows/order/executions/${executionId}`;
  // The stream ends with the execution.
  await (await asOperator(`/observability${execution}/stream`)).text();
  const { data } = (await (await asOperator(`${execution}/state`)).json()) as { data: { status: string } };
  return data.status;
}
