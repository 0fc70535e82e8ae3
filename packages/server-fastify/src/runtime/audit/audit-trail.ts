import {
  type AuditActor,
  type AuditLog,
  type AuditTarget,
  type Clock,
  type Ids,
  type Logger,
  userRoles,
  userTenant,
} from '@halyard/contracts';
import { actorForCaller, type Caller } from '../../access/identity.ts';
import { loggedError, toFailure } from '../../http/errors/to-failure.ts';
import type { AuditEntry } from './audited.ts';

interface AuditTrailServices {
  readonly store: AuditLog;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

/**
 * Records actions: each before it begins, so that none happens without a record, and its outcome
 * when it has ended.
 */
export class AuditTrail {
  readonly #services: AuditTrailServices;

  constructor(services: AuditTrailServices) {
    this.#services = services;
  }

  /** Runs an action. It does not begin if the record cannot be written: the error of the store is thrown. */
  async record<Result>(
    entry: AuditEntry,
    caller: Caller,
    act: () => Promise<Result>,
    channel: AuditActor['channel'] = channelOf(caller),
  ): Promise<Result> {
    const { clock, ids, store } = this.#services;
    const at = clock.now();
    const id = `${at.toString(16).padStart(12, '0')}-${ids.next()}`;
    await store.append({ id, at, actor: toActor(caller, channel), ...entry, target: cutIds(entry.target) });
    try {
      const result = await act();
      await this.#settle(id, null);
      return result;
    } catch (error) {
      await this.#settle(id, toFailure(error, id).code);
      throw error;
    }
  }

  /** The action has happened, so a failure here changes nothing about its reply. */
  async #settle(id: string, errorCode: string | null): Promise<void> {
    const { clock, logger, store } = this.#services;
    try {
      await store.settle(id, { at: clock.now(), errorCode });
    } catch (error) {
      logger.error({ ...loggedError(error, toFailure(error, id)), auditId: id }, 'an outcome was not recorded');
    }
  }
}

/** As long as a filter of the list. The index of PostgreSQL refuses ids that are much longer. */
const idLimit = 512;

function cutIds(target: AuditTarget): AuditTarget {
  const ids = Object.entries<string>({ ...target });
  return Object.fromEntries(ids.map(([name, id]) => [name, id.slice(0, idLimit).toWellFormed()]));
}

function toActor(caller: Caller, channel: AuditActor['channel']): AuditActor {
  const { address, tokenUser, user = tokenUser } = caller;
  return {
    userId: actorForCaller(caller) ?? null,
    roles: user === undefined ? [] : userRoles(user),
    tenantId: (user && userTenant(user)) ?? null,
    channel,
    address,
  };
}

function channelOf({ grants, hasConsoleAccess = false, user }: Caller): AuditActor['channel'] {
  if (hasConsoleAccess) return grants === undefined ? 'console-key' : 'token';
  return user === undefined ? 'open' : 'token';
}
