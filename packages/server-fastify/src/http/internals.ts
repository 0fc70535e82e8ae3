import type { Clock } from '@halyard/contracts';
import type { Access } from '../access/create-access.ts';
import type { FixedLimits } from '../admission/limits.ts';
import type { Overload } from '../admission/overload.ts';
import type { Channel } from '../api/define/define-channel.ts';
import type { AnyEndpoint } from '../api/define/endpoint.ts';
import type { RunningCalls } from '../runtime/lifecycle/running-calls.ts';
import type { LogRecords } from '../runtime/logging/log-records.ts';
import type { ServerMetrics } from '../runtime/metrics/server-metrics.ts';
import type { UserOf } from './endpoints/endpoint-call.ts';

/** Shared by `createServer` with the plugin, and replaced by tests. */
export interface Internals {
  readonly work?: RunningCalls;
  readonly endpoints?: readonly AnyEndpoint[];
  readonly channels?: readonly Channel[];
  /** Whether the app checks every request already. */
  readonly isGuarded?: boolean;
  /** Default: the verified user of the request. */
  readonly userOf?: UserOf;
  /** Replaces the access control of the options. */
  readonly accessFrom?: (access: Access) => Access;
  /** Replace those of `fixedLimits`. */
  readonly limits?: Partial<FixedLimits> | undefined;
  /** Default: measures the event loop. */
  readonly overload?: Overload;
  /** Counts the requests of the app. Default: only those to Halyard's own routes are counted. */
  readonly metrics?: ServerMetrics;
  /** Records the lines of the app's logger. Default: only Halyard's own lines are recorded. */
  readonly logs?: LogRecords;
  /** Whether the app limits the requests of each caller. */
  readonly limitsRates?: boolean;
  /** The time source for the limit of rejected credentials. */
  readonly clock?: Clock;
  /**
   * How long a schema of a client may take to compile, and to validate a value. Default: that of
   * `ClientSchemas`.
   */
  readonly schemaTimeLimitMs?: number | undefined;
}
