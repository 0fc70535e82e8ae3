import { type Static, Type } from '@sinclair/typebox';

const time = Type.String({ format: 'date-time' });

/** The process that replies, its current work, and its settings. */
export const SystemReport = Type.Object(
  {
    process: Type.Object({
      version: Type.String({ description: 'Of @halyard/server-fastify; `0.0.0` when it runs from its sources.' }),
      node: Type.String(),
      environment: Type.Union([Type.Literal('production'), Type.Literal('development')]),
      startedAt: time,
      residentBytes: Type.Integer({ description: 'Memory of the process.' }),
      heapBytes: Type.Integer({ description: 'Memory of JavaScript objects in use.' }),
      isDraining: Type.Boolean({ description: 'Whether it is shutting down.' }),
    }),
    executions: Type.Object(
      {
        running: Type.Integer(),
        waiting: Type.Integer({ description: 'For a free slot of this process.' }),
      },
      { description: 'The work of this process.' },
    ),
    storage: Type.Object({
      telemetry: Type.Union([Type.String(), Type.Null()], {
        description: 'Where spans and logs are: `in-memory`, `postgres`; null if nothing is recorded.',
      }),
      isPersistent: Type.Boolean({ description: 'Whether executions outlive the process.' }),
      pool: Type.Union(
        [
          Type.Object({
            total: Type.Integer(),
            idle: Type.Integer(),
            waiting: Type.Integer({ description: 'Calls that wait for a connection.' }),
            max: Type.Integer(),
          }),
          Type.Null(),
        ],
        { description: 'Connections to the database of this process; null without a pool.' },
      ),
      size: Type.Union(
        [
          Type.Object({
            bytes: Type.Integer({ description: 'On disk, with indexes.' }),
            tables: Type.Array(
              Type.Object({
                name: Type.String(),
                bytes: Type.Integer({ description: 'With indexes and partitions.' }),
                rows: Type.Union([Type.Integer(), Type.Null()], {
                  description: 'An estimate; null while the database has none.',
                }),
              }),
              { description: 'The largest first.' },
            ),
          }),
          Type.Null(),
        ],
        { description: 'Null: nothing is stored outside the process, or the storage does not respond.' },
      ),
    }),
    replicas: Type.Union(
      [
        Type.Array(
          Type.Object({
            id: Type.String({ description: 'The name by which the process claims executions: new at each start.' }),
            isThis: Type.Boolean({ description: 'Whether it is the process that replies.' }),
            since: time,
            leaseUntil: Type.String({
              format: 'date-time',
              description: 'When others take its executions over unless it renews its lease.',
            }),
            isLost: Type.Boolean({ description: 'Whether its lease has run out.' }),
            executions: Type.Integer({ description: 'Root executions that it has claimed.' }),
          }),
        ),
        Type.Null(),
      ],
      {
        description:
          'The processes that run executions of this storage, and those that have left executions behind. Null: not known.',
      },
    ),
    schedules: Type.Array(
      Type.Object({
        workflowId: Type.String(),
        name: Type.String(),
        cron: Type.String(),
        timeZone: Type.String(),
        missed: Type.Union([Type.Literal('once'), Type.Literal('skip')]),
        nextAt: Type.Union([time, Type.Null()], { description: 'When it starts the next execution.' }),
      }),
    ),
    limits: Type.Record(Type.String(), Type.Number(), {
      description: 'The limits in force, by the name of their option.',
    }),
    warnings: Type.Array(
      Type.Object({
        option: Type.String({ description: 'The option to change.' }),
        message: Type.String(),
      }),
      { description: 'Settings that are a risk in production.' },
    ),
  },
  { $id: 'SystemReport' },
);
export type SystemReport = Static<typeof SystemReport>;
