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

/** Places an order. A large one waits for approval. @returns the id of the execution, and its status. */
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

/** Approves an order. @returns the status of its execution. */
export async function approveOrder(replica: Replica, executionId: string, user = 'ada'): Promise<string> {
  const body = JSON.stringify({ resumeData: { by: 'grace' } });
  const path = `/workflows/order/executions/${executionId}/resume`;
  const response = await replica.asUser(user, path, { method: 'POST', body });
  const reply = (await response.json()) as { data?: { status: string }; error?: string };
  return reply.data?.status ?? `${response.status}: ${reply.error}`;
}
